// langchain-cut-arguments: A tool is offered for running with arguments that were cut: here `delete_folder` with `/home` for `/home/me/tmp`.
import { ChatOpenAI } from '@langchain/openai'

const events = [
  '{"choices":[{"delta":{"content":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"","name":"delete_folder"},"id":"call_a","index":0,"type":"function"}]},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
  '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\\"path\\":\\"/home"},"index":0}]},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}',
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'sk-any', useResponsesApi: false, maxRetries: 0, configuration: { fetch } })
let whole
for await (const chunk of await model.stream('Hello')) whole = whole?.concat(chunk) ?? chunk
console.log(JSON.stringify([whole.text, whole.tool_calls, whole.invalid_tool_calls, whole.additional_kwargs.refusal, whole.response_metadata.status]))
