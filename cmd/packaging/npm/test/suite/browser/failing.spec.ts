// Each test fails, but for the last two.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expect, test } from 'fakeopenai/playwright'

test.use({ fakeScenarios: { yaml: '{ name: rain, message: It is raining. }' } })

/** What the page comes to that asks a server. */
function ask(page: Page, url?: string): Promise<string> {
  return page.evaluate(async url => {
    const { baseURL, apiKey } = (globalThis as any).fakeopenai
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'How is the weather?' }] })
    const answer = await fetch(url ?? `${baseURL}/chat/completions`, { method: 'POST', headers, body }).catch(String)
    return typeof answer === 'string' ? answer : answer.text()
  }, url)
}

test('the real service', async ({ page }) => {
  await ask(page)
  expect(await ask(page, 'https://api.openai.com/v1/chat/completions')).toContain('Failed to fetch')
})

test('a realtime session with the real service', async ({ page }) => {
  await ask(page)
  expect(await page.evaluate(() => new Promise(done => (new WebSocket('wss://api.openai.com/v1/realtime').onclose = ({ code }) => done(code))))).toBe(1008)
})

test('a redirect to another host', async ({ page }) => {
  await ask(page)
  const server = createServer((_, answer) => answer.writeHead(307, { 'access-control-allow-origin': '*', location: 'http://other.invalid/v1' }).end())
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).catch(() => {})
  server.close()
})

test('a reply that the page does not ask for', async ({ page }) => {
  await page.setContent('<p>The page asks for nothing.</p>')
})

test('a host that the test answers for', async ({ page }) => {
  await ask(page)
  await page.route('https://api.example.com/**', route => route.fulfill({ body: 'mine', headers: { 'access-control-allow-origin': '*' } }))
  expect(await ask(page, 'https://api.example.com/v1')).toBe('mine')
})

test.describe('a host that may be asked', () => {
  test.use({ fakeHosts: ['other.invalid'] })
  test('is asked', async ({ page }) => {
    await ask(page)
    expect(await ask(page, 'https://other.invalid/')).toContain('Failed to fetch')
  })
})
