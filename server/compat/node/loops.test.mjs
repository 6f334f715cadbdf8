// Agent loops of three turns in which the client runs the tools. It sends all items again
// or names the earlier response or conversation, over HTTP and over WebSocket. At the end a client steers answers.
// FAKEOPENAI_URL is a server that plays responses.yaml. Its scenario agent answers a turn
// only if it has the outputs of the turn before and the question, which only the first turn
// sends.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent, OpenAIProvider, Runner, tool as agentTool, withResponsesWebSocketSession } from '@openai/agents';
import { isStepCount, jsonSchema, streamText, tool as aiTool } from 'ai';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { WebSocket } from 'ws';
import { client, server } from './client.mjs';

globalThis.WebSocket = WebSocket; // agents want one that can send headers

const question = 'When do I go to Oslo?';
const outputs = { weather: '18', forecast: 'sun' };
const anyObject = { type: 'object', properties: {}, required: [], additionalProperties: true };

// Asked is one loop: its API key, and the tools that ran, with their arguments.
class Asked {
  constructor(key) { Object.assign(this, { key, ran: [] }); }

  get openai() { return client('agent', this.key); }

  get headers() { return { 'X-Fakeopenai-Scenario': 'agent' }; }

  run(name, args) {
    this.ran.push(`${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`);
    return outputs[name];
  }
}

const loops = {
  'agents': async (asked) => (await runAgent(asked, {})).finalOutput,
  'agents, streamed': async (asked) => {
    const result = await runAgent(asked, { stream: true });
    await result.completed;
    return result.finalOutput;
  },
  'ai': runAI,
};

function runAgent(asked, options, store = false) {
  const modelProvider = new OpenAIProvider({ openAIClient: asked.openai, useResponses: true });
  return new Runner({ modelProvider, tracingDisabled: true }).run(clerk(asked, store), question, options);
}

function clerk(asked, store) {
  const tools = Object.keys(outputs).map((name) => agentTool({
    name, description: name, parameters: anyObject, strict: false,
    execute: (args) => asked.run(name, args),
  }));
  return new Agent({ name: 'clerk', model: 'gpt-4o', tools, modelSettings: { store } });
}

async function runAI(asked) {
  const openai = createOpenAI({ baseURL: server + '/v1', apiKey: asked.key, headers: asked.headers });
  const tools = Object.fromEntries(Object.keys(outputs).map((name) => [name, aiTool({
    inputSchema: jsonSchema(anyObject), execute: (args) => asked.run(name, args),
  })]));
  const result = streamText({
    model: openai('gpt-4o'), prompt: question, tools, stopWhen: isStepCount(5), maxRetries: 0, providerOptions: { openai: { store: false } },
  });
  return (await result.steps).at(-1).text;
}

for (const [i, [name, run]] of Object.entries(loops).entries()) {
  test(`a loop of three turns: ${name}`, async () => {
    const asked = new Asked(`sk-loop-${i}`);
    assert.equal(await run(asked), 'Go tomorrow.');
    assert.deepEqual(asked.ran, ['weather {"city":"Oslo"}', 'forecast {"day":"tomorrow"}']);
    const bodies = await requestsOf(asked.key);
    assert.deepEqual(bodies.map((body) => [body.store, body.previous_response_id]), [[false, undefined], [false, undefined], [false, undefined]]);
    assert.deepEqual(kinds(bodies[0]), ['message']);
    assert.deepEqual(kinds(bodies[2]), [
      'message', 'message', 'function_call call_1', 'function_call_output call_1', 'function_call call_2', 'function_call_output call_2',
    ]);
  });
}

