import { createInterface } from 'node:readline'
import OpenAI from 'openai'

for await (const line of createInterface({ input: process.stdin })) {
  const { surface, base_url: baseURL, api_key: apiKey, request } = JSON.parse(line)
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, timeout: 5000 })
  let outcome
  try {
    if (surface === 'chat') outcome = ofChat(await client.chat.completions.stream(request).finalChatCompletion())
    else if (surface === 'responses') outcome = ofResponse(await client.responses.stream(request).finalResponse())
    else outcome = { skip: `the adapter does not ask for ${surface}` }
  } catch (error) {
    outcome = { error: String(error) }
  }
  console.log(JSON.stringify(outcome))
}

function ofChat({ choices: [choice], usage }) {
  const { content, refusal, tool_calls: calls } = choice.message
  return { text: content ?? '', refusal: refusal ?? '', calls: (calls ?? []).map(ofCall), finish: choice.finish_reason, usage }
}

function ofCall({ id, function: f }) {
  return { id, name: f.name, arguments: f.arguments }
}

function ofResponse({ status, error, output, output_text: text, incomplete_details: why }) {
  if (status === 'failed') return { error: error.message }
  const parts = output.flatMap((item) => item.content ?? [])
  const calls = output.filter((item) => item.type === 'function_call')
  const usual = calls.length > 0 ? 'tool_calls' : 'stop'
  return {
    text: text ?? '',
    refusal: parts.filter((part) => part.type === 'refusal').map((part) => part.refusal).join(''),
    calls: calls.map(({ call_id: id, name, arguments: args }) => ({ id, name, arguments: args })),
    finish: status === 'incomplete' ? { max_output_tokens: 'length', content_filter: 'content_filter' }[why.reason] : usual,
  }
}
