// CommonJS, for jest.
const { afterAll, beforeAll, expect, test } = require('@jest/globals')
const OpenAI = require('openai')
const { startFake } = require('fakeopenai')
const { verifyEach } = require('fakeopenai/jest')

let fake
beforeAll(async () => {
  fake = await startFake({ yaml: 'name: rain\nmessage: It is raining.', speed: 'instant' })
})
afterAll(() => fake.close())
verifyEach(() => fake)

test('rain', async () => {
  const client = new OpenAI({ baseURL: fake.baseURL, apiKey: fake.apiKey })
  const answer = await client.responses.create({ model: 'gpt-4o', input: 'How is the weather?' })
  expect(answer.output_text).toBe('It is raining.')
  await expect(fake).toHaveAnswered({ user: 'weather', scenario: 'rain' })
  await expect(fake).toHaveNoUnexpectedRequests()
})
