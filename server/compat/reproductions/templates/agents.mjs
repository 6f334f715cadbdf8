// {{.ID}}: {{.User}}
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import OpenAI from 'openai'

const events = [
{{- range .Events}}
  '{{.}}',
{{- end}}
]
const body = events.map((data) => `data: ${data}\n\n`).join('')
const fetch = async () => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
const openAIClient = new OpenAI({ apiKey: 'sk-any', maxRetries: 0, fetch })
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: {{.Responses}} }), tracingDisabled: true })
const run = await runner.run(new Agent({ name: 'clerk', model: 'gpt-4o' }), 'Hello', { stream: true })
await run.completed
console.log(JSON.stringify(['final output', run.finalOutput]))
