// Compiled with --strict, and not run.
import { connectFake, startFake, type Entry, type Fake, type Scenario } from 'fakeopenai'
import type {} from 'fakeopenai/vitest'

const scenario: Scenario = {
  name: 'weather',
  when: { user: { contains: 'weather' } },
  stream: [{ role: 'assistant' }, { content: 'Hi' }, { wait: '300ms' }, { finish: 'stop' }],
  end: { cut: { after: 2 } },
}
// @ts-expect-error: a key that is not in the language
const mistake: Scenario = { name: 'weather', mesage: 'Hi' }
// @ts-expect-error: a finish reason is a text
const wrong: Scenario = { name: 'weather', stream: [{ finish: 3 }] }

// @ts-expect-error: a duration has a unit
const unitless: Scenario = { name: 'weather', message: 'Hi', pace: { every: '20' } }
// @ts-expect-error: a duration has a unit that there is
const unknown: Scenario = { name: 'weather', message: 'Hi', pace: { first: '2 seconds' } }
const timed: Scenario = { name: 'weather', message: 'Hi', pace: { first: '1m30s', every: '2.5ms', jitter: 0 }, end: { stall: { after: 2, for: '1h' } } }
const half: Scenario = { name: 'weather', replies: [{ chance: '50%', error: 503 }, { chance: 0.5, message: 'Hi' }, 'Hello'] }

export async function example(): Promise<Entry[]> {
  await using fake: Fake = await startFake({ scenarios: ['scenarios/', scenario], yaml: 'name: x', speed: 'instant' })
  // @ts-expect-error: an option that is not there
  await startFake({ scenario: 'x' })
  await connectFake({ url: fake.url }).hold('x').wait({ timeout: 10 })
  void [mistake, wrong, unitless, unknown, timed, half]
  return fake.unmatched()
}
