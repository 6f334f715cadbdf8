// How the openai package retries, and how it leaves a stream. FAKEOPENAI_URL is a server
// that plays calls.yaml; its report on calls is compared.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
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
