// Drives yaml-language-server over stdio, as editors do, with the schema of the
// scenario language. FAKEOPENAI_SCHEMA is the path of the schema.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

// Editor is a client of the language server.
class Editor {
  #server; #received = Buffer.alloc(0); #next = 1; #answers = new Map(); #problems = new Map(); #files = 0

  static async start(schemas) {
    const editor = new Editor()
    editor.folder = mkdtempSync(join(tmpdir(), 'fakeopenai-editor-'))
    copyFileSync(process.env.FAKEOPENAI_SCHEMA, join(editor.folder, 'scenario.schema.json'))
    const command = join('node_modules', 'yaml-language-server', 'bin', 'yaml-language-server')
    editor.#server = spawn(process.execPath, [command, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
    editor.#server.stdout.on('data', data => editor.#receive(data))
    const schema = pathToFileURL(join(editor.folder, 'scenario.schema.json')).href
    editor.settings = { completion: true, hover: true, validate: true, schemaStore: { enable: false }, schemas: schemas ? { [schema]: schemas } : {} }
    const capabilities = {
      workspace: { configuration: true },
      textDocument: { completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } }, hover: { contentFormat: ['markdown'] } },
    }
    await editor.#ask('initialize', { processId: process.pid, rootUri: pathToFileURL(editor.folder).href, capabilities })
    editor.#send({ method: 'initialized', params: {} })
    editor.#send({ method: 'workspace/didChangeConfiguration', params: { settings: { yaml: editor.settings } } })
    return editor
  }

  stop() {
    this.#server.kill()
    rmSync(this.folder, { recursive: true })
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.#server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    this.#server.stdin.write(body)
  }

  #ask(method, params) {
    const id = this.#next++
    this.#send({ id, method, params })
    return new Promise(resolve => this.#answers.set(id, resolve))
  }

  #receive(data) {
    this.#received = Buffer.concat([this.#received, data])
    for (let end; (end = this.#received.indexOf('\r\n\r\n')) >= 0;) {
      const length = Number(/Content-Length: (\d+)/.exec(this.#received.subarray(0, end))[1])
      if (this.#received.length < end + 4 + length) return
      const message = JSON.parse(this.#received.subarray(end + 4, end + 4 + length))
      this.#received = this.#received.subarray(end + 4 + length)
      this.#take(message)
    }
  }

  #take({ id, method, params, result }) {
    if (method === 'textDocument/publishDiagnostics') this.#problems.get(params.uri)?.(params.diagnostics)
    else if (method === 'workspace/configuration') this.#send({ id, result: params.items.map(i => (i.section === 'yaml' ? this.settings : {})) })
    else if (method && id !== undefined) this.#send({ id, result: null })
    else if (id !== undefined) this.#answers.get(id)(result)
  }

  // open opens a file with this text. It returns the problems, and the completions and the
  // hover text at the position of ▮.
  async open(marked) {
    const at = marked.indexOf('▮'), text = marked.replace('▮', '')
    const uri = pathToFileURL(join(this.folder, `file${++this.#files}.yaml`)).href
    const checked = new Promise(resolve => this.#problems.set(uri, resolve))
    this.#send({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'yaml', version: 1, text } } })
    const problems = (await checked).map(p => `${p.range.start.line + 1}: ${p.message}`)
    if (at < 0) return { problems }
    const lines = marked.slice(0, at).split('\n')
    const place = { textDocument: { uri }, position: { line: lines.length - 1, character: lines.at(-1).length } }
    const { items } = await this.#ask('textDocument/completion', place)
    const offered = Object.fromEntries(items.map(i => [i.label, i.textEdit?.newText ?? i.insertText]))
    const about = Object.fromEntries(items.map(i => [i.label, i.documentation?.value ?? i.documentation]))
    const hover = await this.#ask('textDocument/hover', { ...place, position: { line: lines.length - 1, character: lines.at(-1).search(/\w/) } })
    return { problems, offered, about, hover: hover?.contents.value }
  }
}

let mapped, bare // an editor with the schema in its settings, and one without
before(async () => { mapped = await Editor.start(['*.yaml']); bare = await Editor.start() })
after(() => { mapped.stop(); bare.stop() })

const modeline = '# yaml-language-server: $schema=./scenario.schema.json\n'

test('settings reach every document of a file', async () => {
  const { problems, offered } = await mapped.open('name: a\nmessage: b\n---\nname: c\nmesage: d\n---\nname: e\nstream:\n  - ▮\n')
  assert.ok(problems.includes('5: Property mesage is not allowed.'), problems.join('\n'))
  assert.ok('content' in offered)
})

test('a modeline reaches its document, and must be repeated', async () => {
  const once = await bare.open(modeline + 'name: a\nmesage: b\n---\nname: c\nmesage: d\n')
  assert.deepEqual(once.problems, ['3: Property mesage is not allowed.'])
  const twice = await bare.open(modeline + 'name: a\nmesage: b\n---\n' + modeline + 'name: c\nmesage: d\n')
  assert.deepEqual(twice.problems, ['3: Property mesage is not allowed.', '7: Property mesage is not allowed.'])
})

test('values are offered', async () => {
  for (const [text, ...words] of [
    ['stream:\n  - finish: ▮\n', 'stop', 'length', 'tool_calls', 'content_filter', 'null'],
    ['error:\n  code: ▮\n', 'rate_limit_exceeded', 'insufficient_quota', 'context_length_exceeded'],
    ['error:\n  status: ▮\n', '429', '503'],
    ['message: x\npace:\n  first: ▮\n', '50ms', '1.5s'],
    ['message: x\nquirks:\n  - ▮\n', 'missing-finish', 'two-dones'],
    ['message: x\nenvelope:\n  layout: ▮\n', 'gpt-4o', '2024', 'azure'],
  ]) {
    const { offered } = await mapped.open('name: a\n' + text)
    for (const word of words) assert.ok(word in offered, `${word} is not offered for ${text}: ${Object.keys(offered)}`)
    assert.ok(!('"2024"' in offered))
  }
  const { about } = await mapped.open('name: a\nmessage: x\nquirks:\n  - ▮\n')
  assert.match(about['missing-finish'], /no finish_reason/)
})

test('values that are not in a list are taken where others are as good', async () => {
  const { problems } = await mapped.open('name: a\nquirks: [unknown-finish-reason]\nenvelope: { layout: "2024" }\nstream:\n  - role: system\n  - finish: enough\n')
  assert.deepEqual(problems, [])
})

test('keys are inserted without values that nobody wants', async () => {
  for (const text of ['stream:\n  - ▮\n', 'message: x\nwire:\n  ▮\n', 'error:\n  ▮\n', 'message: x\nwhen:\n  ▮\n', 'replies:\n  - ▮\n', '▮\n']) {
    const { offered } = await mapped.open('name: a\n' + text)
    assert.ok(Object.keys(offered).length > 4, `too little is offered for ${text}`)
    for (const [label, inserted] of Object.entries(offered)) {
      assert.doesNotMatch(inserted, /null|:0\}|: 0$/, `${label} of ${text}`)
      assert.match(inserted, /:/, `${label} of ${text}`)
    }
  }
})

test('whole steps and scenarios are offered', async () => {
  const step = await mapped.open('name: a\nstream:\n  - ▮\n')
  assert.match(step.offered['call of a tool'], /tool_call:\n +name: /)
  const scenario = await mapped.open('▮')
  assert.match(scenario.offered['scenario with a stream'], /^name: .*\nstream:\n/)
})

test('mistakes are explained', async () => {
  const { problems } = await mapped.open('name: a\nmessage: x\nquirks: [nonsense]\npace:\n  every: 50\n  jitter: 50 msec\n')
  assert.equal(problems.length, 3, problems.join('\n'))
  assert.match(problems[0], /^3: Value is not accepted. Valid values: "missing-role"/)
  assert.equal(problems[1], '5: a duration needs a unit: write 50ms, 1.5s or 2m')
  assert.equal(problems[2], '6: a duration needs a unit: write 50ms, 1.5s or 2m')
})

test('hovering tells what a key means, with examples and a link to its page', async () => {
  const pause = await mapped.open('name: a\nmessage: x\npace:\n  every: 50ms▮\n')
  assert.match(pause.hover, /^The pause between two chunks, or between two bursts\.\n\nExample:\n\n```yaml\n50ms/)
  const count = await mapped.open('name: a\nmessage: x\nwire:\n  coalesce: 3▮\n')
  assert.match(count.hover, /^This many events leave in one write\.\n\n\[wire\]\(https:.*\/scenarios\/docs\/wire\.md\)/)
})
