/**
 * Starts a fake OpenAI API for tests: every chunk, pause and fault of a stream is a line of YAML.
 *
 * @packageDocumentation
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Admin } from './admin.js'
import { Fake, newKey } from './fake.js'
import { startProcess } from './process.js'
import { checkOptions, divide, withPaths, type File, type Sources } from './sources.js'
import { traced } from './trace.js'
import type { ScenarioInfo, ScenarioList } from './wire.js'

export { Fake } from './fake.js'
export type { HoldHandle, UnusedReply, Wait } from './fake.js'
export { matchers } from './matchers.js'
export type { Expected } from './matchers.js'
export type { Duration, Scenario } from './scenario.js'
export type { Sources } from './sources.js'
export type { Attempt, Call, Delivery, Entry, Finding, Hold } from './wire.js'

/** How a fake starts. Without scenarios it plays the bundled ones. */
export interface StartOptions extends Sources {
  /** How many times as fast as real time to play; `'instant'` leaves all pauses out. */
  speed?: number | 'instant'
  /** The number from which ids, invented texts and jitter are drawn; 1 by default. */
  seed?: number
  /** Check requests as api.openai.com does. */
  strict?: boolean
  /** Further arguments of `fakeopenai serve`. */
  args?: readonly string[]
  /** Milliseconds within which the server must listen; 10,000 by default. */
  startTimeout?: number
}

/**
 * Starts a server on a free port of this machine. It ends with `close`, at the end of an
 * `await using`, and when this process ends, however it ends.
 */
export const startFake = traced(start)

async function start(options: StartOptions = {}): Promise<Fake> {
  checkOptions('startFake', options, ['scenarios', 'yaml', 'speed', 'seed', 'strict', 'args', 'startTimeout'])
  const { paths, texts } = divide(options)
  const folder = texts.length === 0 ? undefined : await mkdtemp(join(tmpdir(), 'fakeopenai-'))
  try {
    const files = await Promise.all(texts.map(file => write(folder!, file)))
    const args = [...paths, ...files.map(file => file.path!), ...flags(options)]
    const server = await startProcess(args, options.startTimeout ?? 10_000, log => withPaths(log, files))
    const admin = new Admin(server.url, undefined, undefined, files)
    return new Fake({ admin, apiKey: 'sk-test-own', isTest: false, scenarios: () => listScenarios(admin), end: () => server.stop() })
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true })
  }
}

/** How to reach a server that runs already. */
export interface ConnectOptions {
  /** The address of the server; the variable FAKEOPENAI_URL by default. */
  url?: string
  /** The token of `serve --admin-token`; the variable FAKEOPENAI_ADMIN_TOKEN by default. */
  token?: string
}

/**
 * Returns a fake on a server that runs already, as below `fakeopenai exec` or in a container. It
 * has an API key of its own, and sees the requests of that key alone.
 */
export function connectFake(options: ConnectOptions = {}): Fake {
  checkOptions('connectFake', options, ['url', 'token'])
  const url = options.url ?? process.env.FAKEOPENAI_URL
  if (!url) throw new Error('fakeopenai: connectFake needs the address of a server, as url or in the variable FAKEOPENAI_URL')
  if (!/^https?:\/\//.test(url)) throw new Error(`fakeopenai: ${JSON.stringify(url)} is not an address such as http://127.0.0.1:8080`)
  const apiKey = newKey()
  const admin = new Admin(url, options.token ?? process.env.FAKEOPENAI_ADMIN_TOKEN).forKey(apiKey)
  return new Fake({ admin, apiKey, isTest: false, scenarios: () => listScenarios(admin), end: async () => void (await admin.ask('POST', 'reset')) })
}

async function listScenarios(admin: Admin): Promise<ScenarioInfo[]> {
  return (await admin.ask<ScenarioList>('GET', 'scenarios')).scenarios
}

/** Writes a text to a file in a folder, and returns it with its path. */
async function write(folder: string, file: File): Promise<File> {
  const path = join(folder, `${file.name.replace(/\W/g, '.')}.yaml`) // brackets are for globs
  await writeFile(path, file.text)
  return { ...file, path }
}

/** Returns the flags of `serve` that say the same as the options. */
function flags({ speed, seed, strict, args = [] }: StartOptions): string[] {
  const all = ['--transcripts', '--no-watch', '--drain-timeout', '0s', '--log-level', 'warn']
  if (speed !== undefined) all.push('--speed', `${speed}`)
  if (seed !== undefined) all.push('--seed', `${seed}`)
  if (strict) all.push('--strict')
  return [...all, ...args]
}
