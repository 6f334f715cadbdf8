// Realtime sessions of two clients: that of the openai package, which insists on wss:, and a session of the agents SDK.
// FAKEOPENAI_URL is a server with TLS that plays realtime.yaml and the zoo's; its certificate is not checked here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebSocket, tool } from '@openai/agents/realtime';
import { WebSocket } from 'ws';
import { z } from 'zod';

const server = process.env.FAKEOPENAI_URL;
globalThis.WebSocket ??= WebSocket; // Node has one from 22 on

// converse opens a session of the openai package.
function converse(t, apiKey, model) {
  const client = new OpenAI({ baseURL: `${server}/v1`, apiKey });
  const rt = new OpenAIRealtimeWS({ model, options: { rejectUnauthorized: false } }, client);
  rt.on('error', () => {}); // an error is an event, too
  t.after(() => rt.close());
  return { rt };
}

// play plays a line of realtime.json, and returns what the client comes to. ../realtime_test.go does the same in Go.
async function play(t, c) {
  const { rt } = converse(t, 'sk-play', `fake:${c.scenario}`);
  const send = (event) => rt.send(event);
  const heard = [];
  let text = '', whole = null, sound = 0, calls = [], reacted = false;
  const speak = () => {
    for (const level of [0x2000, 0]) {
      const samples = Buffer.from(new Int16Array(24_000).fill(level).buffer);
      send({ type: 'input_audio_buffer.append', audio: samples.toString('base64') });
    }
  };
  const react = () => {
    if (reacted) return;
    reacted = true;
    if (c.cancel) send({ type: 'response.cancel' });
    if (c.interrupt) speak();
    if (c.choice) send({ type: 'app.choice', city: 'Oslo' });
  };
  const end = await new Promise((resolve) => {
    rt.socket.on('close', (code, reason) => resolve(`closed ${code} ${reason}`.trim()));
    rt.on('event', (e) => {
      switch (e.type) {
        case 'session.created':
          send({ type: 'session.update', session: { type: 'realtime', output_modalities: [c.audio ? 'audio' : 'text'], audio: { input: { transcription: { model: 'whisper-1' } } } } });
          if (c.voice) return speak();
          send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] } });
          return send({ type: 'response.create' });
        case 'response.output_text.delta':
          text += e.delta;
          return react();
        case 'response.output_audio_transcript.delta':
          text += e.delta;
          return;
        case 'response.output_audio.delta':
          sound += Buffer.from(e.delta, 'base64').length;
          return react();
        case 'conversation.item.input_audio_transcription.completed':
          return heard.push(`heard ${e.transcript}`);
        case 'response.function_call_arguments.done':
          calls.push(e);
          return heard.push(`${e.name} ${e.arguments}`);
        case 'error':
          return resolve(`error ${e.error.code}`);
        case 'response.done': {
          for (const item of e.response.output.filter((i) => i.type === 'message')) {
            whole = (whole ?? '') + item.content.map((part) => part.text ?? part.transcript).join('');
          }
          if (calls.length > 0) {
            for (const call of calls) send({ type: 'conversation.item.create', item: { type: 'function_call_output', call_id: call.call_id, output: '18' } });
            calls = [];
            return send({ type: 'response.create' });
          }
          const details = e.response.status_details, usage = e.response.usage;
          let how = [e.response.status, details?.reason ?? details?.error?.type].filter(Boolean).join(' ');
          if (c.scenario === 'usage') how += ` / ${usage.total_tokens} tokens, ${usage.input_token_details.cached_tokens} cached`;
          return resolve(how);
        }
      }
    });
  });
  let words = text.length > 1000 ? `${text.length} characters` : text;
  if (whole !== null && whole !== text) words += ` but ${whole}`;
  return [...heard, words, sound > 0 ? 'sound' : '', end].filter(Boolean).join(' / ');
}

for (const [i, c] of JSON.parse(readFileSync('../realtime.json')).entries()) {
  test(`openai: ${i} ${c.scenario}`, async (t) => {
    assert.equal(await play(t, c), c.outcome);
  });
}

// session opens a session of the agents SDK.
async function session(t, agent, scenario, outputModalities = ['text'], more = {}) {
  const transport = new OpenAIRealtimeWebSocket({ url: `${server.replace('http', 'ws')}/v1/realtime?model=fake:${scenario}` });
  const s = new RealtimeSession(agent, { transport, model: 'gpt-realtime', config: { outputModalities }, ...more });
  await s.connect({ apiKey: 'sk-agents' });
  t.after(() => s.close());
  return s;
}

// next waits for an event of a session.
const next = (s, name) => new Promise((resolve) => { s.once(name, (...args) => resolve(args)); });

// sent waits for an event of the server for which matches holds.
const sent = (s, matches) => new Promise((resolve) => { s.transport.on('*', (e) => { if (matches(e)) resolve(e); }); });

test('agents: text', async (t) => {
  const s = await session(t, new RealtimeAgent({ name: 'a', instructions: 'Be brief.' }), 'text');
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
  const s = await session(t, new RealtimeAgent({ name: 'a', instructions: 'Be brief.', tools: [weather] }), 'call');
  const answer = new Promise((resolve) => {
    s.on('agent_end', (_, __, output) => { if (output) resolve(output); });
  });
  s.sendMessage('How is the weather?');
  assert.equal(await answer, 'It is 18 degrees.');
  assert.deepEqual(ran, ['Oslo']);
});

test('agents: an interruption', async (t) => {
  const s = await session(t, new RealtimeAgent({ name: 'a' }), 'story', ['audio']);
  const begun = sent(s, (e) => e.type === 'response.output_audio.delta');
  const done = sent(s, (e) => e.type === 'response.done');
  s.sendMessage('Tell me a story');
  await begun;
  s.interrupt();
  assert.equal((await done).response.status, 'cancelled');
});

// A guardrail that trips on the words said so far interrupts the answer, and asks for another one.
test('agents: a guardrail', async (t) => {
  const guardrail = { name: 'no tales', execute: async ({ agentOutput }) => ({ tripwireTriggered: agentOutput.includes('once upon'), outputInfo: {} }) };
  const s = await session(t, new RealtimeAgent({ name: 'a' }), 'tale', ['audio'], { outputGuardrails: [guardrail], outputGuardrailSettings: { debounceTextLength: 1 } });
  const tripped = next(s, 'guardrail_tripped');
  const cancelled = sent(s, (e) => e.type === 'response.done' && e.response.status === 'cancelled');
  const second = sent(s, (e) => e.type === 'response.done' && e.response.status === 'completed');
  s.sendMessage('Tell me a story');
  await tripped;
  await cancelled;
  const { response } = await second;
  assert.equal(response.output[0].content[0].transcript, 'I must not tell tales.');
});

// A session that breaks in the middle of an answer tells no error: the agents SDK says so when it sends again.
test('agents: a cut', async (t) => {
  const s = await session(t, new RealtimeAgent({ name: 'a' }), 'cut');
  s.on('error', () => {});
  const gone = new Promise((resolve) => { s.transport.on('connection_change', (status) => { if (status === 'disconnected') resolve(status); }); });
  s.sendMessage('Hi');
  await gone;
});
