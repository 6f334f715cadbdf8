// The openai package reads the same cases of completions.json as the Go clients.
// FAKEOPENAI_URL is a server that plays completions.yaml.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { client } from './client.mjs';

const table = JSON.parse(readFileSync(new URL('../completions.json', import.meta.url)));

const clients = {
  'node': { streams: false, ask: askOnce },
  'node for await': { streams: true, ask: askChunks },
};

for (const [name, way] of Object.entries(clients)) {
  for (const [i, row] of table.cases.entries()) {
    if (row.streamed && !way.streams) continue;
    test(`${name}: ${row.title ?? row.fixture}`, () => check(name, way, row, i));
  }
}

async function check(name, way, row, i) {
  // Another API key for each test, because the server counts replies by key.
  const openai = client(row.fixture, `sk-completions-${i}-${name.replaceAll(/\W/g, '')}`, { maxRetries: row.retries ?? 0 });
  const got = { choices: [] };
  let failure;
  try {
    await way.ask(openai, { ...table.request, ...row.request }, got);
  } catch (err) {
    failure = err;
  }
  const own = row.unlike?.[name] ?? {};
  const fault = own.fault ?? row.fault;
  if (fault) return checkFault(fault, failure, got);
  if (failure) throw failure;
  assert.deepEqual(got.choices, own.choices ?? row.answer.choices);
  const { prompt_tokens, completion_tokens, total_tokens } = got.usage;
  assert.deepEqual({ prompt_tokens, completion_tokens }, row.answer.usage);
  assert.equal(total_tokens, prompt_tokens + completion_tokens);
}

function checkFault(want, failure, got) {
  assert.ok(failure, `no error, but ${JSON.stringify(got)}`);
  assert.equal(failure.status, want.status);
  if (want.code) assert.equal(failure.code, want.code);
  if (want.type) assert.equal(failure.type, want.type);
  const message = `${failure.message} ${JSON.stringify(failure.error ?? '')}`;
  assert.ok(message.includes(want.message ?? ''), `${message} says ${want.message}`);
  assert.equal(got.choices[0]?.content ?? '', want.text ?? '');
}

async function askOnce(openai, request, got) {
  take(got, await openai.completions.create(request));
}

async function askChunks(openai, request, got) {
  const stream = await openai.completions.create({ ...request, stream: true, stream_options: { include_usage: true } });
  for await (const chunk of stream) take(got, chunk);
}

// take adds a chunk of a stream, or an answer that is not streamed.
function take(got, res) {
  got.usage = res.usage ?? got.usage;
  for (const c of res.choices) {
    const known = (got.choices[c.index] ??= { content: '' });
    known.content += c.text;
    if (c.finish_reason) known.finish = c.finish_reason;
    if (!c.logprobs) continue;
    (known.tokens ??= []).push(...c.logprobs.tokens);
    (known.offsets ??= []).push(...c.logprobs.text_offset);
  }
}
