// {{.ID}}: {{.User}}
import { createOpenAI } from '@ai-sdk/openai'
import { streamText } from 'ai'

const events = [
{{- range .Events}}
  '{{.}}',
{{- end}}
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
