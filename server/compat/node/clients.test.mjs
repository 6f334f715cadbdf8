// The openai package reads the same cases of expected.json as the Go clients.
// FAKEOPENAI_URL is a server that plays the bundled scenarios; node_test.go starts it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import OpenAI from 'openai';

const table = JSON.parse(readFileSync(new URL('../expected.json', import.meta.url)));
const baseURL = process.env.FAKEOPENAI_URL + '/v1';

const clients = {
  'node': { streams: false, ask: askOnce },
  'node for await': { streams: true, ask: askChunks },
  'node stream()': { streams: true, ask: askStream },
};

for (const [name, client] of Object.entries(clients)) {
  for (const [i, row] of table.cases.entries()) {
    if (row.streamed && !client.streams) continue;
    test(`${name}: ${row.title ?? row.fixture}`, () => check(name, client, row, i));
  }
}

async function check(name, client, row, i) {
  // Another API key for each test, because the server counts replies by key.
  const openai = new OpenAI({
    baseURL, apiKey: `sk-node-${i}-${name.replaceAll(/\W/g, '')}`, maxRetries: row.retries ?? 0,
    defaultHeaders: { 'X-Fakeopenai-Scenario': row.fixture },
  });
  const got = newAnswer();
  let failure;
  try {
    await client.ask(openai, { ...table.request, ...row.request }, got, row);
  } catch (err) {
    failure = err;
  }
  const own = row.unlike?.[name] ?? {};
  const fault = own.fault ?? row.fault;
  if (fault) return checkFault(fault, failure, got);
  if (failure) throw failure;
  const want = { ...row.answer };
  if (own.choices) want.choices = own.choices;
  if (own.no_usage) delete want.usage;
  checkAnswer(want, got);
}

function checkAnswer(want, got) {
  assert.deepEqual(got.choices.map(tidy), want.choices.map(tidy));
  assert.ok(got.id.endsWith(want.id ?? ''), `id ${got.id} ends with ${want.id}`);
  if (want.model) assert.equal(got.model, want.model);
  if (!want.usage) return assert.equal(got.usage ?? null, null);
  const { prompt_tokens, completion_tokens, total_tokens } = got.usage ?? {};
  assert.deepEqual({ prompt_tokens, completion_tokens }, want.usage);
  assert.equal(total_tokens, prompt_tokens + completion_tokens);
}

function checkFault(want, failure, got) {
  assert.ok(failure, `no error, but ${JSON.stringify(got)}`);
  assert.equal(failure.status, want.status);
  if (want.code) assert.equal(failure.code, want.code);
  if (want.type) assert.equal(failure.type, want.type);
  const message = `${failure.message} ${JSON.stringify(failure.error ?? '')}`;
  assert.ok(message.includes(want.message ?? ''), `${message} says ${want.message}`);
  if (want.text !== undefined) assert.equal(got.choices[0]?.content ?? '', want.text);
}

// askOnce reads an answer that is not streamed.
async function askOnce(openai, request, got) {
  const res = await openai.chat.completions.create(request);
  takeCompletion(got, res);
}

// askChunks reads a stream chunk by chunk and joins the chunks by index. It leaves a silent
// stream as soon as the text has arrived, in place of a time limit on silence.
async function askChunks(openai, request, got, row) {
  const stream = await openai.chat.completions.create(streamed(request));
  for await (const chunk of stream) {
    takeChunk(got, chunk);
    if (row.silent && got.choices[0]?.content === row.fault.text) throw new Error('silence');
  }
}

// askStream reads a stream with the package's own accumulator.
async function askStream(openai, request, got, row) {
  const stream = openai.chat.completions.stream(streamed(request));
  stream.on('chunk', (chunk) => {
    if (!row.answer) takeChunk(got, chunk);
    if (row.silent && got.choices[0]?.content === row.fault.text) stream.abort();
  });
  takeCompletion(got, await stream.finalChatCompletion());
}

function streamed(request) {
  return { ...request, stream: true, stream_options: { include_usage: true } };
}

function newAnswer() {
  return { id: '', choices: [] };
}

function takeCompletion(got, res) {
  Object.assign(got, { id: res.id, model: res.model, usage: res.usage });
  got.choices = res.choices.map((c) => ({
    content: c.message.content, refusal: c.message.refusal, reasoning: c.message.reasoning_content,
    calls: c.message.tool_calls?.map(takeCall), function_call: c.message.function_call,
    transcript: c.message.audio?.transcript, finish: c.finish_reason, tokens: c.logprobs?.content?.map((p) => p.token),
  }));
}

function takeCall(t) {
  const { name, arguments: args, input } = t.function ?? t.custom ?? {};
  return { id: t.id, type: t.type, name, arguments: args ?? input };
}

function takeChunk(got, chunk) {
  if (chunk.id) Object.assign(got, { id: chunk.id, model: chunk.model });
  got.usage = chunk.usage ?? got.usage;
  for (const c of chunk.choices ?? []) {
    const known = (got.choices[c.index] ??= {});
    add(known, 'content', c.delta.content);
    add(known, 'refusal', c.delta.refusal);
    add(known, 'reasoning', c.delta.reasoning_content);
    add(known, 'transcript', c.delta.audio?.transcript);
    known.finish = c.finish_reason ?? known.finish;
    if (c.delta.function_call) {
      known.function_call ??= {};
      add(known.function_call, 'name', c.delta.function_call.name);
      add(known.function_call, 'arguments', c.delta.function_call.arguments);
    }
    for (const t of c.delta.tool_calls ?? []) takePiece((known.calls ??= []), t);
    if (c.logprobs?.content) (known.tokens ??= []).push(...c.logprobs.content.map((p) => p.token));
  }
}

function takePiece(calls, t) {
  const known = (calls[t.index] ??= {});
  const piece = takeCall(t);
  for (const key of ['id', 'type', 'name', 'arguments']) add(known, key, piece[key]);
}

function add(object, key, piece) {
  if (piece != null) object[key] = (object[key] ?? '') + piece;
}

// tidy removes empty members, which expected.json leaves out.
function tidy(choice) {
  return Object.fromEntries(Object.entries(choice).filter(([, v]) => v != null && v !== '' && v.length !== 0));
}
