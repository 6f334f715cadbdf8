// Realtime sessions of two clients: that of the openai package, which insists on wss:, and a session of the agents SDK.
// FAKEOPENAI_URL is a server with TLS that plays realtime.yaml; its certificate is not checked here.
import assert from 'node:assert/strict';
import test from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebSocket, tool } from '@openai/agents/realtime';
import { WebSocket } from 'ws';
import { z } from 'zod';

const server = process.env.FAKEOPENAI_URL;
globalThis.WebSocket ??= WebSocket;

// converse opens a session of the openai package and returns functions to send an event and to wait for one.
function converse(t, apiKey) {
  const client = new OpenAI({ baseURL: `${server}/v1`, apiKey });
  const rt = new OpenAIRealtimeWS({ model: 'gpt-realtime', options: { rejectUnauthorized: false } }, client);
  const events = [];
  const waiting = [];
  const look = () => {
    for (let i = waiting.length - 1; i >= 0; i--) {
      const at = events.findIndex((e, n) => n >= waiting[i].from && e.type === waiting[i].type);
      if (at >= 0) {
        const [found] = waiting.splice(i, 1);
        found.resolve(events[at]);
      }
    }
  };
  rt.on('event', (e) => { events.push(e); look(); });
  rt.on('error', () => {}); // an error is an event, too
  t.after(() => rt.close());
  const until = (type, from = events.length) => new Promise((resolve) => { waiting.push({ type, from, resolve }); look(); });
  const say = async (text) => {
    rt.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } });
    rt.send({ type: 'response.create' });
  };
  return { rt, events, until, say };
}

const asText = { type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } };

test('openai: text', async (t) => {
  const { rt, events, until, say } = converse(t, 'sk-text');
  await until('session.created', 0);
  rt.send(asText);
  await until('session.updated', 0);
  await say('Hi');
  const done = await until('response.done', 0);
  assert.equal(done.response.status, 'completed');
  assert.equal(done.response.output[0].content[0].text, 'Hello there.');
  assert.equal(events.filter((e) => e.type === 'response.output_text.delta').map((e) => e.delta).join(''), 'Hello there.');
  assert.ok(events.every((e) => e.event_id));
});

test('openai: a tool loop', async (t) => {
  const { rt, until, say, events } = converse(t, 'sk-tool');
  await until('session.created', 0);
  rt.send(asText);
  await say('How is the weather?');
  const call = await until('response.function_call_arguments.done', 0);
  assert.deepEqual(JSON.parse(call.arguments), { city: 'Oslo' });
  await until('response.done', 0);
  const from = events.length;
  rt.send({ type: 'conversation.item.create', item: { type: 'function_call_output', call_id: call.call_id, output: '18' } });
  rt.send({ type: 'response.create' });
  const text = await until('response.output_text.done', from);
  assert.equal(text.text, 'It is 18 degrees.');
});

test('openai: an answer that is cancelled', async (t) => {
  const { rt, until, say } = converse(t, 'sk-cancel');
  await until('session.created', 0);
  await say('Tell me a story');
  await until('response.output_audio.delta', 0);
  rt.send({ type: 'response.cancel' });
  const done = await until('response.done', 0);
  assert.equal(done.response.status, 'cancelled');
  assert.equal(done.response.status_details.reason, 'client_cancelled');
});

test('openai: answers that fail or are cut short', async (t) => {
  const { until, say, events } = converse(t, 'sk-fail');
  await until('session.created', 0);
  await say('overload');
  const failed = await until('response.done', 0);
  assert.equal(failed.response.status, 'failed');
  assert.equal(failed.response.status_details.error.type, 'server_error');
  const from = events.length;
  await say('something long');
  const short = await until('response.done', from);
  assert.deepEqual(short.response.status_details, { type: 'incomplete', reason: 'max_output_tokens' });
});

// session opens a session of the agents SDK.
async function session(t, agent, apiKey, outputModalities = ['text']) {
  const transport = new OpenAIRealtimeWebSocket({ url: `${server.replace('http', 'ws')}/v1/realtime?model=gpt-realtime` });
  const s = new RealtimeSession(agent, { transport, model: 'gpt-realtime', config: { outputModalities } });
  await s.connect({ apiKey });
  t.after(() => s.close());
  return s;
}

// next waits for an event of a session.
const next = (s, name) => new Promise((resolve) => { s.once(name, (...args) => resolve(args)); });

test('agents: text', async (t) => {
  const s = await session(t, new RealtimeAgent({ name: 'a', instructions: 'Be brief.' }), 'sk-agent-text');
  const end = next(s, 'agent_end');
  s.sendMessage('Hi');
  const [, , output] = await end;
  assert.equal(output, 'Hello there.');
});

test('agents: a tool loop', async (t) => {
  const ran = [];
  const weather = tool({
    name: 'get_weather', description: 'the weather', parameters: z.object({ city: z.string() }),
    execute: ({ city }) => { ran.push(city); return '18'; },
  });
  const s = await session(t, new RealtimeAgent({ name: 'a', instructions: 'Be brief.', tools: [weather] }), 'sk-agent-tool');
  const answer = new Promise((resolve) => {
    s.on('agent_end', (_, __, output) => { if (output) resolve(output); });
  });
  s.sendMessage('How is the weather?');
  assert.equal(await answer, 'It is 18 degrees.');
  assert.deepEqual(ran, ['Oslo']);
});

test('agents: an interruption', async (t) => {
  const s = await session(t, new RealtimeAgent({ name: 'a' }), 'sk-agent-interrupt', ['audio']);
  const begun = new Promise((resolve) => {
    s.transport.on('*', (e) => { if (e.type === 'response.output_audio.delta') resolve(); });
  });
  const done = new Promise((resolve) => {
    s.transport.on('*', (e) => { if (e.type === 'response.done') resolve(e.response.status); });
  });
  s.sendMessage('Tell me a story');
  await begun;
  s.interrupt();
  assert.equal(await done, 'cancelled');
});
