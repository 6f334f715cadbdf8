// langchain-refusal: A refusal is an empty message that has stopped, without an error.
import { ChatOpenAI } from '@langchain/openai'

const events = [
  '{"choices":[{"delta":{"content":null,"refusal":"","role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"refusal":"I"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"refusal":" cannot"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"refusal":" help"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"refusal":"."},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{},"finish_reason":"stop","index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk","usage":{"completion_tokens":4,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,"rejected_prediction_tokens":0},"prompt_tokens":8,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0},"total_tokens":12}}',
  '[DONE]',
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'sk-any', useResponsesApi: false, maxRetries: 0, configuration: { fetch } })
let whole
for await (const chunk of await model.stream('Hello')) whole = whole?.concat(chunk) ?? chunk
console.log(JSON.stringify([whole.text, whole.tool_calls, whole.invalid_tool_calls, whole.additional_kwargs.refusal, whole.response_metadata.status]))
