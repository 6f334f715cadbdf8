import { afterEach } from 'node:test'
import type { Fake } from './fake.js'

/**
 * Fails each test after which `fake.verify` throws: a request was unexpected, or a reply of
 * `forTest` was not asked for. A fake that starts later is given as a function.
 */
export function verifyEach(fake: Fake | (() => Fake)): void {
  afterEach(() => (typeof fake === 'function' ? fake() : fake).verify())
}
