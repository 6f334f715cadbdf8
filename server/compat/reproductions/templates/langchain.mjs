// {{.ID}}: {{.User}}
import { ChatOpenAI } from '@langchain/openai'

const events = [
{{- range .Events}}
  '{{.}}',
{{- end}}
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'sk-any', useResponsesApi: {{.Responses}}, maxRetries: 0, configuration: { fetch } })
let whole
for await (const chunk of await model.stream('Hello')) whole = whole?.concat(chunk) ?? chunk
console.log(JSON.stringify([whole.text, whole.tool_calls, whole.invalid_tool_calls, whole.additional_kwargs.refusal, whole.response_metadata.status]))
