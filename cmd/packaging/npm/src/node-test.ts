import { afterEach } from 'node:test'
import type { Fake } from './fake.js'
import { caller } from './trace.js'
import { verifyAfter } from './verify.js'

/**
 * Fails each test after which `fake.verify` throws: a request was unexpected, or a reply of
 * `forTest` was not asked for. A test that failed before fails once: its error says that, too.
 * A fake that starts later is given as a function.
 */
export function verifyEach(fake: Fake | (() => Fake)): void {
  const stack = caller(verifyEach)
  afterEach(() => verifyAfter(fake, stack))
}
