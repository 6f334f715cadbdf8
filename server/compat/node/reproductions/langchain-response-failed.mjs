// langchain-response-failed: A failed response is taken for a whole answer.
import { ChatOpenAI } from '@langchain/openai'

const events = [
  '{"response":{"error":null,"id":"resp_1","incomplete_details":null,"model":"gpt-4o-2024-08-06","object":"response","output":[],"status":"in_progress"},"sequence_number":0,"type":"response.created"}',
  '{"response":{"error":null,"id":"resp_1","incomplete_details":null,"model":"gpt-4o-2024-08-06","object":"response","output":[],"status":"in_progress"},"sequence_number":1,"type":"response.in_progress"}',
  '{"item":{"content":[],"id":"msg_1","role":"assistant","status":"in_progress","type":"message"},"output_index":0,"sequence_number":2,"type":"response.output_item.added"}',
  '{"content_index":0,"item_id":"msg_1","output_index":0,"part":{"annotations":[],"logprobs":[],"text":"","type":"output_text"},"sequence_number":3,"type":"response.content_part.added"}',
  '{"content_index":0,"delta":"Do not ","item_id":"msg_1","logprobs":[],"output_index":0,"sequence_number":4,"type":"response.output_text.delta"}',
  '{"response":{"error":{"code":"server_error","message":"The server had an error."},"id":"resp_1","incomplete_details":null,"model":"gpt-4o-2024-08-06","object":"response","output":[],"status":"failed"},"sequence_number":6,"type":"response.failed"}',
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'sk-any', useResponsesApi: true, maxRetries: 0, configuration: { fetch } })
let whole
for await (const chunk of await model.stream('Hello')) whole = whole?.concat(chunk) ?? chunk
console.log(JSON.stringify([whole.text, whole.tool_calls, whole.invalid_tool_calls, whole.additional_kwargs.refusal, whole.response_metadata.status]))
