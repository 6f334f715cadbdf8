import { describeRequest } from './evidence.js'
import type { Fake } from './fake.js'
import { checkOptions } from './sources.js'
import type { Entry } from './wire.js'

/** What a request that was answered must be like. What is left out can be anything. */
export interface Expected {
  /** The model that the request named. */
  model?: string | RegExp
  /** A part of the last message of the user, or of the input or prompt. */
  user?: string | RegExp
  /** The scenario that answered. */
  scenario?: string
  /** The path of the request. */
  path?: string | RegExp
  /** The status of the answer. */
  status?: number
}

/** What a matcher of vitest and jest returns. */
interface Verdict {
  pass: boolean
  message: () => string
}

/** Matchers for `expect.extend` of vitest and jest. */
export const matchers = {
  /** Holds if a scenario answered a request that is like this. */
  async toHaveAnswered(fake: Fake, expected: Expected = {}): Promise<Verdict> {
    checkOptions('toHaveAnswered', expected, ['model', 'user', 'scenario', 'path', 'status'])
    const requests = await checked(fake, 'toHaveAnswered').requests()
    const found = requests.filter(request => isLike(request, expected))
    return {
      pass: found.length > 0,
      message: () =>
        found.length > 0
          ? `expected no answer to a request like ${shown(expected)}, but there was\n${list(found)}`
          : `expected an answer to a request like ${shown(expected)}, but there was\n${list(requests)}`,
    }
  },

  /** Holds if a scenario answered every request. */
  async toHaveNoUnexpectedRequests(fake: Fake): Promise<Verdict> {
    const found = await checked(fake, 'toHaveNoUnexpectedRequests').unmatched()
    return {
      pass: found.length === 0,
      message: () =>
        found.length > 0 ? `expected no unexpected requests, but there was\n${list(found)}` : 'expected an unexpected request, but there was none',
    }
  },
}

/** Returns the fake, or throws an error if it is something else. Another copy of this package has a class of its own. */
function checked(fake: Fake, matcher: string): Fake {
  if (typeof fake?.unmatched === 'function') return fake
  throw new Error(`${matcher} is for what startFake, forTest or connectFake returns, not for ${JSON.stringify(fake)}`)
}

function isLike(request: Entry, expected: Expected): boolean {
  return (
    request.scenario !== undefined &&
    (expected.model === undefined || fits(request.model ?? '', expected.model, true)) &&
    (expected.user === undefined || fits(userText(request.body), expected.user, false)) &&
    (expected.path === undefined || fits(request.path, expected.path, true)) &&
    (expected.scenario === undefined || request.scenario === expected.scenario) &&
    (expected.status === undefined || request.status === expected.status)
  )
}

function fits(text: string, expected: string | RegExp, whole: boolean): boolean {
  if (expected instanceof RegExp) return expected.test(text)
  return whole ? text === expected : text.includes(expected)
}

/** Returns the text of the last message of the user, or of the input or prompt. */
function userText(body: unknown): string {
  const { messages, input, prompt } = (body ?? {}) as Record<string, unknown>
  const said = messages ?? input ?? prompt
  if (!Array.isArray(said)) return textOf(said)
  const last = said.findLast(message => message?.role === 'user')
  return last === undefined ? said.map(textOf).join('\n') : textOf(last.content)
}

/** Returns the text of a message's content: itself, or its parts with a text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (typeof part === 'string' ? part : typeof part?.text === 'string' ? part.text : '')).join('\n')
}

function shown(expected: Expected): string {
  return JSON.stringify(expected, (_, value) => (value instanceof RegExp ? String(value) : value))
}

function list(requests: Entry[]): string {
  return requests.length === 0 ? 'no request' : requests.map(request => describeRequest(request)).join('\n')
}
