// Each of these tests must fail, with a message that says why.
import { afterAll, expect, test } from 'vitest'
import { connectFake, startFake } from 'fakeopenai'
import { verifyEach } from 'fakeopenai/vitest'
import { askOpenAI } from './clients.mjs'

const fake = await startFake({ scenarios: 'weather.yaml' })
verifyEach(fake)
afterAll(() => fake.close())

test('an unexpected request', async () => {
  await askOpenAI(fake, 'What is the time?').catch(() => {})
})

test('an unused reply', async () => {
  await using mine = await fake.forTest({ yaml: 'name: snow\nwhen: { user: snow }\nmessage: It snows.' })
})

test('a request that was not answered', async () => {
  await expect(fake).toHaveAnswered({ user: 'rain' })
})

test('a mistake in a scenario', async () => {
  await fake.forTest({ yaml: 'name: snow\nmesage: It snows.' })
})

test('a mistake at the start', async () => {
  await startFake({ yaml: 'name: snow\nmesage: It snows.' })
})

test('a file that is not there', async () => {
  await startFake({ scenarios: 'missing.yaml' })
})

test('a flag that is not there', async () => {
  await startFake({ args: ['--snow'] })
})

test('too little time', async () => {
  await startFake({ startTimeout: 1 })
})

test('a server that is gone', async () => {
  const gone = await startFake()
  await gone.close()
  await gone.requests()
})

test('no server', () => {
  connectFake()
})
