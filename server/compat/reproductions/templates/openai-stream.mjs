// {{.ID}}: {{.User}}
import OpenAI from 'openai'

const events = [
{{- range .Events}}
  '{{.}}',
{{- end}}
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
