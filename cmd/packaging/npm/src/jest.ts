import { afterEach, expect } from '@jest/globals'
import type { Fake } from './fake.js'
import { matchers, type Expected } from './matchers.js'
import { caller } from './trace.js'
import { verifyAfter } from './verify.js'

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
 * `forTest` was not asked for. A test that failed before fails once: its error says that, too.
 * A fake that starts later is given as a function.
 */
export function verifyEach(fake: Fake | (() => Fake)): void {
  const stack = caller(verifyEach)
  afterEach(() => verifyAfter(fake, stack, errorsOfTest()))
}

/** Returns the errors of the test that ran, which jest-circus keeps and passes to no hook; undefined under another runner. */
function errorsOfTest(): unknown[] | undefined {
  const key = Object.getOwnPropertySymbols(globalThis).find(symbol => symbol.description === 'JEST_STATE_SYMBOL')
  return key && (globalThis as any)[key]?.currentlyRunningTest?.errors?.flat()
}
