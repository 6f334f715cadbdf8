// agents-length: An answer that was cut at the limit of tokens is the final output of the run, and nothing says that it was cut.
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import OpenAI from 'openai'

const events = [
  '{"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":"Do"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":" not"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":" press"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":" the"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{},"finish_reason":"length","index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk","usage":{"completion_tokens":4,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,"rejected_prediction_tokens":0},"prompt_tokens":8,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0},"total_tokens":12}}',
  '[DONE]',
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const openAIClient = new OpenAI({ apiKey: 'sk-any', maxRetries: 0, fetch })
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }), tracingDisabled: true })
const run = await runner.run(new Agent({ name: 'clerk', model: 'gpt-4o' }), 'Hello', { stream: true })
await run.completed
console.log(JSON.stringify(['final output', run.finalOutput]))
