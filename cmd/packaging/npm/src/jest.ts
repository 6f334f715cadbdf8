import { afterEach, expect } from '@jest/globals'
import type { Fake } from './fake.js'
import { matchers, type Expected } from './matchers.js'

expect.extend(matchers as unknown as Parameters<typeof expect.extend>[0])

interface FakeMatchers<R> {
  /** Holds if a scenario answered a request that is like this. */
  toHaveAnswered(expected?: Expected): Promise<R>
  /** Holds if a scenario answered every request. */
  toHaveNoUnexpectedRequests(): Promise<R>
}

declare module 'expect' {
  interface Matchers<R> extends FakeMatchers<R> {}
}

/**
 * Fails each test after which `fake.verify` throws: a request was unexpected, or a reply of
 * `forTest` was not asked for. A fake that starts later is given as a function.
 */
export function verifyEach(fake: Fake | (() => Fake)): void {
  afterEach(() => (typeof fake === 'function' ? fake() : fake).verify())
}