// A request that names an earlier response or conversation sends only the new items.
const byID = {
  'agents, by previous_response_id': async (asked) => {
    const { id } = await asked.openai.responses.create({ model: 'gpt-4o', input: 'Hello.' }, { headers: { 'X-Fakeopenai-Scenario': 'text' } });
    return (await runAgent(asked, { previousResponseId: id }, true)).finalOutput;
  },
  'agents, by conversation': async (asked) => {
    const { id } = await asked.openai.conversations.create({});
    return (await runAgent(asked, { conversationId: id }, true)).finalOutput;
  },
  'agents, over WebSocket': async (asked) => {
    const { id } = await asked.openai.responses.create({ model: 'gpt-4o', input: 'Hello.' }, { headers: { 'X-Fakeopenai-Scenario': 'text' } });
    const run = async (session) => (await session.run(clerk(asked, true), question, { previousResponseId: id })).finalOutput;
    return withResponsesWebSocketSession(run, { providerOptions: { openAIClient: asked.openai }, runnerConfig: { tracingDisabled: true } });
  },
  'node, over WebSocket': runNodeOverWebSocket,
  // The server stores no response, so that only the connection can know the one before.
  'node, over WebSocket, with store: false': async (asked) => {
    const said = await runNodeOverWebSocket(asked, false);
    const bodies = await requestsOf(asked.key);
    assert.deepEqual(bodies.map(({ store }) => store), [false, false, false]);
    for (const { previous_response_id: id } of bodies.slice(1)) {
      await assert.rejects(asked.openai.responses.retrieve(id), { status: 404 });
    }
    return said;
  },
};

async function runNodeOverWebSocket(asked, store) {
  const ws = new ResponsesWS(asked.openai, { headers: asked.headers });
  const tools = Object.keys(outputs).map((name) => ({ type: 'function', name, parameters: anyObject, strict: false }));
  const ask = (input, id) => ws.send({ type: 'response.create', model: 'gpt-4o', store, tools, input, previous_response_id: id });
  ask([{ role: 'user', content: question }]);
  try {
    for await (const event of ws.stream()) {
      if (event.type === 'error') throw event.error;
      if (event.message?.type !== 'response.completed') continue;
      const { id, output } = event.message.response;
      const calls = output.filter((item) => item.type === 'function_call');
      if (calls.length === 0) return output[0].content[0].text;
      for (const { name, arguments: args } of calls) asked.run(name, args);
      ask(calls.map(({ call_id, name }) => ({ type: 'function_call_output', call_id, output: outputs[name] })), id);
    }
  } finally {
    ws.close();
  }
}

for (const [i, [name, run]] of Object.entries(byID).entries()) {
  test(`a loop of three turns: ${name}`, async () => {
    const asked = new Asked(`sk-loop-id-${i}`);
    assert.equal(await run(asked), 'Go tomorrow.');
    assert.deepEqual(asked.ran, ['weather {"city":"Oslo"}', 'forecast {"day":"tomorrow"}']);
    const turns = (await requestsOf(asked.key)).filter((body) => body?.tools);
    assert.deepEqual(turns.map(kinds), [['message'], ['function_call_output call_1'], ['function_call_output call_2']]);
    for (const body of turns.slice(1)) assert.match(body.previous_response_id ?? body.conversation, /^(resp|conv)_/);
  });
}

// requestsOf are the bodies of the requests with an API key.
async function requestsOf(key) {
  const res = await fetch(`${server}/_fake/requests?api_key=${key}`);
  return (await res.json()).requests.map((entry) => entry.body);
}

// kinds are the types of the input items. A message may leave out its type.
function kinds({ input }) {
  return input.map((item) => [item.type ?? 'message', item.call_id].filter(Boolean).join(' '));
}

// The package's own loop, which exists only for chat completions.
test('a loop of three turns: node runTools()', async () => {
  const asked = new Asked('sk-loop-chat');
  const tools = Object.keys(outputs).map((name) => ({ type: 'function', function: { name, parameters: anyObject, function: (args) => asked.run(name, args) } }));
  const runner = asked.openai.chat.completions.runTools({ model: 'gpt-4o', stream: true, tools, messages: [{ role: 'user', content: question }] });
  assert.equal(await runner.finalContent(), 'Go tomorrow.');
  assert.deepEqual(asked.ran, ['weather {"city":"Oslo"}', 'forecast {"day":"tomorrow"}']);
});

