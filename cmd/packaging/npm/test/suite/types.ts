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

export async function example(): Promise<Entry[]> {
  await using fake: Fake = await startFake({ scenarios: ['scenarios/', scenario], yaml: 'name: x', speed: 'instant' })
  // @ts-expect-error: an option that is not there
  await startFake({ scenario: 'x' })
  await connectFake({ url: fake.url }).hold('x').wait({ timeout: 10 })
  void [mistake, wrong]
  return fake.unmatched()
}
