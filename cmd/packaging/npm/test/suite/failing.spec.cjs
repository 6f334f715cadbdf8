// Each of these tests must fail once, for jest.
const { afterAll, beforeAll, expect, test } = require('@jest/globals')
const { startFake } = require('fakeopenai')
const { verifyEach } = require('fakeopenai/jest')

let fake
beforeAll(async () => {
  fake = await startFake({ yaml: 'name: rain\nwhen: { user: rain }\nmessage: It is raining.' })
})
afterAll(() => fake.close())
verifyEach(() => fake)

async function ask() {
  const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'sun' }] })
  return (await fetch(fake.baseURL + '/chat/completions', { method: 'POST', body })).status
}

test('an unexpected request of a test that fails', async () => {
  expect(await ask()).toBe(200)
})

test('an unexpected request', async () => {
  await ask()
})