// Steering is a connection of the openai package, which reads the events one after the other.
class Steering {
  constructor(t, key) {
    this.ws = new ResponsesWS(new OpenAI({ baseURL: `${server}/v1`, apiKey: key }));
    this.events = this.ws.stream();
    t.after(() => this.ws.close());
  }

  // until returns the next event of a type.
  async until(type) {
    for (;;) {
      const { value, done } = await this.events.next();
      assert.ok(!done && value.type !== 'error' && value.type !== 'close', `${value?.error ?? value?.reason} in place of ${type}`);
      if (value.message?.type === type) return value.message;
      assert.ok(!value.message?.type.startsWith('response.steer.'), `${JSON.stringify(value.message)} in place of ${type}`);
    }
  }

  // ask asks for an answer, and returns its id.
  async ask(input, previous_response_id) {
    this.ws.send({ type: 'response.create', model: 'gpt-5', input, previous_response_id });
    return (await this.until('response.created')).response.id;
  }

  steer(previous_response_id) {
    this.ws.send({ type: 'response.steer', previous_response_id, input: 'Only museums, please.' });
  }

  // refused steers a response that takes no input, and returns the code of the error.
  async refused(id) {
    this.steer(id);
    const { steer, error, sequence_number: number } = await this.until('response.steer.failed');
    assert.deepEqual(steer, { input: 'Only museums, please.', previous_response_id: id });
    assert.equal(error.type, 'invalid_request_error');
    assert.ok(error.message.includes(id) && Number.isInteger(number), error.message);
    return error.code;
  }
}

test('an answer is steered', async (t) => {
  const c = new Steering(t, 'sk-steers');
  const id = await c.ask('Plan a trip.');
  await c.until('response.output_text.delta');
  c.steer(id);
  const { steer } = await c.until('response.steer.accepted');
  assert.match(steer.id, /^steer_/);
  assert.equal(steer.previous_response_id, id);
  const { response } = await c.until('response.incomplete');
  assert.deepEqual([response.id, response.incomplete_details.reason, response.output[0].content[0].text], [id, 'steered', 'Day one: ']);
  assert.equal((await c.until('response.created')).response.previous_response_id, id);
  assert.equal((await c.until('response.completed')).response.output[0].content[0].text, 'Museums it is.');
});

test('steering waits for the result of a call', async (t) => {
  const c = new Steering(t, 'sk-steers-call');
  const id = await c.ask('Tell me if it is sunny.');
  c.steer(id);
  const accepted = await c.until('response.steer.accepted');
  await c.until('response.completed');
  const pending = await c.until('response.steer.pending');
  assert.deepEqual(pending.steer, accepted.steer);
  assert.equal(pending.reason, 'waiting_for_required_input');
  assert.deepEqual(pending.required_input, [{ type: 'function_call_output', call_id: 'call_sun', name: 'sun' }]);
  await c.ask(pending.required_input.map(({ name, ...stub }) => ({ ...stub, output: 'no' })), id);
  assert.equal((await c.until('response.completed')).response.output[0].content[0].text, 'It rains, so museums it is.');
});

test('steering fails', async (t) => {
  const c = new Steering(t, 'sk-steers-not');
  assert.equal(await c.refused('resp_none'), 'response_not_found');
  const first = await c.ask('Hello.');
  await c.until('response.completed');
  const second = await c.ask('Count to ten.'); // it begins when the first is over on the server, too
  assert.equal(await c.refused(first), 'response_already_completed');
  assert.equal(await c.refused(second), 'steering_not_supported');
  c.ws.send({ type: 'app.enough' });
  assert.equal((await c.until('response.completed')).response.output[0].content[0].text, 'One, ');
});
