// openai-unknown-event: A new type of event breaks the stream, and the answer is lost.
import OpenAI from 'openai'

const events = [
  '{"response":{"error":null,"id":"resp_1","incomplete_details":null,"model":"gpt-4o-2024-08-06","object":"response","output":[],"status":"in_progress"},"sequence_number":0,"type":"response.created"}',
  '{"response":{"error":null,"id":"resp_1","incomplete_details":null,"model":"gpt-4o-2024-08-06","object":"response","output":[],"status":"in_progress"},"sequence_number":1,"type":"response.in_progress"}',
  '{"sequence_number":2,"type":"response.brand_new.delta"}',
  '{"item":{"content":[],"id":"msg_1","role":"assistant","status":"in_progress","type":"message"},"output_index":0,"sequence_number":3,"type":"response.output_item.added"}',
  '{"content_index":0,"item_id":"msg_1","output_index":0,"part":{"annotations":[],"logprobs":[],"text":"","type":"output_text"},"sequence_number":4,"type":"response.content_part.added"}',
  '{"content_index":0,"delta":"Hello world","item_id":"msg_1","logprobs":[],"output_index":0,"sequence_number":5,"type":"response.output_text.delta"}',
  '{"content_index":0,"item_id":"msg_1","logprobs":[],"output_index":0,"sequence_number":6,"text":"Hello world","type":"response.output_text.done"}',
  '{"content_index":0,"item_id":"msg_1","output_index":0,"part":{"annotations":[],"logprobs":[],"text":"Hello world","type":"output_text"},"sequence_number":7,"type":"response.content_part.done"}',
  '{"item":{"content":[{"annotations":[],"logprobs":[],"text":"Hello world","type":"output_text"}],"id":"msg_1","role":"assistant","status":"completed","type":"message"},"output_index":0,"sequence_number":8,"type":"response.output_item.done"}',
  '{"response":{"error":null,"id":"resp_1","incomplete_details":null,"model":"gpt-4o-2024-08-06","object":"response","output":[{"content":[{"annotations":[],"logprobs":[],"text":"Hello world","type":"output_text"}],"id":"msg_1","role":"assistant","status":"completed","type":"message"}],"status":"completed"},"sequence_number":9,"type":"response.completed"}',
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const client = new OpenAI({ apiKey: 'sk-any', maxRetries: 0, fetch })
try {
  const response = await client.responses.stream({ model: 'gpt-4o', input: 'Hello' }).finalResponse()
  console.log(response.output_text)
} catch (error) {
  console.log(String(error))
}
