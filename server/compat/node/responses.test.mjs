// The openai package over the same table of responses as the Go client.
// FAKEOPENAI_URL is a server that plays responses.yaml.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { client } from './client.mjs';

const table = JSON.parse(readFileSync(new URL('../responses.json', import.meta.url)));

const clients = {
  'node': { streams: false, ask: askOnce },
  'node for await': { streams: true, ask: askEvents },
  'node stream()': { streams: true, ask: askHelper },
};

for (const [name, way] of Object.entries(clients)) {
  for (const [i, row] of table.cases.entries()) {
    if (row.streamed && !way.streams) continue;
    test(`${name}: ${row.title ?? row.fixture}`, () => check(name, way, row, i));
  }
}

async function check(name, way, row, i) {
  // A key of its own for each test: replies are counted for each key.
  const openai = client(row.fixture, `sk-responses-${i}-${name.replaceAll(/\W/g, '')}`, { maxRetries: row.retries ?? 0 });
  const got = { text: '' };
  let failure;
  try {
    await way.ask(openai, { ...table.request, ...row.request }, got);
  } catch (err) {
    failure = err;
  }
  if (row.fault) return checkFault(row.fault, failure, got);
  if (failure) throw failure;
  const want = row.unlike?.[name]?.answer ?? row.answer;
  assert.deepEqual(answerOf(got), { usage: undefined, ...want });
}

function checkFault(want, failure, got) {
  assert.ok(failure, `no error, but ${JSON.stringify(got)}`);
  if (want.status) assert.equal(failure.status, want.status);
  const message = `${failure.message} ${JSON.stringify(failure.error ?? '')}`;
  assert.ok(message.includes(want.message ?? ''), `${message} says ${want.message}`);
  assert.equal(got.text, want.text ?? '');
}

async function askOnce(openai, request, got) {
  got.response = await openai.responses.create(request);
  got.text = got.response.output_text;
}

// askEvents takes the answer from the last event.
async function askEvents(openai, request, got) {
  const stream = await openai.responses.create({ ...request, stream: true });
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') got.text += event.delta;
    if (/^response\.(completed|incomplete|failed)$/.test(event.type)) got.response = event.response;
  }
}

// askHelper has the helper put the answer together, which follows the events more
// strictly than any other client.
async function askHelper(openai, request, got) {
  const stream = openai.responses.stream(request);
  stream.on('response.output_text.delta', (event) => { got.text += event.delta; });
  got.response = await stream.finalResponse();
}

function answerOf({ response, text }) {
  if (!response) return { status: '', items: [], text, usage: undefined };
  const { status, incomplete_details, output, usage } = response;
  return {
    status: [status, incomplete_details?.reason].filter(Boolean).join(' '),
    items: output.map(inWords), text,
    usage: usage ? [usage.input_tokens, usage.output_tokens] : undefined,
  };
}

function inWords(item) {
  switch (item.type) {
    case 'function_call': return [item.type, item.call_id, item.name, item.arguments].join(' ');
    case 'custom_tool_call': return [item.type, item.call_id, item.name, item.input].join(' ');
    case 'reasoning': return [item.type, ...item.summary.map((part) => part.text)].join(' ');
  }
  return [item.type, ...item.content.flatMap((part) => (part.type === 'refusal' ? [part.type, part.refusal] : [part.text]))].join(' ');
}

test('a tool loop that sends its items again', async () => {
  const openai = client('agent', 'sk-responses-agent');
  const tools = ['weather', 'forecast'].map((name) => ({ type: 'function', name, parameters: { type: 'object' }, strict: false }));
  const outputs = { weather: '18', forecast: 'sun' };
  const input = [{ role: 'user', content: 'When do I go to Oslo?' }];
  for (let turn = 1; turn <= 3; turn++) {
    const response = await openai.responses.create({ model: 'gpt-4o', store: false, tools, input });
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) {
      assert.equal(response.output_text, 'Go tomorrow.');
      assert.equal(turn, 3);
      return;
    }
    input.push(...response.output, ...calls.map(({ call_id, name }) => ({ type: 'function_call_output', call_id, output: outputs[name] })));
  }
  assert.fail('the loop does not end');
});
