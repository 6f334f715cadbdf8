// How the openai package retries, how it leaves a stream, and when it connects again over WebSocket. FAKEOPENAI_URL is a
// server that plays calls.yaml; its report on calls is compared.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { client, request, server } from './client.mjs';

test('it waits as long as Retry-After and Retry-After-Ms say', async () => {
  assert.equal(await read('asks-to-wait', 'sk-waits', { maxRetries: 2 }), 'Third time lucky.');
  const call = await onlyCall('sk-waits');
  assert.deepEqual(call.attempts.map((a) => a.status), [429, 503, 200]);
  assert.deepEqual(call.attempts.map((a) => a.retry_count), ['0', '1', '2']);
  assert.deepEqual(call.attempts.map((a) => a.asked_ns), [undefined, 1e9, 2e8]);
  for (const retry of call.attempts.slice(1)) assert.notEqual(retry.verdict, 'early', `after ${retry.gap_ns} ns`);
  assert.ok(call.same_body);
  assert.equal(call.outcome, 'succeeded');
});

test('it does not retry when X-Should-Retry says no', async () => {
  await assert.rejects(read('asks-not-to-retry', 'sk-stays', { maxRetries: 2 }), { status: 503 });
  assert.equal((await onlyCall('sk-stays')).attempts.length, 1);
});

test('it retries when the connection closes before the headers', async () => {
  assert.equal(await read('closes-once', 'sk-closes', { maxRetries: 2 }), 'Second time lucky.');
  const call = await onlyCall('sk-closes');
  assert.deepEqual(call.attempts.map((a) => a.status), [0, 200]);
});

test('the server sees that a stream was aborted', async () => {
  const control = new AbortController();
  let text = '';
  for await (const piece of pieces('held-in-the-middle', 'sk-aborts', {}, control.signal)) {
    text += piece;
    if (text === 'Once upon') control.abort();
  }
  await checkLeft('sk-aborts');
});

test('the server sees that a loop was left', async () => {
  for await (const piece of pieces('held-in-the-middle', 'sk-breaks')) if (piece === 'Once upon') break;
  await checkLeft('sk-breaks');
});

test('the server sees that a signal ended the silence', async () => {
  assert.equal(await read('held-in-the-middle', 'sk-limits', {}, AbortSignal.timeout(3000)), 'Once upon');
  await checkLeft('sk-limits');
});

// The end of the first answer over WebSocket, and the code that the client sees. It comes back after those of the first list.
const comesBack = { 1001: 1001, 1011: 1011, 1012: 1012, 1013: 1013, none: 1005, cut: 1006 };
const staysAway = Object.fromEntries([1000, 1002, 1003, 1007, 1008, 1009, 1010, 1014, 3000, 4001].map((code) => [code, code]));

for (const [end, code] of Object.entries({ ...comesBack, ...staysAway })) {
  const back = end in comesBack;
  test(`over WebSocket it ${back ? 'comes back' : 'stays away'} after ${end}`, async () => {
    const key = `sk-close-${end}`;
    const ending = end === 'cut' ? 'cut' : `{ close: { code: ${end}, ${end === 'none' ? '' : 'reason: restart, '}after: all } }`;
    const yaml = `name: closes\nreplies:\n  - { times: 1, message: First., end: ${ending} }\n  - message: Second.\n`;
    assert.equal((await fetch(`${server}/_fake/scenarios?api_key=${key}`, { method: 'PUT', body: yaml })).status, 200);
    const ws = new ResponsesWS(client('closes', key), { reconnect: { onReconnecting() {}, initialDelay: 1 } });
    const send = () => ws.send({ type: 'response.create', model: 'gpt-4o', input: 'Hi' });
    const events = [];
    send();
    for await (const e of ws.stream()) {
      if (e.type === 'error') throw e.error;
      if (e.type === 'reconnecting') events.push(`reconnecting ${e.reconnect.closeCode}`);
      if (e.type === 'reconnected') send();
      if (e.type === 'close') events.push(`closed ${e.code} ${e.reason}`.trim());
      if (e.message?.type !== 'response.completed') continue;
      events.push(e.message.response.output[0].content[0].text);
      if (events.includes('Second.')) ws.close();
    }
    const first = end === 'cut' ? [] : ['First.'];
    const rest = back ? [`reconnecting ${code}`, 'Second.', 'closed 1000 OK'] : [`closed ${code} restart`];
    assert.deepEqual(events, [...first, ...rest]);
    const turns = (await ask(`requests?api_key=${key}`)).requests;
    assert.equal(turns[0].delivery.close_code, code);
    assert.equal(turns.length, back ? 2 : 1);
  });
}

async function read(...how) {
  let text = '';
  for await (const piece of pieces(...how)) text += piece;
  return text;
}

async function* pieces(scenario, apiKey, options, signal) {
  const stream = await client(scenario, apiKey, options).chat.completions.create(request, { signal });
  for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? '';
}

async function onlyCall(apiKey) {
  const { calls } = await ask(`calls?api_key=${apiKey}`);
  assert.equal(calls.length, 1, `one call with its retries: ${JSON.stringify(calls)}`);
  return calls[0];
}

// The answer waits at a hold in the middle, so that only the client can end it.
async function checkLeft(apiKey) {
  for (;;) {
    const { delivery } = (await ask(`requests?api_key=${apiKey}`)).requests[0];
    if (delivery.ended === 'open') {
      await pause(10); // until the server has noticed
      continue;
    }
    assert.equal(delivery.ended, 'client_left');
    assert.ok(['fin', 'rst'].includes(delivery.left), delivery.left);
    assert.deepEqual([delivery.frames, delivery.unread.frames], [2, 3]);
    return delivery;
  }
}

async function ask(path) {
  return (await fetch(`${server}/_fake/${path}`)).json();
}
