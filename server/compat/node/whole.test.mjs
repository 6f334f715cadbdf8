// Embeddings, which the openai package asks for in base64, and moderations. FAKEOPENAI_URL is a server
// that plays whole.yaml.
import assert from 'node:assert/strict';
import test from 'node:test';
import OpenAI from 'openai';
import { server } from './client.mjs';

const openai = new OpenAI({ baseURL: `${server}/v1`, apiKey: 'sk-whole', maxRetries: 0 });

test('vectors are as near as the scenario says', async () => {
  const { data, usage } = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['How do I get a new password?', 'Password reset'] });
  const [a, b] = data.map(({ embedding }) => embedding);
  assert.equal(a.length, 2);
  assert.ok(Math.abs(a.reduce((sum, x, i) => sum + x * b[i], 0) - 0.93) < 1e-4);
  assert.equal(usage.total_tokens, 10);
  const numbers = await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'Password reset', encoding_format: 'float' });
  assert.deepEqual(numbers.data[0].embedding, b);
});

test('an input is flagged', async () => {
  const { results } = await openai.moderations.create({ input: ['kill it', 'hug it'] });
  assert.deepEqual(results.map(({ flagged, categories }) => [flagged, categories.violence]), [[true, true], [false, false]]);
});

test('an empty input is refused', async () => {
  await assert.rejects(openai.embeddings.create({ model: 'text-embedding-3-small', input: '' }), { status: 400 });
});
