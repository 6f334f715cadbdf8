import type { Fake } from './fake.js'

/**
 * Throws the error of `fake.verify` after a test. If the test has failed already, its first error says the same in its
 * message, so that one request that no scenario answers is one failure.
 */
export async function verifyAfter(fake: Fake | (() => Fake), stack: string, errors: readonly unknown[] = []): Promise<void> {
  try {
    await (typeof fake === 'function' ? fake() : fake).verifyFrom(stack)
  } catch (error) {
    const first = errors.find(Boolean) as Error | undefined
    if (first === undefined) throw error
    const { message, stack } = first // the stack has the message that the error has when it is first read
    first.message = `${message}\n\n${(error as Error).message}`
    if (stack !== undefined) first.stack = stack.replace(message, () => first.message)
  }
}
