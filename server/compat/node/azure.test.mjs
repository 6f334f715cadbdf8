// The openai package's client for Azure, which sends the header Api-Key and an api-version, and
// has paths without /v1. FAKEOPENAI_URL is a server that plays responses.yaml.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AzureOpenAI } from 'openai';
import { client, server } from './client.mjs';

function azure(scenario, apiKey) {
  return new AzureOpenAI({
    endpoint: server, apiKey, apiVersion: '2025-04-01-preview', maxRetries: 0,
    defaultHeaders: { 'X-Fakeopenai-Scenario': scenario },
  });
}

const question = { model: 'my-deployment', input: 'Tell me a story.' };

test('a response is created, streamed and retrieved', async () => {
  const openai = azure('text', 'sk-azure-responses');
  const created = await openai.responses.create(question);
  assert.equal(created.output_text, 'Once upon a time.');
  assert.ok(Array.isArray(created.content_filters), 'the layout is that of Azure');
  const retrieved = await openai.responses.retrieve(created.id);
  assert.deepEqual(retrieved.output, created.output);
  let text = '';
  for await (const event of await openai.responses.create({ ...question, stream: true })) {
    if (event.type === 'response.output_text.delta') text += event.delta;
  }
  assert.equal(text, 'Once upon a time.');
  await assert.rejects(azure('text', 'sk-azure-other').responses.retrieve(created.id), { status: 404 });
});

test('a conversation takes up the items of a response', async () => {
  const openai = azure('text', 'sk-azure-conversations');
  const { id } = await openai.conversations.create({ metadata: { topic: 'stories' } });
  await openai.responses.create({ ...question, conversation: id });
  const texts = [];
  for await (const item of openai.conversations.items.list(id, { order: 'asc' })) texts.push([item.role, item.content[0].text]);
  assert.deepEqual(texts, [['user', question.input], ['assistant', 'Once upon a time.']]);
  assert.deepEqual((await openai.conversations.retrieve(id)).metadata, { topic: 'stories' });
  assert.deepEqual((await openai.conversations.update(id, { metadata: {} })).metadata, {});
  assert.ok((await openai.conversations.delete(id)).deleted);
  await assert.rejects(openai.conversations.retrieve(id), { status: 404 });
});

test('the models are those of the other paths', async () => {
  const ids = async (openai) => (await openai.models.list()).data.map(({ id }) => id);
  const models = await ids(azure('text', 'sk-azure-models'));
  assert.ok(models.includes('fake:text'), `the models are ${models}`);
  assert.deepEqual(models, await ids(client('text', 'sk-azure-models')));
});
