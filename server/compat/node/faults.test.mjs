// The openai package reads the scenarios of faults.yaml. faults.json has the outcomes.
// FAKEOPENAI_URL is a server that plays them with all pauses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import OpenAI from 'openai';
import { client, request } from './client.mjs';

const cases = JSON.parse(readFileSync(new URL('../faults.json', import.meta.url)));

const clients = { 'node for await': readChunks, 'node stream()': readHelper };

// The cases with waits run apart from the rest: while Node reads an event of megabytes, its
// timers are late.
for (const [title, rows] of [
  ['silence', cases.filter((row) => row.patience)],
  ['the rest', cases.filter((row) => !row.patience)],
]) {
  test(title, { concurrency: 16 }, async (t) => {
    const pairs = Object.entries(clients).flatMap(([name, read]) => rows.map((row) => [name, read, row]));
    await Promise.all(pairs.map(([name, read, row]) => t.test(`${name}: ${row.case}`, () => check(name, read, row))));
  });
}

async function check(name, read, row) {
  const limit = row.patience && { timeout: 1000 * parseInt(row.patience) };
  const openai = client(row.case, `sk-${row.case}-${name}`.replaceAll(/[^-\w]/g, ''), limit);
  const got = { text: '', finish: null };
  try {
    await read(openai, got);
  } catch (err) {
    got.error = err;
  }
  assert.equal(outcome(got), row[name]);
}

async function readChunks(openai, got) {
  for await (const chunk of await openai.chat.completions.create(request)) take(got, chunk);
}

async function readHelper(openai, got) {
  const stream = openai.chat.completions.stream(request);
  stream.on('chunk', (chunk) => take(got, chunk));
  await stream.finalChatCompletion();
}

function take(got, chunk) {
  for (const choice of chunk.choices ?? []) {
    got.text += choice.delta?.content ?? '';
    got.finish = choice.finish_reason ?? got.finish;
  }
}

function outcome({ text, finish, error }) {
  const arrived = text.length > 100 ? `${text.length} bytes` : text || 'nothing';
  if (error) return `${arrived} / error: ${describe(error)}`;
  return `${arrived} / ${finish ?? 'no finish'}`;
}

// describe names an error with the words of faults_test.go, or else with its own text.
function describe(err) {
  if (err instanceof OpenAI.APIConnectionTimeoutError) return 'time out';
  if (err instanceof OpenAI.APIUserAbortError) return 'cancelled';
  if (err.status) return `status ${err.status}`;
  if (err.error) return 'error in the stream';
  if (err instanceof SyntaxError || /JSON/.test(err.message)) return 'bad JSON';
  return err.message;
}
