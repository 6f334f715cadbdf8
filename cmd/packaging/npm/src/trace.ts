/**
 * Gives the errors of an async method the stack of its caller, as a decorator or around a function. What fails after
 * an answer of the server came, or after a file was read, has no line of the test in its own stack.
 */
export function traced<This, A extends unknown[], R>(method: (this: This, ...args: A) => Promise<R>): (this: This, ...args: A) => Promise<R> {
  return function called(this: This, ...args: A): Promise<R> {
    const here = caller(called)
    return method.apply(this, args).catch(error => {
      throw at(error, here)
    })
  }
}

/** Returns the stack above a function, from its caller on. */
export function caller(of: Function): string {
  const here = { stack: '' }
  Error.captureStackTrace(here, of)
  return here.stack.slice(here.stack.indexOf('\n'))
}

/** Sets the stack of an error. */
export function at<E>(error: E, stack: string): E {
  if (error instanceof Error) error.stack = `${error.name}: ${error.message}${stack}`
  return error
}
