import type { UnusedReply } from './fake.js'
import type { Entry } from './wire.js'

/** How many characters of a body or an answer an error shows. */
const shown = 2000

/** Describes a request and its answer for the message of an error. */
export function describeRequest(request: Entry, transcript?: Uint8Array): string {
  const lines = [`request ${request.id}: ${request.method} ${request.path}, answered with ${request.status}`]
  if (request.problem) lines.push(`  ${request.problem}`)
  if (request.body !== undefined) lines.push(`  body: ${cut(JSON.stringify(request.body))}`)
  if (transcript?.length) lines.push(`  answer: ${cut(indented(new TextDecoder().decode(transcript)))}`)
  return lines.join('\n')
}

/** Describes a reply that no request asked for. */
export function describeReply(reply: UnusedReply): string {
  const when = reply.when.length === 0 ? '' : `, when ${reply.when.join(' and ')}`
  return `no request asked for reply ${reply.reply + 1} of scenario ${JSON.stringify(reply.scenario)} (${reply.source})${when}`
}

function cut(text: string): string {
  return text.length <= shown ? text : `${text.slice(0, shown)}… (${text.length - shown} more characters)`
}

function indented(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n  ')
}
