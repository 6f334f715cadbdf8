// agents-cut: A stream that broke off is the final output of the run.
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import OpenAI from 'openai'

const events = [
  '{"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":"Do"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"content":" not"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const openAIClient = new OpenAI({ apiKey: 'sk-any', maxRetries: 0, fetch })
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: false }), tracingDisabled: true })
const run = await runner.run(new Agent({ name: 'clerk', model: 'gpt-4o' }), 'Hello', { stream: true })
await run.completed
console.log(JSON.stringify(['final output', run.finalOutput]))
