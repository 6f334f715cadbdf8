// Copies of a request and its answer: as a command, a scenario, a file, and sent once more.
let copyNote = null // what is said of the last copy, and of which request

function note(text) {
  copyNote = { id: shown.entry.id, text }
  showDetail()
}

async function copy(button, text) {
  const name = button.textContent
  try {
    await navigator.clipboard.writeText(text)
  } catch { // without the right to use the clipboard
    const area = el('textarea', { 'aria-hidden': 'true' })
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
  button.dataset.copied = text
  button.textContent = 'Copied'
  setTimeout(() => { button.textContent = name }, 1200)
}

const copyScenario = (button, id) => doing(async () => copy(button, await (await ask(`requests/${id}/scenario`)).text()))

const isMask = value => /\(sha256:[0-9a-f]{8}\)/.test(value)
const isOfConnection = name => /^(host|content-length|connection|accept-encoding|user-agent|transfer-encoding|cookie|sec-.*|upgrade|origin|referer|keep-alive)$/i.test(name)
// variableOf is the environment variable from which a command takes a header field that is masked here.
const variableOf = name => ({ authorization: 'OPENAI_API_KEY', 'api-key': 'OPENAI_API_KEY', 'openai-organization': 'OPENAI_ORG_ID', 'openai-project': 'OPENAI_PROJECT_ID' })[name.toLowerCase()] ??
  name.toUpperCase().replace(/[^A-Z0-9]/g, '_')

// noCopy says why a request cannot be sent by curl or by this page; "" if it can.
function noCopy({ entry, body }) {
  if (entry.delivery.protocol === 'WebSocket') return 'This is a message of a WebSocket connection, which is not one HTTP request.'
  if (body.bytes.length === 0 && Number(entry.header['Content-Length']?.[0]) > 0) return 'The server did not read the body of this request, so that it cannot be sent again.'
  return ''
}

// curl is the request as a command for a POSIX shell. Secrets are masked here, so it takes them from the environment.
function curl({ entry, body }) {
  const quote = text => `'${String(text).replaceAll("'", `'\\''`)}'`, variables = new Set(), words = []
  const origin = inside ? 'http://' + (inside.about.address || '127.0.0.1:8080') : location.origin
  words.push(entry.method === 'HEAD' ? 'curl --head' : `curl -N -X ${quote(entry.method)}`, quote(origin + entry.path))
  for (const [name, values] of Object.entries(entry.header)) {
    if (isOfConnection(name)) continue
    for (const value of values) {
      if (!isMask(value) && !/^(authorization|api-key)$/i.test(name)) { words.push('-H ' + quote(`${name}: ${value}`)); continue }
      variables.add(variableOf(name))
      words.push(`-H "${name}: ${/^authorization$/i.test(name) ? 'Bearer ' : ''}$${variableOf(name)}"`)
    }
  }
  const isText = body.text !== undefined && body.bytes.length < 100000 && !/[\0-\x08\x0b-\x1f]/.test(body.text)
  if (isText && body.text) words.push('--data-raw ' + quote(body.text))
  else if (body.bytes.length > 0) {
    words.push('--data-binary @-')
    words[0] = `printf %s ${btoa([...body.bytes].map(b => String.fromCharCode(b)).join(''))} | base64 -d | ` + words[0]
  }
  return { command: words.join(' \\\n  '), variables: [...variables] }
}

function copyCurl(button) {
  if (noCopy(shown)) return note(noCopy(shown) + ' There is no curl command for it.')
  const { command, variables } = curl(shown)
  const masked = variables.length > 0 ? ` Its secrets are masked here: set ${variables.join(', ')}.` : ''
  const where = isMask(shown.entry.path) ? ' The path has a mask, too: write the value in its place.' : ''
  note('Copied.' + masked + where)
  return copy(button, command)
}

// sendAgain sends the request to the server once more, without what is masked in it.
async function sendAgain() {
  if (noCopy(shown)) return note(noCopy(shown))
  const { entry, body } = shown, headers = new Headers(), left = []
  for (const [name, values] of Object.entries(entry.header)) {
    if (isOfConnection(name)) continue
    if (/^authorization$/i.test(name) && ofKey) headers.set(name, 'Bearer ' + ofKey)
    else if (values.some(isMask)) left.push(name)
    else headers.set(name, values.join(', '))
  }
  note('Sent again' + (left.length > 0 ? `, without ${left.join(', ')}, which the page does not know.` : '.'))
  const answer = await fetch(entry.path, { method: entry.method, headers, body: /^(GET|HEAD)$/.test(entry.method) ? undefined : body.bytes })
  await answer.arrayBuffer().catch(() => {}) // which may break off, as its scenario says
}

// scaffold is a scenario that answers a request, to be edited.
function scaffold({ entry, body }) {
  const asked = body.value ?? {}, path = entry.path.split('?')[0], named = /^fake:(.+)/.exec(asked.model)?.[1] ?? entry.header['X-Fakeopenai-Scenario']?.[0]
  const lines = [`name: ${JSON.stringify(named ?? 'answer-' + entry.id)}`], messages = list(asked.messages ?? asked.input)
  const said = m => typeof m?.content === 'string' ? m.content : list(m?.content).map(c => c?.text ?? '').join('')
  if (!/\/(chat\/completions|completions|responses)$/.test(path)) {
    return `${lines[0]}\nwhen: { path: ${JSON.stringify(path)}, method: ${entry.method} }\nwire: { body: { answer: "to ${entry.id}" } }\n`
  }
  const last = messages.at(-1), user = isText(asked.input) ? asked.input : isText(asked.prompt) ? asked.prompt : said(messages.findLast(m => m?.role === 'user'))
  if (!named) {
    lines.push('when:')
    if (asked.model) lines.push(`  model: ${JSON.stringify(asked.model)}`)
    if (last?.role === 'tool') lines.push(`  tool_result: ${JSON.stringify(last.tool_call_id)}`)
    else if (user) lines.push(`  user: ${JSON.stringify(user)}`)
    if (lines.length === 2) lines.pop()
  }
  return [...lines, 'stream:', '  - role: assistant', '  - content: "An answer "', `  - content: "to request ${entry.id}."`, '  - finish: stop', ''].join('\n')
}

// writeScenario opens a scenario for the request that is shown in Try YAML.
async function writeScenario() {
  const { entry } = shown
  const text = entry.unmatched ? scaffold(shown) : await (await ask(`requests/${entry.id}/scenario`)).text()
  view('try')
  setYAML(text)
  $('try-request').value = entry.id
  await tryYAML()
}

function save(parts, name, type) {
  const link = el('a', { href: URL.createObjectURL(new Blob(parts, { type })), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

// download saves the bytes that were sent.
function download() {
  return doing(async () => {
    const { entry, line } = shown
    const bytes = entry.transcript && !inside ? await (await ask(`requests/${entry.id}/transcript`)).blob() : null
    if (!bytes && !line) throw new Error(shown.missing)
    save(bytes ? [bytes] : model(line, entry).rows.filter(r => r.bytes && r.past).map(r => r.bytes), `request-${entry.id}.txt`)
  })
}

const downloadJSON = () => save([JSON.stringify({ ...shown.entry, body: shown.body.value ?? shown.body.text, timeline: shown.line, why: shown.why }, null, 2)], `request-${shown.entry.id}.json`, 'application/json')

// har makes an HTTP archive of the requests in the list, with the times of their events.
async function har() {
  const fields = header => Object.entries(header ?? {}).flatMap(([name, values]) => values.map(value => ({ name, value })))
  const origin = inside ? 'http://' + (inside.about.address || '127.0.0.1:8080') : location.origin, entries = []
  for (const { id } of [...rows.items].sort((a, b) => a.id - b.id)) {
    const path = 'requests/' + id
    const [entry, line, body] = await Promise.all([json(path), json(path + '/timeline').catch(() => null), bodyOf(id)])
    const events = line ? model(line, entry).rows.filter(r => r.bytes && r.past) : [], ms = ns => ns / 1e6
    const text = events.map(r => decoder.decode(r.bytes)).join(''), wait = ms(events[0]?.time ?? entry.delivery.duration_ns), type = line?.header?.['Content-Type']?.[0] ?? ''
    entries.push({
      startedDateTime: entry.time, time: ms(entry.delivery.duration_ns), cache: {}, timings: { send: 0, wait, receive: Math.max(0, ms(entry.delivery.duration_ns) - wait) },
      request: { method: entry.method, url: origin + entry.path, httpVersion: entry.delivery.protocol, cookies: [], headers: fields(entry.header), headersSize: -1, bodySize: body.bytes.length,
        queryString: [...new URL(origin + entry.path).searchParams].map(([name, value]) => ({ name, value })),
        ...body.text && { postData: { mimeType: entry.header['Content-Type']?.[0] ?? '', text: body.text } } },
      response: { status: entry.status, statusText: '', httpVersion: entry.delivery.protocol, cookies: [], headers: fields(line?.header), redirectURL: '', headersSize: -1, bodySize: entry.delivery.bytes,
        content: { size: text.length, mimeType: type, text } },
      _events: events.map(r => ({ time: ms(r.time), due: ms(r.due ?? r.time), kind: r.kind, data: decoder.decode(r.bytes) })), _scenario: entry.scenario, _ended: entry.delivery.ended,
    })
  }
  return { log: { version: '1.2', creator: { name: 'fakeopenai', version: inside?.about.version ?? '' }, entries } }
}
