import { test as base, type Request } from '@playwright/test'
import type { Fake } from './fake.js'
import { startFake, type StartOptions } from './index.js'
import type { Sources } from './sources.js'

export { expect } from '@playwright/test'

/** What `test.use` sets. */
export interface FakeOptions {
  /** The scenarios of each test, which are played before those of the server; none by default. */
  fakeScenarios: Sources
  /** The hosts, such as `fonts.example.com`, that a page may ask beside those of this machine; none by default. */
  fakeHosts: string[]
}

/** What tests get. */
export interface FakeFixtures {
  /** A fake for the test, with an API key of its own. At the end of the test it is as after `verify` and `close`. */
  fake: Fake
}

/** What all tests of a worker share. */
export interface FakeWorker {
  /** How the server starts. */
  fakeServerOptions: StartOptions
  /** The server, whose address and key see the requests of all tests of the worker. */
  fakeServer: Fake
}

/**
 * Is Playwright's `test` with a fake: each page finds its `baseURL` and `apiKey` in `globalThis.fakeopenai`. A request or
 * WebSocket of a page to a host that is neither this machine nor in `fakeHosts` is not sent, and fails the test, unless the
 * test answers it with a route of its own. What a redirect leads to is sent, and fails the test, too. Service workers are not
 * watched: `serviceWorkers: 'block'` leaves them out.
 */
export const test = base.extend<FakeOptions & FakeFixtures, FakeWorker>({
  fakeScenarios: [{}, { option: true }],
  fakeHosts: [[], { option: true }],
  fakeServerOptions: [{}, { option: true, scope: 'worker' }],
  fakeServer: [
    async ({ fakeServerOptions }, use) => {
      const server = await startFake(fakeServerOptions)
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ],
  fake: async ({ fakeServer, fakeScenarios }, use) => {
    const fake = await fakeServer.forTest(fakeScenarios)
    await use(fake)
    try {
      await fake.verify()
    } finally {
      await fake[Symbol.asyncDispose]()
    }
  },
  context: async ({ context, fake, fakeHosts }, use) => {
    const asked = new Set<string>()
    const elsewhere = ({ hostname }: URL): boolean => !isLoopback(hostname) && !fakeHosts.includes(hostname)
    await context.addInitScript(values => Object.assign(globalThis, { fakeopenai: values }), { baseURL: fake.baseURL, apiKey: fake.apiKey })
    const add = (request: Request): unknown => asked.add(`${request.method()} ${request.url()}`)
    context.on('request', request => request.redirectedFrom() && elsewhere(new URL(request.url())) && add(request)) // no route sees it
    await context.route(elsewhere, async route => {
      add(route.request())
      await route.abort('blockedbyclient')
    })
    await context.routeWebSocket(elsewhere, async socket => {
      asked.add(`WebSocket ${socket.url()}`)
      await socket.close({ code: 1008, reason: 'fakeopenai: not on this machine' })
    })
    await use(context)
    if (asked.size > 0) {
      throw new Error(`fakeopenai: the page asked other hosts than this machine: ${[...asked].join(', ')}. Give the page \
the baseURL of globalThis.fakeopenai, or name in fakeHosts what it may ask.`)
    }
  },
})

/** Reports whether a host is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
