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

test('an unexpected request of a test that fails', async () => {
  await askOpenAI(fake, 'What is the time?')
})

test('an unused reply', async () => {
  await using mine = await fake.forTest({ yaml: 'name: snow\nwhen: { user: snow }\nmessage: It snows.' })
})

test('an unused reply of an object', async () => {
  await using mine = await fake.forTest({ scenarios: { name: 'snow', replies: [{ times: 1, message: 'It snows.' }, { when: { user: 'snow' }, message: 'Snow.' }] } })
  await askOpenAI(mine, 'How is the weather?')
})

test('an unused reply beside a request', async () => {
  await using mine = await fake.forTest({ scenarios: ['weather.yaml', 'snow.txt'] })
  await mine.hold('middle').release()
  await askOpenAI(mine, 'How is the weather?')
})

test('an unexpected request where the server has the bundled scenarios', async () => {
  await using bundled = await startFake()
  await using mine = await bundled.forTest({ yaml: 'name: snow\nwhen: { user: snow }\nmessage: It snows.' })
  await askOpenAI(mine, 'What is the time?').catch(() => {})
  await bundled.verify()
})

test('an unexpected request, without transcripts', async () => {
  await using bare = await startFake({ scenarios: 'weather.yaml', args: ['--transcripts=false'] })
  await askOpenAI(bare, 'What is the time?').catch(() => {})
  await bare.verify()
})

test('a fake of forTest that is not closed', async () => {
  const other = await startFake({ scenarios: 'weather.yaml' })
  await other.forTest({ scenarios: 'snow.txt' })
  await other.verify()
  await other.close()
})

test('a request that was not answered', async () => {
  await expect(fake).toHaveAnswered({ user: 'rain' })
})

test('a matcher for something else', async () => {
  await expect(fake.url).toHaveAnswered()
})

test('a mistake in the options of a matcher', async () => {
  await expect(fake).not.toHaveAnswered({ usr: 'rain' } as object)
})

test('a mistake in the options at the start', async () => {
  await startFake({ scenario: 'weather.yaml' } as object)
})

test('a mistake in the options of a wait', async () => {
  await fake.hold('middle').wait({ timout: 1 } as object)
})

test('a hold that no stream reaches', async () => {
  await using mine = await fake.forTest()
  await mine.hold('middle').wait({ timeout: 10 })
})

test('requests that do not come', async () => {
  await fake.awaitRequest({ count: 99, timeout: 10 })
})

test('a number for a scenario', async () => {
  await fake.forTest({ scenarios: [3 as unknown as string] })
})

test('a mistake in a file of a test', async () => {
  await fake.forTest({ scenarios: ['snow.txt', 'sun.txt'] })
})

test('a mistake in an object', async () => {
  await fake.forTest({ scenarios: ['snow.txt', { name: 'sun', mesage: 'The sun shines.' } as object] })
})

test('a mistake deep in an object', async () => {
  await fake.forTest({ scenarios: { name: 'sun', replies: ['One.', { when: { last: 'x' }, message: 'Two.', pace: { 'x-y': 1 } }] } as object })
})

test('a mistake in an object at the start', async () => {
  await startFake({ scenarios: [{ name: 'sun', message: { contents: 'The sun shines.' } } as object] })
})

test('a file of a test that is not there', async () => {
  await fake.forTest({ scenarios: 'missing.yaml' })
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

test('an address without a scheme', () => {
  connectFake({ url: '127.0.0.1:8080' })
})
