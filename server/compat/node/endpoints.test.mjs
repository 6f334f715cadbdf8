// Speech, transcriptions, images, files, vector stores, batches and stored chat completions. FAKEOPENAI_URL is a
// server that plays the bundled endpoints, and one message.
import assert from 'node:assert/strict';
import test from 'node:test';
import OpenAI, { toFile } from 'openai';
import { server } from './client.mjs';

const openai = new OpenAI({ baseURL: `${server}/v1`, apiKey: 'sk-endpoints', maxRetries: 0 });
const sound = () => toFile(Buffer.from('ID3'), 'hello.mp3');
const picture = (name) => toFile(Buffer.from('PNG'), name, { type: 'image/png' });

async function all(stream) {
  const list = [];
  for await (const event of stream) list.push(event);
  return list;
}

test('speech', async () => {
  const asked = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello' };
  const whole = await openai.audio.speech.create(asked);
  assert.equal(whole.headers.get('content-type'), 'audio/mpeg');
  const mp3 = Buffer.from(await whole.arrayBuffer());
  assert.deepEqual([...mp3.subarray(0, 2)], [0xff, 0xfb]);
  const wav = Buffer.from(await (await openai.audio.speech.create({ ...asked, response_format: 'wav' })).arrayBuffer());
  assert.equal(wav.readUInt32LE(4), wav.length - 8);

  const events = await (await openai.audio.speech.create({ ...asked, stream_format: 'sse' })).text();
  const parts = events.split('\n\n').filter(Boolean).map((event) => JSON.parse(event.slice('data: '.length)));
  assert.deepEqual(parts.map(({ type }) => type), ['speech.audio.delta', 'speech.audio.delta', 'speech.audio.done']);
  assert.deepEqual(Buffer.concat(parts.slice(0, 2).map(({ audio }) => Buffer.from(audio, 'base64'))), mp3);
});

test('transcriptions', async () => {
  const ask = async (more) => openai.audio.transcriptions.create({ file: await sound(), model: 'whisper-1', ...more });
  assert.equal((await ask({})).text, 'Hello there.');
  const verbose = await ask({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] });
  assert.deepEqual([verbose.duration, verbose.words[1].word, verbose.segments[0].end], [1.2, 'there', 1.2]);
  assert.equal(await ask({ response_format: 'text' }), 'Hello there.\n');
  assert.match(await ask({ response_format: 'srt' }), /^1\n00:00:00,000 --> /);
  assert.match(await ask({ response_format: 'vtt' }), /^WEBVTT\n\n/);
  const events = await all(await ask({ stream: true }));
  assert.deepEqual(events.map(({ type }) => type), ['transcript.text.delta', 'transcript.text.delta', 'transcript.text.done']);
  assert.equal(events[0].delta + events[1].delta, events[2].text);
});

test('translations', async () => {
  assert.equal((await openai.audio.translations.create({ file: await sound(), model: 'whisper-1' })).text, 'Good morning.');
});

test('images', async () => {
  const asked = { model: 'gpt-image-1', prompt: 'a red dot' };
  const { data, usage } = await openai.images.generate(asked);
  assert.equal(Buffer.from(data[0].b64_json, 'base64').subarray(1, 4).toString(), 'PNG');
  assert.equal(usage.total_tokens, 30);
  const events = await all(await openai.images.generate({ ...asked, stream: true, partial_images: 2 }));
  assert.deepEqual(events.map(({ type, partial_image_index }) => [type, partial_image_index]),
    [['image_generation.partial_image', 0], ['image_generation.partial_image', 1], ['image_generation.completed', undefined]]);
  const edited = await openai.images.edit({ ...asked, image: [await picture('a.png'), await picture('b.png')] });
  assert.equal(edited.data[0].b64_json, data[0].b64_json);
  const edits = await all(await openai.images.edit({ ...asked, image: await picture('a.png'), stream: true, partial_images: 2 }));
  assert.equal(edits.at(-1).type, 'image_edit.completed');
});

test('files', async () => {
  const made = await openai.files.create({ file: await toFile(Buffer.from('{"n": 1}\n'), 'notes.jsonl'), purpose: 'batch' });
  assert.deepEqual([made.filename, made.bytes, made.purpose], ['notes.jsonl', 9, 'batch']);
  assert.equal((await openai.files.retrieve(made.id)).id, made.id);
  assert.deepEqual((await all(openai.files.list())).map(({ id }) => id), ['file-1']);
  assert.equal(await (await openai.files.content(made.id)).text(), '{"n": 123}\n');
  assert.deepEqual(await openai.files.delete(made.id), { id: made.id, object: 'file', deleted: true });
});

test('vector stores', async () => {
  const store = await openai.vectorStores.create({ name: 'notes' });
  assert.equal(store.name, 'notes');
  const file = await openai.vectorStores.files.createAndPoll(store.id, { file_id: 'file-node' });
  assert.deepEqual([file.id, file.status], ['file-node', 'completed']);
  const found = await all(openai.vectorStores.search(store.id, { query: 'How do I get a new password?' }));
  assert.equal(found[0].content[0].text, 'A password is reset by mail.');
});

test('batches', async () => {
  const made = await openai.batches.create({ input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' });
  assert.equal(made.status, 'validating');
  assert.equal((await openai.batches.retrieve(made.id)).status, 'in_progress');
  const done = await openai.batches.retrieve(made.id);
  assert.deepEqual([done.status, done.output_file_id], ['completed', 'file-2']);
  assert.equal((await all(openai.batches.list()))[0].id, made.id);
  assert.equal((await openai.batches.cancel(made.id)).status, 'cancelling');
});

test('stored chat completions', async () => {
  const { completions } = openai.chat;
  const made = await completions.create({ model: 'gpt-4o', store: true, metadata: { topic: 'greeting' }, messages: [{ role: 'user', content: 'Hello' }] });
  assert.deepEqual((await all(completions.list({ metadata: { topic: 'greeting' } }))).map(({ id }) => id), [made.id]);
  assert.equal((await completions.retrieve(made.id)).choices[0].message.content, made.choices[0].message.content);
  assert.deepEqual((await completions.update(made.id, { metadata: { topic: 'other' } })).metadata, { topic: 'other' });
  assert.equal((await all(completions.messages.list(made.id)))[0].content, 'Hello');
  assert.equal((await completions.delete(made.id)).deleted, true);
});
