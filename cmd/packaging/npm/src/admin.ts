import { withPaths, type File } from './sources.js'
import type { LoadError } from './wire.js'

/** The endpoints below /_fake/, of one API key or of all. */
export class Admin {
  constructor(
    readonly url: string,
    private readonly token?: string,
    private readonly apiKey?: string,
    /** Scenarios that were objects, whose places in messages are paths. */
    private readonly files: readonly File[] = [],
  ) {}

  /** Returns the endpoints for one API key, whose scenarios are these. */
  forKey(apiKey: string, files: readonly File[] = []): Admin {
    return new Admin(this.url, this.token, apiKey, [...files, ...this.files])
  }

  /** Writes the places in a message as the author of the scenarios knows them. */
  said(message: string): string {
    return withPaths(message, this.files)
  }

  /** Asks an endpoint, and returns its JSON, or undefined where it answers with nothing. */
  async ask<T>(method: string, path: string, query: Record<string, string> = {}, body?: FormData): Promise<T> {
    const answer = await this.send(method, path, query, body)
    const text = await answer.text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Asks an endpoint for bytes. */
  async bytes(path: string): Promise<Uint8Array> {
    const answer = await this.send('GET', path, {})
    return new Uint8Array(await answer.arrayBuffer())
  }

  private async send(method: string, path: string, query: Record<string, string>, body?: FormData): Promise<Response> {
    const url = new URL(`/_fake/${path}`, this.url)
    if (this.apiKey !== undefined) url.searchParams.set('api_key', this.apiKey)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const headers: Record<string, string> = this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }
    let answer: Response
    try {
      answer = await fetch(url, { method, headers, body: body ?? null })
    } catch (error) {
      throw new Error(`fakeopenai does not answer at ${this.url}: ${reason(error)}`)
    }
    if (!answer.ok) throw new Error(`fakeopenai: ${this.said(await problem(answer))}`)
    return answer
  }
}

/** Says why a fetch failed: the message of fetch itself is only "fetch failed". */
function reason(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}

/** Says what an answer that is an error says, each mistake of a scenario on a line of its own. */
async function problem(answer: Response): Promise<string> {
  const text = await answer.text()
  let body: Partial<LoadError>
  try {
    body = JSON.parse(text)
  } catch {
    return `${answer.status} ${text}`
  }
  if (!body.diagnostics?.length) return body.error?.message ?? `${answer.status} ${text}`
  const lines = body.diagnostics.map(d => {
    const place = [d.file, d.line, d.column].filter(Boolean).join(':')
    return `\n${place ? `${place}: ` : ''}${d.message}${d.hint ? ` (${d.hint})` : ''}`
  })
  return lines.length === 1 ? lines[0]!.trim() : `${lines.length} mistakes in the scenarios:${lines.join('')}`
}
