// Packs the packages, installs them from the tarballs into a new folder without network, and runs
// the suites there with vitest, jest and node.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'

const source = join(import.meta.dirname, '..')
const root = join(source, '../../..')
/** The settings of a strict project. */
const strict = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,esnext.disposable,dom', '--types', 'node', '--module', 'nodenext']

let work, folder, tarballs

/** The environment of the processes that are started here: node --test runs nothing below another node --test. */
const env = { ...process.env, NODE_TEST_CONTEXT: undefined }

before(() => {
  // Below the package's own folder, where node finds the clients and the test runners.
  mkdirSync(join(source, '.try'), { recursive: true })
  work = mkdtempSync(join(source, '.try', 'ein Ordner für Prüfungen '))
  folder = join(work, 'suite')
  tarballs = join(work, 'tarballs')
  const { GOOS, GOARCH } = JSON.parse(go('env', '-json', 'GOOS', 'GOARCH'))
  const program = join(work, 'binaries', `${GOOS}_${GOARCH}`, GOOS === 'windows' ? 'fakeopenai.exe' : 'fakeopenai')
  go('build', '-trimpath', '-ldflags=-s -w', '-o', program, './cmd/fakeopenai')
  run(source, process.execPath, 'build.mjs')
  run(source, process.execPath, 'pack.mjs', '0.0.1', join(work, 'binaries'), tarballs)
  cpSync(join(source, 'test/suite'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const names = readdirSync(tarballs).map(name => join(tarballs, name))
  run(folder, 'npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...names)
})

after(() => rmSync(work, { recursive: true, force: true }))

test('the package of a platform has at most 10 MB', () => {
  for (const name of readdirSync(tarballs)) assert.ok(statSync(join(tarballs, name)).size <= 10e6, name)
})

test('the notices of licences go with the program', () => {
  for (const name of readdirSync(join(folder, 'node_modules/@fakeopenai'))) {
    for (const notice of ['LICENSE', 'NOTICES.txt']) {
      assert.equal(readFileSync(join(folder, 'node_modules/@fakeopenai', name, notice), 'utf8'), readFileSync(join(root, notice), 'utf8'), name)
    }
  }
})

test('no package has an install script', () => {
  for (const name of ['fakeopenai', ...readdirSync(join(folder, 'node_modules/@fakeopenai')).map(name => `@fakeopenai/${name}`)]) {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
    assert.equal(scripts, undefined, name)
  }
})

test('the types are made from the schemas of this checkout', () => {
  const made = join(work, 'types')
  mkdirSync(made)
  run(source, process.execPath, 'types.mjs', made)
  for (const name of ['scenario.ts', 'wire.ts']) {
    assert.equal(readFileSync(join(source, 'src', name), 'utf8'), readFileSync(join(made, name), 'utf8'), 'run: npm run types')
  }
})

test('vitest', () => suite('vitest', 'run', '--root', '.', 'weather.test.ts'))
test('jest', () => suite('jest', '--rootDir', '.', '--testMatch', '**/weather.spec.cjs', '--testEnvironment', 'node'))
test('node --test', () => assert.match(run(folder, process.execPath, '--test', 'weather.node.mjs'), /^# pass 2$/m))
test('Playwright', () => {
  const messages = playwright('browser')
  const expected = {
    'the real service': /^Error: fakeopenai: the page asked other hosts than this machine: POST https:\/\/api.openai.com\/v1\/chat\/completions\. /,
    'a realtime session with the real service': /this machine: WebSocket wss:\/\/api.openai.com\/v1\/realtime\. /,
    'a redirect to another host': /this machine: GET http:\/\/other.invalid\/v1\. /,
    'a reply that the page does not ask for': /^Error: fakeopenai: no request asked for reply 1 of scenario "rain"/,
    'a host that the test answers for': /^$/,
    'is asked': /^$/,
  }
  assert.deepEqual(Object.keys(messages), Object.keys(expected))
  for (const [title, pattern] of Object.entries(expected)) assert.match(messages[title], pattern, title)
})
test('the page', () => {
  const page = readFileSync(join(source, 'README.md'), 'utf8')
  const blocks = [...page.matchAll(/^```\w+\n(\/\/ (\S+)\n[^]*?)^```/gm)].map(([, text, name]) => ({ name, text }))
  assert.deepEqual(blocks.map(({ name }) => name), ['weather.test.ts', 'typed.test.ts', 'weather.spec.cjs', 'weather.spec.ts'])
  mkdirSync(join(folder, 'page'))
  for (const { name, text } of blocks) writeFileSync(join(folder, 'page', name), text)
  suite('vitest', 'run', '--root', 'page', '.test.ts')
  suite('jest', '--rootDir', 'page', '--testMatch', '**/*.spec.cjs', '--testEnvironment', 'node')
  suite('tsc', '--ignoreConfig', ...strict, 'page/weather.test.ts', 'page/typed.test.ts', 'page/weather.spec.ts')
  cpSync(join(folder, 'browser/playwright.config.ts'), join(folder, 'page/playwright.config.ts'))
  assert.deepEqual(playwright('page'), { 'the page shows the answer': '' })
})
test('the first page', () => {
  const page = readFileSync(join(source, '../../../README.md'), 'utf8')
  const [, scenario] = page.match(/^```yaml\n(# weather.yaml\n[^]*?)^```/m)
  const [, text] = page.match(/^```ts\n(\/\/ weather.test.ts\n[^]*?)^```/m)
  const dir = join(folder, 'first')
  mkdirSync(dir)
  writeFileSync(join(dir, 'weather.yaml'), scenario)
  writeFileSync(join(dir, 'weather.test.ts'), text.replace("'weather.yaml'", "'first/weather.yaml'"))
  writeFileSync(join(dir, 'yourapp.ts'), `import OpenAI from 'openai'
    export async function ask(baseURL: string, apiKey: string, content: string): Promise<string | null | undefined> {
      const answer = await new OpenAI({ baseURL, apiKey }).chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] })
      return answer.choices[0]?.message.content
    }`)
  suite('vitest', 'run', '--root', 'first')
  suite('tsc', '--ignoreConfig', ...strict, 'first/weather.test.ts')
})
test('tsc --strict', () => suite('tsc', '--ignoreConfig', ...strict, '--skipLibCheck', 'false', 'types.ts'))

test('what fails says why', () => {
  const { status, stdout, stderr } = start('vitest', 'run', '--root', '.', 'failing.test.ts', '--reporter', 'json')
  assert.equal(status, 1, stderr)
  const lines = readFileSync(join(folder, 'failing.test.ts'), 'utf8').split('\n')
  /** Matches a stack whose first line is that of the test file with this text. */
  const from = text => new RegExp(`\\n    at (?:async )?(?:.* \\()?\\S*.*failing\\.test\\.ts:(?:${lines.flatMap((line, i) => (line.includes(text) ? [i + 1] : [])).join('|')}):`)
  const results = JSON.parse(stdout).testResults[0].assertionResults
  const messages = Object.fromEntries(results.map(({ title, failureMessages }) => [title, failureMessages.join('\n')]))
  const expected = {
    'an unexpected request': [/^Error: fakeopenai: unexpected request \d+: POST \/v1\/chat\/completions, answered with 404: .*does not match weather.*\n\nrequest \d+ has the body \{.*"content":"What is the time\?"/, from('verifyEach(fake)')],
    'an unexpected request of a test that fails': [/^\w+: 404 No scenario answers.*\n\nfakeopenai: unexpected request \d+: .*does not match weather/, from('await askOpenAI(fake, \'What is the time?\')')],
    'an unused reply': [/^Error: fakeopenai: no request asked for reply 1 of scenario "snow" \(yaml:1\), when the last user message is "snow"\n\nno request was sent/, from('await fake.forTest({ yaml')],
    'an unused reply of an object': [/^Error: fakeopenai: no request asked for reply 2 of scenario "snow" \(scenarios\)/, from('await fake.forTest({ scenarios: { name')],
    'an unused reply beside a request': [/reply 1 of scenario "snow" \(\/.*suite\/snow.txt:1\), when .*\n\nrequest \d+: POST .*, answered with 200 by "weather"\n  body: .*"How is the weather\?"[^\n]*\n    at /],
    'an unexpected request where the server has the bundled scenarios': [/unexpected request \d+: [^]*the nearest is "snow": the last user message/, from('await bundled.verify()')],
    'an unexpected request, without transcripts': [/unexpected request \d+: [^]*does not match weather[^]*"What is the time\?"/],
    'a fake of forTest that is not closed': [/no request asked for reply 1 of scenario "snow" \(\/.*suite\/snow.txt:1\)/, from("await other.forTest({ scenarios: 'snow.txt' })")],
    'a request that was not answered': [/expected an answer to a request like \{"user":"rain"\}, but there was\s+request/],
    'a matcher for something else': [/toHaveAnswered is for what startFake, forTest or connectFake returns, not for "http/],
    'a mistake in the options of a matcher': [/toHaveAnswered has no option usr; it has model, user, scenario, path, status/],
    'a mistake in the options at the start': [/startFake has no option scenario; it has scenarios, yaml, speed/],
    'a mistake in the options of a wait': [/wait has no option timout; it has timeout/],
    'a hold that no stream reaches': [/no stream reached hold "middle": waited 10ms/],
    'requests that do not come': [/\d of 99 requests have ended: waited 10ms/],
    'a number for a scenario': [/scenarios\[0\] cannot be 3; write a path, or a scenario as an object/],
    'a mistake in a file of a test': [/^Error: fakeopenai: \/.*suite\/sun.txt:3:1: unknown key "mesage"/, from("await fake.forTest({ scenarios: ['snow.txt', 'sun.txt'] })")],
    'a mistake in an object': [/^Error: fakeopenai: scenarios\[1\].mesage: unknown key "mesage"/],
    'a mistake deep in an object': [/2 mistakes in the scenarios:\nscenarios.replies\[1\].when.last: .*\nscenarios.replies\[1\].pace\["x-y"\]: /],
    'a mistake in an object at the start': [/\n.* scenarios\[0\].message.contents: unknown key "contents"|\nscenarios\[0\].message.contents: unknown key/],
    'a file of a test that is not there': [/there is no file and no folder \/.*suite\/missing.yaml/, from("await fake.forTest({ scenarios: 'missing.yaml' })")],
    'a mistake in a scenario': [/^Error: fakeopenai: yaml:2:1: unknown key "mesage" in scenario \(did you mean "message"\?\)/],
    'a mistake at the start': [/did not start, exit code 1:\n[^]*\n.*\byaml:2:1: unknown key "mesage"/, from("await startFake({ yaml")],
    'a file that is not there': [/missing.yaml/],
    'a flag that is not there': [/unknown flag: --snow/],
    'too little time': [/did not listen within 1 ms/],
    'a server that is gone': [/does not answer at http:\/\/127.0.0.1:\d+: .*ECONNREFUSED/],
    'no server': [/connectFake needs the address of a server/],
    'an address without a scheme': [/"127.0.0.1:8080" is not an address such as http:\/\/127.0.0.1:8080/],
  }
  assert.deepEqual(Object.keys(messages), Object.keys(expected))
  for (const [title, patterns] of Object.entries(expected)) {
    for (const pattern of patterns) assert.match(messages[title], pattern, title)
    assert.equal(results.find(result => result.title === title).failureMessages.length, 1, title)
  }
})

test('what fails under jest fails once', () => {
  const { stdout } = start('jest', '--rootDir', '.', '--testMatch', '**/failing.spec.cjs', '--testEnvironment', 'node', '--json')
  const failures = JSON.parse(stdout).testResults[0].assertionResults.map(({ failureMessages }) => failureMessages)
  assert.equal(failures.flat().length, 2, stdout)
  assert.match(failures[0][0], /Received: .*404[^]*\n\nfakeopenai: unexpected request 1: [^]*failing.spec.cjs:19:/)
  assert.match(failures[1][0], /^Error: fakeopenai: unexpected request 2: [^]*failing.spec.cjs:11:/)
})

test('the command', () => {
  const bin = join(folder, 'node_modules/.bin/fakeopenai')
  assert.equal(spawnSync(bin, ['check', 'weather.yaml'], { cwd: folder, encoding: 'utf8' }).stdout, '1 scenario in 1 file\n')
  assert.equal(spawnSync(bin, ['check', 'missing.yaml'], { cwd: folder }).status, 3)
  const { status } = spawnSync(bin, ['exec', '--', process.execPath, '-e', 'process.exit(process.env.OPENAI_BASE_URL ? 7 : 1)'], { cwd: folder })
  assert.equal(status, 7)
})

test('one server for all', () => {
  const bin = join(folder, 'node_modules/.bin/fakeopenai')
  const { stdout, stderr } = spawnSync(bin, ['exec', 'weather.yaml', '--', process.execPath, 'shared.mjs'], { cwd: folder, encoding: 'utf8' })
  assert.match(stdout, /^It is raining.\nfakeopenai: unexpected request \d+: [^]*the nearest is "rain"[^]*"sun"/, stderr)
})

test('a platform without a package', () => {
  const script = platform => `Object.defineProperty(process, 'platform', { value: '${platform}' })
    import('fakeopenai').then(({ startFake }) => startFake()).catch(error => console.log(error.message))`
  const said = platform => execFileSync(process.execPath, ['-e', script(platform)], { cwd: folder, encoding: 'utf8' })
  assert.match(said('sunos'), /there is no package for sunos-\w+. There are packages for darwin-arm64, darwin-x64, linux-arm64/)
  assert.match(said('win32'), /the package @fakeopenai\/win32-\w+ is not installed.*--omit=optional/)
})

test('a program that cannot be executed', () => {
  const script = `import('fakeopenai').then(({ startFake }) => startFake()).catch(error => console.log(error.message))`
  const env = { ...process.env, FAKEOPENAI_BINARY: join(folder, 'weather.yaml') }
  assert.match(execFileSync(process.execPath, ['-e', script], { cwd: folder, env, encoding: 'utf8' }), /cannot be executed: .*weather.yaml/)
})

test('the server ends with the process that started it', async () => {
  const leaving = execFileSync(process.execPath, ['leaving.mjs'], { cwd: folder, encoding: 'utf8' }).trim()
  await ended(leaving)
  const orphan = spawn(process.execPath, ['orphan.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface(orphan.stdout), 'line')
  assert.equal((await fetch(`${url}/_fake/healthz`)).status, 200)
  orphan.kill('SIGKILL')
  await ended(url)
})

test('the server ends with the thread that started it', async t => {
  const program = spawn(process.execPath, ['worker.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => program.kill())
  const [url] = await once(createInterface(program.stdout), 'line')
  await ended(url)
})

test('another folder, and a second copy of the packages', () => {
  const other = join(folder, 'node_modules/dependency/node_modules')
  mkdirSync(other, { recursive: true })
  for (const name of ['fakeopenai', '@fakeopenai']) cpSync(join(folder, 'node_modules', name), join(other, name), { recursive: true })
  writeFileSync(join(other, '../index.mjs'), "export * from 'fakeopenai'")
  const script = `process.chdir(${JSON.stringify(work)})
    import { startFake, matchers } from 'fakeopenai'
    import * as dependency from './node_modules/dependency/index.mjs'
    if (startFake === dependency.startFake) throw new Error('there is one copy')
    const [one, two] = [await startFake({ scenarios: 'suite/snow.txt' }), await dependency.startFake({ scenarios: 'suite/weather.yaml' })]
    console.log(one.url !== two.url, (await matchers.toHaveNoUnexpectedRequests(two)).pass, (await one.unused())[0].scenario, (await two.unused())[0].scenario)
    await one.close()
    await two.close()`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' })
  assert.equal(stdout, 'true true snow weather\n', stderr)
})

/** Waits until nothing listens at the URL any more; the time limit of the test ends it. */
async function ended(url) {
  while (await fetch(`${url}/_fake/healthz`).then(() => true, () => false)) await setTimeout(20)
}

/** Runs the specs of a folder in the Chromium of this machine. Returns the error of each test; that of one that passed is empty. */
function playwright(dir) {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const chromium = process.env.PATH.split(delimiter).flatMap(path => names.map(name => join(path, name))).find(existsSync)
  assert.ok(chromium, 'there is no chromium; install it')
  const bin = join(source, 'node_modules/.bin/playwright')
  const { stdout, stderr } = spawnSync(bin, ['test', '--config', dir], { cwd: folder, env: { ...env, CHROMIUM: chromium }, encoding: 'utf8' })
  const specs = suite => [...suite.specs, ...(suite.suites ?? []).flatMap(specs)]
  const failures = ({ title, tests }) => [title, tests.flatMap(test => test.results.flatMap(result => result.errors)).map(error => stripVTControlCharacters(error.message)).join('\n')]
  assert.match(stdout, /^\{/, stdout + stderr)
  return Object.fromEntries(JSON.parse(stdout).suites.flatMap(specs).map(failures))
}

function start(name, ...args) {
  const bin = join(source, 'node_modules/.bin', name)
  return spawnSync(bin, args, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' })
}

function suite(name, ...args) {
  const { status, stdout, stderr } = start(name, ...args)
  assert.equal(status, 0, stdout + stderr)
}

function run(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}:\n${stdout}${stderr}`)
  return stdout
}

function go(...args) {
  return run(root, 'go', ...args)
}
