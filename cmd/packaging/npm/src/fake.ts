import { randomBytes } from 'node:crypto'
import type { Admin } from './admin.js'
import { problemError, unexpected, unusedReply, type Problem } from './evidence.js'
import { checkOptions, readAll, type Sources } from './sources.js'
import { at, caller, traced } from './trace.js'
import type { Call, CallList, Entry, Finding, Hold, RequestList, ScenarioInfo, ScenarioList } from './wire.js'

/** How long to wait. */
export interface Wait {
  /** Milliseconds, 10,000 by default. */
  timeout?: number
}

/** A reply that no request was answered with. */
export interface UnusedReply {
  scenario: string
  /** The number of the reply in its scenario, from 0. */
  reply: number
  /** File and line of the scenario. */
  source: string
  /** The conditions of scenario and reply, in words. */
  when: string[]
}

/** A named place where streams wait until the test releases them. */
export interface HoldHandle {
  /** Waits until a stream has reached the hold. */
  wait(options?: Wait): Promise<Hold>
  /** Lets the streams that wait at the hold go on, or the next one that reaches it. */
  release(): Promise<void>
}

/** What a fake needs of the server. */
interface Access {
  admin: Admin
  apiKey: string
  /** Whether the fake is for one test, in which each reply must be asked for. */
  isTest: boolean
  /** Where the test asked for the fake. */
  stack?: string
  /** The scenarios whose replies `unused` looks at. */
  scenarios: () => Promise<ScenarioInfo[]>
  end: () => Promise<void>
}

/**
 * A fake OpenAI API: an API key, the scenarios that are played for it, and the requests that
 * were sent with it. What `startFake` returns sees the requests of all keys.
 */
export class Fake {
  /** The address of the server, without a path: `http://127.0.0.1:43121`. */
  readonly url: string
  /** The base URL for clients: `url` and `/v1`. */
  readonly baseURL: string
  /** Where realtime sessions begin: `ws:`, or `wss:` if the fake speaks TLS, as npm's `openai` needs. */
  readonly realtimeURL: string
  /** The API key for clients. */
  readonly apiKey: string
  readonly #access: Access
  readonly #tests = new Set<Fake>()
  readonly #problems: Problem[] = []
  #given = 0
  #verified = 0
  #verifies = false
  #closed = false

  /** @internal */
  constructor(access: Access) {
    this.#access = access
    this.url = access.admin.url
    this.baseURL = `${this.url}/v1`
    this.realtimeURL = `${this.baseURL.replace(/^http/, 'ws')}/realtime`
    this.apiKey = access.apiKey
  }

