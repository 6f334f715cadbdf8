import type { UnusedReply } from './fake.js'
import type { Entry } from './wire.js'

/** How many characters of a body an error shows. */
const shown = 500

/** What is wrong, in a line, and what was asked. */
export interface Problem {
  line: string
  details: string[]
  /** The stack of the test that it belongs to. */
  stack?: string
}

/** Describes a request and its answer in a line, and its body in another. */
export function describeRequest(request: Entry): string {
  const line = `request ${request.id}: ${lineOf(request)}`
  return request.body === undefined ? line : `${line}\n  body: ${bodyOf(request)}`
}

/** Says that no scenario answered a request. */
export function unexpected(request: Entry): Problem {
  const details = request.body === undefined ? [] : [`request ${request.id} has the body ${bodyOf(request)}`]
  return { line: `unexpected request ${request.id}: ${lineOf(request)}`, details }
}

/** Says that no request asked for a reply. */
export function unusedReply(reply: UnusedReply, requests: readonly Entry[]): Problem {
  const when = reply.when.length === 0 ? '' : `, when ${reply.when.join(' and ')}`
  return {
    line: `no request asked for reply ${reply.reply + 1} of scenario ${JSON.stringify(reply.scenario)} (${reply.source})${when}`,
    details: requests.length === 0 ? ['no request was sent with the API key of the test'] : requests.map(describeRequest),
  }
}

/** Returns an error that says each problem in a line, and then what was asked. */
export function problemError(problems: readonly Problem[]): Error {
  const parts = [problems.map(problem => problem.line), problems.flatMap(problem => problem.details)]
  return new Error(`fakeopenai: ${parts.map(lines => [...new Set(lines)].join('\n')).join('\n\n').trimEnd()}`)
}

function lineOf({ method, path, status, scenario, problem }: Entry): string {
  const by = scenario === undefined ? '' : ` by ${JSON.stringify(scenario)}`
  return `${method} ${path}, answered with ${status}${by}${problem ? `: ${problem}` : ''}`
}

function bodyOf({ body }: Entry): string {
  return cut(JSON.stringify(body))
}

function cut(text: string): string {
  return text.length <= shown ? text : `${text.slice(0, shown)}… (${text.length - shown} more characters)`
}
