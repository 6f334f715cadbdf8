// ai-open-after-done: The answer is there and ended, but the client waits until its time limit, and then reports an error.
import { createOpenAI } from '@ai-sdk/openai'
import { streamText } from 'ai'

const events = [
  '{"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":"Hello"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":" world"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{},"finish_reason":"stop","index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk","usage":{"completion_tokens":2,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,"rejected_prediction_tokens":0},"prompt_tokens":8,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0},"total_tokens":10}}',
  '[DONE]',
]
const bytes = new TextEncoder().encode(events.map((data) => `data: ${data}\n\n`).join(''))
const body = new ReadableStream({ start: (connection) => connection.enqueue(bytes) }) // it is not closed
setInterval(() => {}, 1000) // nor does the program end
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const model = createOpenAI({ apiKey: 'sk-any', fetch }).chat('gpt-4o')
const { fullStream } = streamText({ model, prompt: 'Hello', maxRetries: 0, timeout: 3000, onError: () => {} })
const types = []
for await (const part of fullStream) types.push(part.type)
console.log(types.at(-1))
process.exit()
