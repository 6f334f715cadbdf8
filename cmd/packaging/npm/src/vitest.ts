import { afterEach, expect } from 'vitest'
import type { Fake } from './fake.js'
import { matchers, type Expected } from './matchers.js'
import { caller } from './trace.js'
import { verifyAfter } from './verify.js'

expect.extend(matchers)

interface FakeMatchers<R = unknown> {
  /** Holds if a scenario answered a request that is like this. */
  toHaveAnswered(expected?: Expected): Promise<R>
  /** Holds if a scenario answered every request. */
  toHaveNoUnexpectedRequests(): Promise<R>
}

declare module 'vitest' {
  interface Matchers<T = any> extends FakeMatchers<T> {}
}

/**
 * Fails each test after which `fake.verify` throws: a request was unexpected, or a reply of
 * `forTest` was not asked for. A test that failed before fails once: its error says that, too.
 * A fake that starts later is given as a function.
 */
export function verifyEach(fake: Fake | (() => Fake)): void {
  const stack = caller(verifyEach)
  afterEach(({ task }) => verifyAfter(fake, stack, task.result?.errors))
}
