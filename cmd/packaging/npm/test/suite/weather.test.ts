import { afterAll, describe, expect, test } from 'vitest'
import { startFake, type Scenario } from 'fakeopenai'
import { verifyEach } from 'fakeopenai/vitest'
import { askAgent, askAI, askOpenAI } from './clients.mjs'

const fake = await startFake({ scenarios: 'weather.yaml' })
verifyEach(fake)
afterAll(() => fake.close())

test('a stream waits at a hold until the test releases it', async () => {
  const answer = askOpenAI(fake, 'How is the weather?')
  const { waiting } = await fake.hold('middle').wait()
  expect(waiting).toHaveLength(1)
  await fake.hold('middle').release()
  expect(await answer).toBe('It is raining.')
  const request = await fake.awaitRequest()
  expect(new TextDecoder().decode(await fake.transcript(request.id))).toContain('data: [DONE]')
  await expect(fake).toHaveAnswered({ model: 'gpt-4o', user: 'weather', scenario: 'weather', status: 200 })
  await expect(fake).toHaveAnswered({ user: /^How/, path: /completions$/ })
  await expect(fake).not.toHaveAnswered({ user: 'snow' })
  await expect(fake).toHaveNoUnexpectedRequests()
  expect(await fake.unused()).toEqual([])
})

describe.concurrent('each test has scenarios of its own', () => {
  const sunny: Scenario = { name: 'weather', message: 'The sun shines.' }
  test('as YAML', async () => {
    await using mine = await fake.forTest({ yaml: 'name: weather\nmessage: It snows.' })
    expect(await askOpenAI(mine, 'How is the weather?')).toBe('It snows.')
  })
  test('as the server has them', async () => {
    await using mine = await fake.forTest()
    const answer = askOpenAI(mine, 'How is the weather?')
    await mine.hold('middle').release()
    expect(await answer).toBe('It is raining.')
  })
  test('as an object, with the package ai', async () => {
    await using mine = await fake.forTest({ scenarios: sunny })
    expect(await askAI(mine, 'How is the weather?')).toBe('The sun shines.')
  })
  test('with @openai/agents', async () => {
    await using mine = await fake.forTest({ scenarios: [sunny] })
    expect(await askAgent(mine, 'How is the weather?')).toBe('The sun shines.')
    expect((await mine.requests()).map(request => request.path)).toEqual(['/v1/responses'])
  })
  test('from a file, with a retry', async () => {
    await using mine = await fake.forTest({
      yaml: 'name: flaky\nreplies:\n  - { times: 1, error: { status: 429, retry_after: 10ms } }\n  - message: At last.',
    })
    const { default: OpenAI } = await import('openai')
    const answer = await new OpenAI({ ...options(mine), maxRetries: 1 }).chat.completions.create({
      model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }],
    })
    expect(answer.choices[0]!.message.content).toBe('At last.')
    const [call] = await mine.calls()
    expect(call!.attempts.map(attempt => attempt.status)).toEqual([429, 200])
    expect(call!.attempts[1]!.verdict).not.toBe('early')
  })
})

function options({ baseURL, apiKey }: { baseURL: string; apiKey: string }) {
  return { baseURL, apiKey }
}
