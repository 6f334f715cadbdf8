// Code under test: what an application does with each client.
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents'
import { streamText } from 'ai'
import OpenAI from 'openai'

/** Asks with the package openai, streamed. */
export async function askOpenAI({ baseURL, apiKey }, question) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const stream = await client.chat.completions.create({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: question }] })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  return text
}

/** Asks with the package ai. */
export async function askAI({ baseURL, apiKey }, question) {
  const provider = createOpenAI({ baseURL, apiKey })
  return await streamText({ model: provider('gpt-4o'), prompt: question, maxRetries: 0 }).text
}

/** Asks with the package @openai/agents. */
export async function askAgent({ baseURL, apiKey }, question) {
  setTracingDisabled(true)
  setDefaultOpenAIClient(new OpenAI({ baseURL, apiKey, maxRetries: 0 }))
  const result = await run(new Agent({ name: 'weather', model: 'gpt-4o' }), question)
  return result.finalOutput
}