  /**
   * Returns a fake for one test, with an API key of its own, for which these scenarios are
   * played before those of the server. Tests can therefore run side by side. The keys of a
   * server that `startFake` started are numbered, so that each test meets the same faults in
   * every run.
   */
  forTest(sources: Sources = {}): Promise<Fake> {
    const stack = caller(this.forTest)
    return this.#forTest(stack, sources).catch(error => {
      throw at(error, stack)
    })
  }

  async #forTest(stack: string, sources: Sources): Promise<Fake> {
    checkOptions('forTest', sources, ['scenarios', 'yaml'])
    const apiKey = `${this.apiKey}-${++this.#given}`
    const texts = await readAll(sources)
    const admin = this.#access.admin.forKey(apiKey, texts)
    const before = new Set((await admin.ask<ScenarioList>('GET', 'scenarios')).scenarios.map(identity))
    const files = new FormData()
    for (const { name, text } of texts) files.append('file', new Blob([text]), name)
    const { scenarios } = files.has('file') ? await admin.ask<ScenarioList>('PUT', 'scenarios', {}, files) : { scenarios: [] }
    const test = new Fake({
      admin,
      apiKey,
      isTest: true,
      stack,
      scenarios: async () => scenarios.filter(scenario => !before.has(identity(scenario))),
      end: async () => {
        this.#problems.push(...(await test.#unverified()))
        this.#tests.delete(test)
        await admin.ask('DELETE', 'scenarios')
      },
    })
    this.#tests.add(test)
    return test
  }

  /** Returns the requests so far, the oldest first. */
  async requests(): Promise<Entry[]> {
    return (await this.#access.admin.ask<RequestList>('GET', 'requests')).requests
  }

  /** Returns the requests so far, each with its retries. */
  async calls(): Promise<Call[]> {
    return (await this.#access.admin.ask<CallList>('GET', 'calls')).calls
  }

  /** Returns what the client did wrong so far: retries that came too early, in vain or not yet, and broken answers that it took for whole. */
  async findings(): Promise<Finding[]> {
    return (await this.#access.admin.ask<CallList>('GET', 'calls')).findings
  }

  /** Waits until so many requests have ended, one by default, and returns the last of them. */
  async awaitRequest(options: Wait & { count?: number } = {}): Promise<Entry> {
    checkOptions('awaitRequest', options, ['count', 'timeout'])
    const query = { count: `${options.count ?? 1}`, ...duration(options) }
    const { requests } = await this.#access.admin.ask<RequestList>('GET', 'requests/wait', query)
    return requests.at(-1)!
  }

  /** Waits until no request is open, and returns all requests. */
  async awaitEnd(options: Wait = {}): Promise<Entry[]> {
    checkOptions('awaitEnd', options, ['timeout'])
    for (const request of await this.requests()) {
      if (request.delivery.ended !== 'open') continue
      await this.#access.admin.ask('GET', `requests/${request.id}/wait`, duration(options))
    }
    return this.requests()
  }

  /** Returns the hold with this name. */
  hold(name: string): HoldHandle {
    const path = `holds/${encodeURIComponent(name)}`
    return {
      wait: traced(async (options: Wait = {}) => {
        checkOptions('wait', options, ['timeout'])
        return this.#access.admin.ask<Hold>('GET', `${path}/wait`, duration(options))
      }),
      release: traced(async () => void (await this.#access.admin.ask('POST', `${path}/release`))),
    }
  }

  /** Returns the bytes that answered the request with this id, up to 1 MiB. */
  async transcript(id: number): Promise<Uint8Array> {
    return this.#access.admin.bytes(`requests/${id}/transcript`)
  }

  /** Returns the requests that no scenario answered. */
  async unmatched(): Promise<Entry[]> {
    return (await this.requests()).filter(request => request.unmatched)
  }

  /** Returns the replies that no request was answered with, but for those that are left to chance. */
  async unused(): Promise<UnusedReply[]> {
    const scenarios = await this.#access.scenarios()
    const used = new Set((await this.requests()).map(request => `${request.reply} ${request.scenario}`))
    return scenarios.flatMap(scenario =>
      scenario.replies
        .map((reply, number) => ({
          scenario: scenario.name,
          reply: number,
          source: this.#access.admin.said(scenario.source ?? ''),
          when: [...(scenario.when ?? []), ...(reply.when ?? [])],
        }))
        .filter(reply => !used.has(`${reply.reply} ${reply.scenario}`) && scenario.replies[reply.reply]!.chance === undefined),
    )
  }

  /** Forgets the requests, the counters, and the scenarios that came after the start. */
  async reset(): Promise<void> {
    await this.#access.admin.ask('POST', 'reset')
    this.#verified = 0
  }

  /**
   * Throws an error if, since the last call, there were requests that no scenario answered, or if
   * the fake of a test has a reply that no request asked for. It also looks at the fakes that
   * `forTest` returned: at the replies of one when it is closed, because a test that runs beside
   * others may still ask for them. The error shows the requests, why nothing matched, and the answers.
   */
  verify(): Promise<void> {
    return this.verifyFrom(caller(this.verify))
  }

  /**
   * Is `verify`, with errors whose stack is that of `forTest` or, for what belongs to no test, this one.
   *
   * @internal
   */
  async verifyFrom(stack: string): Promise<void> {
    this.#verifies = true
    const problems = [...this.#problems.splice(0), ...(await this.#unverified())]
    for (const test of this.#tests) problems.push(...(await test.#unverified(false)))
    refuse(problems, stack)
  }

  /** Says what is wrong with the requests since the last call and, if all were sent, with the replies. */
  async #unverified(ended = true): Promise<Problem[]> {
    const { isTest, stack } = this.#access
    const requests = await this.requests()
    const problems = requests.filter(request => request.unmatched && request.id > this.#verified).map(unexpected)
    this.#verified = Math.max(this.#verified, ...requests.map(request => request.id))
    const unused = ended && isTest ? await this.unused() : []
    problems.push(...unused.map(reply => unusedReply(reply, requests)))
    return problems.map(problem => (stack === undefined ? problem : { ...problem, stack }))
  }

  /**
   * Ends the server, or removes the scenarios of a test. A second call does nothing. If `verify`
   * was called before, the end of the server is also that of each test whose fake was not
   * closed: an error shows what is wrong with its requests and replies.
   */
  close(): Promise<void> {
    return this.#close(caller(this.close))
  }

  async #close(stack: string): Promise<void> {
    try {
      for (const test of this.#verifies && !this.#closed ? this.#tests : []) this.#problems.push(...(await test.#unverified()))
    } finally {
      await this[Symbol.asyncDispose]()
    }
    if (this.#verifies) refuse(this.#problems.splice(0), stack)
  }

  /** Is `close` without its error, which would hide that of the block that ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#access.end()
  }
}

const { prototype } = Fake
prototype.requests = traced(prototype.requests)
prototype.calls = traced(prototype.calls)
prototype.findings = traced(prototype.findings)
prototype.awaitRequest = traced(prototype.awaitRequest)
prototype.awaitEnd = traced(prototype.awaitEnd)
prototype.transcript = traced(prototype.transcript)
prototype.unmatched = traced(prototype.unmatched)
prototype.unused = traced(prototype.unused)
prototype.reset = traced(prototype.reset)

/** Returns an API key that no other test has. */
export function newKey(): string {
  return `sk-test-${randomBytes(12).toString('hex')}`
}

/** Returns what tells a scenario from others with its name. */
function identity(scenario: ScenarioInfo): string {
  return `${scenario.name} ${scenario.source}`
}

/** Throws an error with these problems, if there are any, where the first of them belongs. */
function refuse(problems: Problem[], stack: string): void {
  if (problems.length > 0) throw at(problemError(problems), problems[0]!.stack ?? stack)
}

/** Returns the query parameter for a time limit in milliseconds. */
function duration({ timeout }: Wait): Record<string, string> {
  return timeout === undefined ? {} : { timeout: `${timeout}ms` }
}
