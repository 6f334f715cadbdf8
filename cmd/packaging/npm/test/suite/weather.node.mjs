import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startFake } from 'fakeopenai'
import { verifyEach } from 'fakeopenai/node-test'
import { askOpenAI } from './clients.mjs'

const fake = await startFake({ yaml: '{ name: rain, message: It is raining. }' })
after(() => fake.close())
verifyEach(fake)

test('rain', async () => {
  assert.equal(await askOpenAI(fake, 'How is the weather?'), 'It is raining.')
})

test('a folder of scenarios', async () => {
  const mine = await fake.forTest({ scenarios: '.' })
  const answer = askOpenAI(mine, 'How is the weather?')
  await mine.hold('middle').release()
  assert.equal(await answer, 'It is raining.')
  await mine.awaitEnd()
  await mine.close()
  await assert.rejects(fake.forTest({ scenarios: 'missing' }), /missing/)
})
