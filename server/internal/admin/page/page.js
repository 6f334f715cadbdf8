'use strict'
// The page shows what a fake was asked and what it sent. It is plain JavaScript without a build step:
// "ask" gets JSON from the endpoints below /_fake/ or, in a page that was written to a file, from the
// data inside the page. Texts become elements by "el" alone, so that nothing in them is HTML.

// ---- Elements ----

const $ = id => document.getElementById(id)

// el makes an element. Attributes that are false or undefined are left out, functions are listeners.
function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') e.addEventListener(name, value)
    else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value)
  }
  e.append(...children.flat().filter(child => child !== undefined && child !== null && child !== false))
  return e
}

const table = (heads, rows, label) => el('table', { 'aria-label': label },
  el('thead', {}, el('tr', {}, heads.map(h => el('th', { scope: 'col' }, h)))),
  el('tbody', {}, rows.map(cells => el('tr', {}, cells.map(c => el('td', {}, c))))))

const duration = ns => {
  const ms = ns / 1e6
  return ms < 9.95 ? ms.toFixed(2) + ' ms' : ms < 999.5 ? ms.toFixed(1) + ' ms' : (ms / 1000).toFixed(2) + ' s'
}
const clock = time => {
  const t = new Date(time), two = n => String(n).padStart(2, '0')
  return `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}.${String(t.getMilliseconds()).padStart(3, '0')}`
}
const short = (text, most = 60) => text.length > most ? text.slice(0, most) + '…' : text
const plural = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`

// rowList shows items as rows of one height, of which only those in sight are in the document. Pick is
// called with an item that is selected, peek with one below the pointer.
function rowList(box, height, render, { pick, peek } = {}) {
  const space = el('div', { class: 'space', role: 'presentation' })
  box.replaceChildren(space)
  let items = [], at = -1, due = false
  const draw = () => {
    due = false
    const first = Math.max(0, Math.floor(box.scrollTop / height) - 6)
    const last = Math.min(items.length, Math.ceil((box.scrollTop + box.clientHeight) / height) + 6)
    space.style.height = items.length * height + 'px'
    const rows = []
    for (let i = first; i < last; i++) {
      const row = render(items[i], i)
      row.style.top = i * height + 'px'
      row.style.height = height + 'px'
      row.id = `${box.id}-${i}`
      row.dataset.at = i
      row.setAttribute('role', 'option')
      row.setAttribute('aria-posinset', i + 1)
      row.setAttribute('aria-setsize', items.length)
      row.setAttribute('aria-selected', i === at)
      rows.push(row)
    }
    space.replaceChildren(...rows)
    if (at >= first && at < last) box.setAttribute('aria-activedescendant', `${box.id}-${at}`)
    else box.removeAttribute('aria-activedescendant')
  }
  const drawSoon = () => { if (!due) { due = true; requestAnimationFrame(draw) } }
  const indexOf = event => Number(event.target.closest('[data-at]')?.dataset.at ?? -1)
  const list = {
    get items() { return items },
    get at() { return at },
    show(all, selected = at) { items = all; at = Math.min(selected, all.length - 1); draw() },
    redraw: drawSoon,
    select(i, quiet) {
      at = Math.max(0, Math.min(items.length - 1, i))
      if (at * height < box.scrollTop) box.scrollTop = at * height
      if ((at + 1) * height > box.scrollTop + box.clientHeight) box.scrollTop = (at + 1) * height - box.clientHeight
      draw()
      if (!quiet && pick && items[at]) pick(items[at])
    },
    key(event) {
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[event.key]
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return false
      event.preventDefault()
      list.select(at + step)
      return true
    },
  }
  box.onscroll = drawSoon
  box.onpointerdown = event => {
    if (event.button === 0 && indexOf(event) >= 0 && !event.target.closest('button')) list.select(indexOf(event))
  }
  box.onpointerover = event => { if (peek && indexOf(event) >= 0) peek(items[indexOf(event)]) }
  new ResizeObserver(drawSoon).observe(box)
  return list
}

// ---- The server ----

const inside = JSON.parse($('data').textContent) // what a page in a file has of its run; null on a server
const base = location.pathname.replace(/[^/]$/, '$&/')
const ofKey = new URLSearchParams(location.search).get('api_key') // the key whose requests alone are shown; behind a balancer they are at its replica
const keyless = ['', 'scenarios/try'] // endpoints that take no key
const tokenName = 'fakeopenai-admin-token'
let asking = null // the promise of the token that is being asked for

// ask returns the answer of an endpoint below /_fake/. It asks for the token where one is needed.
async function ask(path, options = {}) {
  const token = sessionStorage.getItem(tokenName), headers = { Accept: 'application/json', ...options.headers }
  if (token) headers.Authorization = 'Bearer ' + token
  const query = ofKey && !keyless.includes(path) ? '?' + new URLSearchParams({ api_key: ofKey }) : ''
  const answer = await fetch(base + path + query, { ...options, headers, cache: 'no-store' })
  if (answer.status === 401) {
    await (asking ??= askToken(token !== null).finally(() => { asking = null }))
    return ask(path, options)
  }
  if (!answer.ok) {
    const text = await answer.text()
    let message = text
    try { message = JSON.parse(text).error.message } catch { /* it is no error of the server */ }
    throw new Error(message)
  }
  return answer
}

async function json(path, options) {
  if (!inside) return (await ask(path, options)).json()
  if (!(path in inside)) throw new Error('This page was written to a file, which does not have that.')
  return inside[path]
}

function askToken(wrong) {
  $('token-note').textContent = wrong ? 'The token was wrong. Try again.' : 'It is kept until this tab is closed.'
  $('token').value = ''
  $('ask-token').showModal()
  return new Promise(done => $('ask-token').addEventListener('close', () => {
    sessionStorage.setItem(tokenName, $('token').value)
    done()
  }, { once: true }))
}

function say(text, live) {
  $('state').textContent = text
  $('state').classList.toggle('live', Boolean(live))
}

const pause = ms => new Promise(done => setTimeout(done, ms))

// follow reads the events of the journal for as long as the page is open.
async function follow() {
  if (inside) {
    change(inside['requests/events'])
    say('a run in a file')
    return
  }
  for (;; await pause(1000)) {
    try {
      const answer = await ask('requests/events', { headers: { Accept: 'text/event-stream' } })
      say('live', true)
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      let parts = [] // the pieces of an event that is not complete
      for (let got = await reader.read(); !got.done; got = await reader.read()) {
        const texts = got.value.split('\n\n')
        parts.push(texts[0])
        for (const next of texts.slice(1)) {
          const event = parts.join('')
          parts = [next]
          if (event.startsWith('data: ')) change(JSON.parse(event.slice(6)))
        }
      }
      say('the server has ended; waiting for it')
    } catch (err) {
      say('no connection: ' + err.message)
    }
  }
}

// ---- The list of requests ----

let requests = new Map() // the rows of the journal, by id
let selected = 0 // the id of the request that is shown
let calls = new Map() // the rows of each call, by the id of its first request
const isOpen = row => row.ended === 'open'

const rows = rowList($('list'), 46, requestRow, { pick: row => select(row.id) })

// change takes an event of the journal.
function change(event) {
  if (event.anew) requests = new Map()
  for (const row of event.requests) {
    const texts = [row.path, row.model, row.scenario, row.status, row.ended, row.problem, row.api_key, row.injected]
    row.text = [...texts, '#' + row.id].join('\n').toLowerCase()
    requests.set(row.id, row)
  }
  for (const id of requests.keys()) {
    if (id >= event.oldest && event.oldest) break // ids ascend
    requests.delete(id)
  }
  calls = new Map()
  for (const row of requests.values()) {
    if (!calls.has(row.call)) calls.set(row.call, [])
    calls.get(row.call).push(row)
  }
  showScenarioNames()
  showList()
  const fresh = event.requests.find(row => row.id === selected)
  if (!selected || !requests.has(selected)) {
    const wanted = Number(location.hash.slice(1))
    select(requests.has(wanted) ? wanted : rows.items[0]?.id ?? 0)
  } else if (fresh) load()
  showHolds()
}

// showList shows the calls with at least one request that fits the filters, the newest first.
function showList() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean)
  const scenario = $('by-scenario').value, failed = $('failed-only').checked
  const fits = row => (!failed || row.failed) && (!scenario || row.scenario === scenario) && words.every(w => row.text.includes(w))
  const list = []
  const newest = [...calls.values()].sort((a, b) => b[b.length - 1].id - a[a.length - 1].id)
  for (const call of newest) {
    const shown = call.filter(fits)
    for (let i = shown.length - 1; i >= 0; i--) list.push(shown[i])
  }
  const index = list.findIndex(row => row.id === selected)
  rows.show(list, index)
  const all = plural(requests.size, 'request')
  $('count').textContent = list.length === requests.size ? all : `${list.length} of ${all}`
}

function showScenarioNames() {
  const names = [...new Set([...requests.values()].map(row => row.scenario).filter(Boolean))].sort()
  const select = $('by-scenario'), old = [...select.options].slice(1).map(o => o.value)
  if (names.join('\n') === old.join('\n')) return
  const value = select.value
  select.replaceChildren(select.options[0], ...names.map(n => el('option', { value: n }, n)))
  select.value = names.includes(value) ? value : ''
}

const statusClass = row => isOpen(row) ? 'warn' : row.failed ? 'bad' : 'good'
// endingOf says how an answer ended, with the ending that its scenario asks for.
const endingOf = (ended, end) => end ? end.replace('_', ' ') + ', as authored' : ended.replace('_', ' ')
const failureOf = row => row.problem || (row.ended === 'complete' && row.failed && row.status < 400 ? 'error in the stream' : '')

function requestRow(row) {
  const tries = calls.get(row.call) ?? [row], number = tries.indexOf(row) + 1
  const retry = number < tries.length
  return el('div', { class: 'request' + (retry ? ' retry' : '') },
    el('span', { class: 'time' }, clock(row.time)),
    el('b', { class: statusClass(row) }, isOpen(row) && !row.status ? '…' : String(row.status || '—')),
    el('span', { class: 'name' }, row.scenario || row.path),
    el('span', { class: 'muted' }, isOpen(row) ? el('span', { class: 'warn open-dot' }, '● open') : duration(row.duration_ns)),
    el('span', { class: 'second' },
      tries.length > 1 && el('span', {}, `try ${number} of ${tries.length}${row.verdict ? ', ' + row.verdict.replace('_', ' ') : ''}`),
      row.model && el('span', {}, row.model), row.scenario && el('span', { class: 'path' }, row.path),
      row.injected && el('span', { class: 'bad' }, row.injected),
      row.ended !== 'complete' && el('span', { class: row.failed ? 'bad' : '' }, endingOf(row.ended, row.end)),
      failureOf(row) && el('span', { class: 'bad path' }, failureOf(row))))
}

// showHolds shows the streams that wait, as long as requests are open.
let holdsDue = 0
async function showHolds() {
  clearTimeout(holdsDue)
  if (inside) return
  const open = [...requests.values()].some(isOpen)
  try {
    const waiting = open ? (await json('holds')).holds.filter(h => h.waiting.length > 0) : []
    $('holds').hidden = waiting.length === 0
    $('holds').replaceChildren(...waiting.map(h => el('li', {},
      el('span', {}, 'hold ', el('b', {}, h.name)),
      el('span', { class: 'muted' }, plural(h.waiting.length, 'stream') + ' waiting: ',
        h.waiting.slice(0, 5).map(s => '#' + s.request).join(' ')),
      releaseButton(h.name))))
  } catch (err) { say(err.message) }
  if (open) holdsDue = setTimeout(showHolds, 700)
}

const releaseButton = name => el('button', { class: 'small', click: () => release(name) }, 'Release ' + name)

async function release(name) {
  await doing(async () => {
    await ask(`holds/${encodeURIComponent(name)}/release`, { method: 'POST' })
    await showHolds()
    await load()
  })
}

// doing does what a button says, and shows an error.
async function doing(run) {
  try { await run() } catch (err) { say(err.message) }
}

// ---- One request ----

let shown = null // what is shown of the selected request: entry, line (its timeline), why
let part = 'Stream' // the part of the request that is shown
let loadDue = 0

async function select(id) {
  if (id === selected && shown) return
  selected = id
  shown = null
  if (id) history.replaceState(null, '', '#' + id)
  $('requests').classList.toggle('one', narrowOpen)
  const index = rows.items.findIndex(row => row.id === id)
  if (index >= 0 && index !== rows.at) rows.select(index, true)
  await load()
}

let narrowOpen = false // whether a narrow window shows the request in place of the list

// load gets what is shown of the selected request, and again while its answer is open.
async function load() {
  clearTimeout(loadDue)
  const id = selected
  if (!id) {
    const where = el('b', {}, inside ? 'the server' : location.origin + '/v1')
    $('detail').replaceChildren(el('p', { class: 'empty' }, 'Nothing was asked yet. Point a client at ', where, '.'))
    return
  }
  try {
    const path = 'requests/' + id
    const [entry, line, why] = await Promise.all([json(path), json(path + '/timeline').catch(err => err), json(path + '/why')])
    if (id !== selected) return
    const again = shown?.entry.id === id
    shown = { entry, why, line: line instanceof Error ? null : line, missing: line.message, other: again ? shown.other : null }
    showDetail(again)
    if (entry.delivery.ended === 'open' && !inside) loadDue = setTimeout(load, 400)
  } catch (err) {
    if (id === selected) $('detail').replaceChildren(el('p', { class: 'empty' }, err.message))
  }
}

function showDetail(again) {
  const { entry } = shown, row = requests.get(entry.id) ?? entry
  if (again && part === 'Stream' && shown.line && stream?.isDrawn && $('detail').contains(stream.root)) {
    $('detail').querySelector('.facts').replaceWith(facts(entry))
    stream.show(shown.line, entry)
    return
  }
  const focused = $('detail').contains(document.activeElement) ? document.activeElement.id : ''
  const tries = calls.get(row.call) ?? []
  const compare = el('select', { id: 'compare', 'aria-label': 'Compare with', change: event => compareWith(Number(event.target.value)) },
    el('option', { value: 0 }, 'compare with …'),
    [...tries.filter(r => r.id !== entry.id).map(r => [r, 'try ' + (tries.indexOf(r) + 1)]),
      ...rows.items.filter(r => r.call !== row.call).slice(0, 40).map(r => [r, r.scenario || r.path])]
      .map(([r, name]) => el('option', { value: r.id }, `#${r.id} ${short(name, 30)} ${r.status}`)))
  $('detail').replaceChildren(
    el('div', { class: 'head' },
      el('h2', {}, el('button', { class: 'back small', click: back }, '← List'), ` #${entry.id} ${entry.method} ${entry.path}`),
      facts(entry),
      entry.problem && el('p', { class: 'problem' }, entry.problem),
      el('div', { class: 'actions' },
        el('button', { id: 'curl', click: event => copy(event.target, curl(entry)) }, 'Copy as curl'),
        !inside && el('button', { id: 'as-scenario', click: event => copyScenario(event.target, entry.id) }, 'Copy as scenario'),
        el('button', { id: 'transcript', click: download }, 'Download transcript'),
        el('button', { id: 'replay', 'aria-pressed': 'false', click: () => { open('Stream'); stream?.play() } }, 'Replay'),
        compare),
      el('div', { role: 'tablist', 'aria-label': 'Parts of the request' }, ['Stream', 'Why', 'Request', 'Answer'].map(name =>
        el('button', { role: 'tab', id: 'part-' + name, 'aria-controls': 'part', click: () => open(name) }, name)))),
    el('div', { id: 'part', class: 'part', role: 'tabpanel', 'aria-labelledby': 'part-' + part }))
  open(part)
  if (focused) $(focused)?.focus()
}

function facts(entry) {
  const d = entry.delivery, fact = (name, value, of) => value && el('span', {}, name + ' ', el('b', { class: of }, value))
  return el('p', { class: 'facts' },
    fact('status', String(entry.status || 'none yet'), entry.failed ? 'bad' : ''),
    fact('model', entry.model), fact('scenario', entry.scenario),
    fact('ended', endingOf(d.ended, d.end), entry.failed ? 'bad' : ''), fact('after', duration(d.duration_ns)),
    d.planned > 0 && fact('frames', `${d.frames} of ${d.planned}`), fact('bytes', d.bytes.toLocaleString('en')),
    fact('fault', entry.injected, 'bad'),
    d.left && fact('client left', `${d.left} after ${duration(d.left_after_ns)}`, 'bad'),
    d.unread?.bytes > 0 && fact('not read', `${d.unread.bytes.toLocaleString('en')} bytes`, 'warn'),
    fact('limit', entry.limit, 'warn'), fact('key', entry.api_key))
}

function open(name) {
  part = name
  for (const tab of $('detail').querySelectorAll('[role=tab]')) tab.setAttribute('aria-selected', tab.id === 'part-' + name)
  const box = $('part')
  box.setAttribute('aria-labelledby', 'part-' + name)
  box.classList.toggle('stream', name === 'Stream')
  if (name === 'Stream') {
    if (stream && box.contains(stream.root)) return
    stream?.stop()
    stream = waterfall('stream', box)
    stream.show(shown.line, shown.entry, shown.missing)
    if (shown.other) stream.compare(shown.other)
  } else box.replaceChildren(...{ Why: whyPart, Request: requestPart, Answer: answerPart }[name]())
}

function back() {
  narrowOpen = false
  $('requests').classList.remove('one')
  $('list').focus()
}

async function compareWith(id) {
  await doing(async () => {
    open('Stream')
    shown.other = id ? { entry: await json('requests/' + id), line: await json(`requests/${id}/timeline`) } : null
    stream.compare(shown.other)
  })
}

const mark = holds => el('span', { class: holds ? 'good' : 'bad' }, holds ? '✓ ' : '✗ ')

function trial(t) {
  const passed = t !== shown.why.picked && t.conditions.every(c => c.holds)
  return el('div', { class: 'trial' },
    el('b', {}, t.scenario), t.reply >= 0 && el('span', { class: 'muted' }, `, reply ${t.reply + 1}`),
    el('ul', {}, t.conditions.length === 0 && el('li', { class: 'muted' }, 'It has no conditions.'),
      t.conditions.map(c => el('li', {}, mark(c.holds), c.condition,
        c.value && el('span', { class: 'muted' }, ': it is ' + c.value), c.reason && el('span', { class: 'bad' }, ' — ' + c.reason))),
      passed && el('li', { class: 'muted' }, 'Nothing speaks against it, but it is used up, or another one comes before it.')))
}

function whyPart() {
  const { why, entry } = shown
  const drawn = (entry.drawn ?? []).map(text => el('li', { class: 'muted' }, text))
  return [
    el('h2', {}, why.picked ? 'Why this scenario' : entry.scenario ? 'The scenario has changed since' : 'No scenario answered'),
    el('p', { class: 'muted' }, why.named ? 'The request names the scenario, so that its own conditions need not hold.'
      : why.picked ? 'It is the first one of which all conditions hold.' : entry.problem ?? ''),
    why.picked && trial(why.picked),
    drawn.length > 0 && el('h3', {}, 'Drawn from the seed'), drawn.length > 0 && el('ul', {}, drawn),
    why.others.length > 0 && el('h3', {}, 'Others, the nearest first'), ...why.others.map(trial),
  ].filter(Boolean)
}

const pretty = value => typeof value === 'string' ? value : JSON.stringify(value, null, 2)
const headerTable = (header, label) =>
  table(['name', 'value'], Object.entries(header ?? {}).flatMap(([name, values]) => values.map(v => [name, v])), label)

function requestPart() {
  const { entry } = shown
  let raw = false
  const body = el('pre', { class: 'box', id: 'body' }, pretty(entry.body ?? '(no body)'))
  const toggle = el('button', { class: 'small', 'aria-pressed': 'false', click: () => {
    raw = !raw
    toggle.setAttribute('aria-pressed', raw)
    body.textContent = raw && typeof entry.body !== 'string' ? JSON.stringify(entry.body) : pretty(entry.body ?? '(no body)')
  } }, 'Raw')
  return [el('h3', {}, 'Body ', toggle), body, el('h3', {}, 'Header'), headerTable(entry.header, 'Header of the request')]
}

function answerPart() {
  const { entry, line } = shown
  return [
    el('h3', {}, 'Header as planned'), headerTable(line?.header, 'Header of the answer'),
    el('h3', {}, 'Delivery'), el('pre', { class: 'box' }, pretty(entry.delivery)),
  ]
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

// curl is the request as a command for a POSIX shell. Secrets are masked here, so it takes the key from
// the environment.
function curl(entry) {
  const quote = text => `'${String(text).replaceAll("'", `'\\''`)}'`
  const origin = inside ? 'http://127.0.0.1:8080' : location.origin
  const words = ['curl -N', `-X ${quote(entry.method)}`, quote(origin + entry.path)]
  for (const [name, values] of Object.entries(entry.header)) {
    if (/^(host|content-length|connection|accept-encoding|user-agent|transfer-encoding|cookie)$/i.test(name)) continue
    for (const value of values) {
      if (/^authorization$/i.test(name)) words.push(`-H "${name}: Bearer $OPENAI_API_KEY"`)
      else if (/^api-key$/i.test(name)) words.push(`-H "${name}: $OPENAI_API_KEY"`)
      else words.push('-H ' + quote(`${name}: ${value}`))
    }
  }
  if (entry.body !== undefined) {
    words.push('--data-raw ' + quote(typeof entry.body === 'string' ? entry.body : JSON.stringify(entry.body)))
  }
  return words.join(' \\\n  ')
}

// download saves the bytes that were sent.
function download() {
  return doing(async () => {
    const { entry, line } = shown
    let bytes = entry.transcript && !inside ? await (await ask(`requests/${entry.id}/transcript`)).blob() : null
    if (!bytes && !line) throw new Error(shown.missing)
    bytes ??= new Blob(model(line, entry).rows.filter(r => r.bytes && r.past).map(r => r.bytes))
    const link = el('a', { href: URL.createObjectURL(bytes), download: `request-${entry.id}.txt` })
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  })
}

// ---- What an answer says ----

const encoder = new TextEncoder(), decoder = new TextDecoder()
const isText = value => typeof value === 'string' && value !== ''
const list = value => Array.isArray(value) ? value : []

function frameBytes(frame) {
  if (frame.base64) return Uint8Array.from(atob(frame.base64), c => c.charCodeAt(0))
  return encoder.encode(frame.text ?? '')
}

// read reads an event of a stream, or a body in one piece.
function read(text) {
  const lines = text.split(/\r\n|\n|\r/)
  const of = name => lines.filter(l => l.startsWith(name + ':')).map(l => l.slice(name.length + 1).replace(/^ /, ''))
  const data = of('data'), comments = of('')
  const whole = data.length > 0 ? data.join('\n') : text.trim()
  let value
  try { value = JSON.parse(whole) } catch { /* it is no JSON */ }
  return { data: whole, comment: data.length === 0 && comments.length > 0 ? comments.join('\n') : null, value }
}

// saidBy lists what a chunk, event or body says: texts, reasoning, refusals, and calls with their arguments.
function saidBy(v) {
  const said = []
  const add = (what, key, text, name) => {
    if (isText(text) || isText(name)) said.push({ what, key, text: isText(text) ? text : '', name: isText(name) ? name : '' })
  }
  if (typeof v !== 'object' || v === null) return said
  for (const choice of list(v.choices)) {
    const d = choice?.delta ?? choice?.message ?? choice ?? {}, key = `${choice?.index ?? 0}`
    add('reasoning', key, d.reasoning_content ?? d.reasoning)
    add('text', key, d.content ?? d.text)
    add('refusal', key, d.refusal)
    for (const call of list(d.tool_calls)) add('call', `${key} ${call?.index ?? 0}`, call?.function?.arguments, call?.function?.name)
    if (d.function_call) add('call', key, d.function_call.arguments, d.function_call.name)
  }
  const kind = String(v.type ?? ''), key = `${v.output_index ?? 0}`
  if (kind.endsWith('output_text.delta')) add('text', key, v.delta)
  else if (kind.endsWith('refusal.delta')) add('refusal', key, v.delta)
  else if (kind.includes('reasoning') && kind.endsWith('.delta')) add('reasoning', key, v.delta)
  else if (/(arguments|input|code)\.delta$/.test(kind)) add('call', key, v.delta)
  else if (kind === 'response.output_item.added') add('call', key, '', v.item?.name)
  if (v.object === 'response') {
    list(v.output).forEach((item, i) => {
      add('call', `${i}`, item?.arguments, item?.name)
      for (const c of list(item?.content)) add(c?.refusal ? 'refusal' : 'text', `${i}`, c?.text ?? c?.refusal)
    })
  }
  return said
}

// summary is an event in a few words.
function summary(kind, { data, comment, value }) {
  if (comment !== null) return ': ' + comment
  const error = value?.error ?? (value?.type === 'error' ? value : value?.response?.error)
  if (error && typeof error === 'object') return `${error.code ?? ''} ${error.message ?? ''}`
  const said = saidBy(value)
  if (said.length > 0) return said.map(s => [s.name, s.text && JSON.stringify(s.text)].filter(Boolean).join(' ')).join(' ')
  const reason = list(value?.choices)[0]?.finish_reason, usage = value?.usage ?? value?.response?.usage
  if (reason) return String(reason)
  if (usage) return [usage.prompt_tokens ?? usage.input_tokens, usage.completion_tokens ?? usage.output_tokens].filter(n => n !== undefined).join(' + ') + ' tokens'
  if (value?.type && kind !== value.type) return String(value.type)
  return list(value?.choices)[0]?.delta?.role ?? (data === '[DONE]' || value === undefined ? data : '')
}

// ---- The waterfall ----

// model makes the rows of a timeline: the header, each frame and hold, how the client left, the end.
// The time of a row is when it was sent or, if it was not, when it was due.
function model(line, entry) {
  const d = entry?.delivery, waits = [...line.waits], rows = []
  let sum = 0
  const ends = line.writes.map(w => sum += w.bytes)
  const taken = readBytes(line.writes, d)
  let offset = 0, write = 0, shift = 0, count = 0
  const add = row => rows.push({ due: null, sent: null, past: true, ...row })
  const header = Object.entries(line.header ?? {}).flatMap(([name, values]) => values.map(v => `${name}: ${v}`)).join('\n')
  add({ kind: 'header', summary: line.status ? String(line.status) : 'no answer', header, due: line.start_ns, time: line.start_ns })
  const events = eventTexts(line.frames)
  line.frames.forEach((frame, i) => {
    const due = frame.due_ns + shift
    if (frame.hold) {
      const wait = waits.shift(), isWaiting = wait && !wait.released_ns && d?.ended === 'open'
      if (wait?.released_ns) shift = wait.released_ns - frame.due_ns
      const time = wait?.released_ns ?? wait?.reached_ns ?? due
      add({ kind: 'hold', hold: frame.hold, summary: frame.hold + (isWaiting ? ', waiting' : ''), due, wait, time, past: Boolean(wait) })
      return
    }
    const bytes = frameBytes(frame), end = offset + bytes.length, event = read(events[i])
    while (write < ends.length && ends[write] < end) write++
    const by = line.writes[write]
    const inPieces = frame.more || line.frames[i - 1]?.more, number = count + 1
    if (!frame.more) count++
    const planned = line.made_again && d && count <= d.frames // sent, but nobody knows when
    const sent = by ? { from: by.began_ns, to: by.ended_ns } : null
    let state = offset < sum ? 'broken off' : 'not sent'
    if (by) state = end > taken ? 'sent, not read' : 'sent'
    else if (planned) state = 'sent, but its time was not kept'
    add({
      kind: frame.kind || 'frame', summary: inPieces ? JSON.stringify(decoder.decode(bytes)) : summary(frame.kind, event), event, bytes, more: frame.more,
      number, bad: !inPieces && isTorn(line, frame, event),
      due, sent, state, write: by ? write + 1 : 0, time: sent?.to ?? due, past: Boolean(by || planned),
    })
    offset = end
  })
  const last = rows.findLastIndex(r => r.past)
  if (d?.left) {
    const left = { kind: 'client left', summary: d.left, time: Math.max(rows[last].time, d.left_after_ns), due: null, sent: null }
    rows.splice(last + 1, 0, { ...left, past: true, bad: true })
  }
  const ended = d && d.ended !== 'open', how = ended && d.ended !== 'complete' ? d.ended.replace('_', ' ') : ''
  add({
    kind: 'end', summary: [line.end, how].filter(Boolean).join(', '), due: line.end_at_ns + shift, past: Boolean(ended),
    time: ended ? d.duration_ns : line.end_at_ns + shift, bad: /cut|reset|stall|refuse/.test(line.end ?? '') || d?.ended === 'shutdown',
  })
  return { rows, until: Math.max(1, ...rows.map(r => Math.max(r.time, r.due ?? 0, r.wait?.reached_ns ?? 0))) }
}

// isTorn reports whether an event of a stream has data that a client cannot read as JSON.
const isTorn = (line, frame, { data, comment, value }) => frame.kind !== 'done' && value === undefined && comment === null && data !== '' &&
  /event-stream/.test(line.header?.['Content-Type'])

// eventTexts are the texts of the whole events to which the frames belong: an event can be cut into pieces.
function eventTexts(frames) {
  const texts = []
  let group = []
  frames.forEach((frame, i) => {
    group.push(i)
    if (frame.more) return
    const parts = group.map(k => frameBytes(frames[k])), all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0))
    let at = 0
    for (const p of parts) { all.set(p, at); at += p.length }
    for (const k of group) texts[k] = decoder.decode(all)
    group = []
  })
  for (const k of group) texts[k] = frames[k].text ?? ''
  return texts
}

// readBytes is how many bytes of the body the client's machine took. The server counts what it did not
// take together with the head and the end of each HTTP chunk.
function readBytes(writes, delivery) {
  let left = delivery?.unread?.bytes ?? 0, sum = writes.reduce((n, w) => n + w.bytes, 0)
  if (left === 0) return Infinity
  for (const w of [...writes].reverse()) {
    const framed = w.bytes + w.bytes.toString(16).length + 4
    if (left <= 0) break
    sum -= left >= framed ? w.bytes : Math.min(w.bytes, left)
    left -= framed
  }
  return sum
}

// timeScale maps times to 0…1 and back. Folded, long pauses take no more room than the usual ones allow.
function timeScale(times, until, folded) {
  const points = [...new Set([0, ...times.filter(t => t > 0), until])].sort((a, b) => a - b)
  const gaps = points.slice(1).map((t, i) => t - points[i]), sorted = [...gaps].sort((a, b) => a - b)
  const most = folded ? Math.max(4 * (sorted[sorted.length >> 1] ?? 0), until / 400) : Infinity
  const at = [0]
  gaps.forEach((g, i) => at.push(at[i] + Math.min(g, most)))
  const whole = at[at.length - 1] || 1
  const between = (from, to, value) => {
    let i = from.findIndex(f => f >= value)
    if (i < 0) return to[to.length - 1]
    if (i === 0) return to[0]
    return to[i - 1] + (to[i] - to[i - 1]) * (value - from[i - 1]) / (from[i] - from[i - 1])
  }
  return { x: t => between(points, at, t) / whole, t: x => between(at, points, x * whole) }
}

let stream = null // the waterfall of the selected request

// waterfall draws the timeline of an answer into a box: the text as it grows, a slider over time, a row
// for each event, and the bytes of one event beside what they say.
function waterfall(id, box) {
  let line, entry, first, second, scale, now = Infinity, playing = 0, folded = false, focus = null
  const saidBox = el('div', { class: 'said', 'aria-label': 'Text so far', role: 'region', tabindex: 0 })
  const slider = el('input', { type: 'range', min: 0, max: 1000, value: 1000, 'aria-label': 'Time', input: () => {
    stop()
    moveTo(slider.value >= 1000 ? Infinity : scale.t(slider.value / 1000))
  } })
  const shownTime = el('output', {})
  const playButton = el('button', { class: 'small', 'aria-label': 'Play at real speed', click: play }, '▶ Play')
  const foldBox = el('input', { type: 'checkbox', change: () => { folded = foldBox.checked; draw() } })
  const axis = el('div', { class: 'axis', 'aria-hidden': 'true' })
  const rowsBox = el('div', { id, class: 'rows focused', role: 'listbox', 'aria-label': 'Events of the stream', tabindex: 0 })
  const bytesBox = el('div', { class: 'bytes', 'aria-label': 'Bytes of the event' })
  const pace = el('div', { class: 'pace' }, playButton, slider, shownTime, el('label', {}, foldBox, ' fold pauses'))
  const root = el('div', { class: 'part stream' }, saidBox, pace, axis, rowsBox, bytesBox)
  box.replaceChildren(root)
  const events = rowList(rowsBox, 22, eventRow, { pick: showBytes, peek: showBytes })
  rowsBox.onkeydown = event => { if (events.key(event)) event.stopPropagation() }

  function draw() {
    const times = [...first.rows, ...second?.rows ?? []].flatMap(r => [r.time, r.wait?.reached_ns ?? 0])
    const until = Math.max(first.until, second?.until ?? 0)
    scale = timeScale(times, until, folded)
    const heads = ['#', 'at', 'pause'].map(name => el('span', { class: 'right' }, name))
    axis.replaceChildren(...heads, el('span', {}, 'event'), el('span', { class: 'write' }, 'write'),
      el('span', { class: 'lane' }, [0, 1 / 3, 2 / 3, 1].map(x => {
        const tick = el('span', { class: 'tick' }, duration(scale.t(x)))
        tick.style.left = x * 100 + '%'
        return tick
      })))
    const longer = second && second.rows.length > first.rows.length ? second.rows.slice(first.rows.length) : []
    events.show([...first.rows, ...longer.map(r => ({ ...r, alone: true }))])
    moveTo(now)
  }

  function eventRow(row, i) {
    const before = first.rows[i - 1], gap = row.time - (before?.time ?? 0), other = second?.rows[i]
    const colour = isBad(row) ? 'bad' : isBeat(row) ? 'good' : row.kind === 'hold' ? 'warn' : ''
    const kind = el('b', { class: colour }, row.kind)
    return el('div', { class: 'event' + (row.past || !entry ? '' : ' unsent') + (row.time > now ? ' later' : ''), title: stateOf(row) },
      el('span', { class: 'muted right' }, row.bytes && row.number !== before?.number ? String(row.number) : ''),
      el('span', { class: 'right' }, row.alone ? '' : duration(row.time)),
      el('span', { class: 'muted right' }, gap > 5e5 && !row.alone ? '+' + duration(gap) : ''),
      el('span', {}, kind, ' ', el('span', { class: 'summary' }, short(row.summary ?? '', 200)),
        other && other.summary !== row.summary && el('span', { class: 'other' }, ` ≠ ${short(other.summary ?? '', 60)}`),
        row.wait && !row.wait.released_ns && entry?.delivery.ended === 'open' && !inside && [' ', releaseButton(row.hold)]),
      el('span', { class: 'write ' + (!row.write ? '' : row.write % 2 ? 'odd' : 'even') }, row.write ? String(row.write) : ''),
      lane(row, before, other, second?.rows[i - 1]))
  }

  const isBad = row => row.bad || row.kind === 'error'
  const isBeat = row => row.kind === 'comment' || row.kind === 'heartbeat'

  function stateOf(row) {
    const words = [row.state]
    if (row.due !== null && row.sent) words.push(`due ${duration(row.due)}, sent ${duration(row.sent.to)}`)
    else if (row.due !== null && row.due !== undefined) words.push(`due ${duration(row.due)}`)
    if (row.bad && row.bytes) words.push('its data is no JSON')
    if (row.write) words.push(`write ${row.write} of ${line.writes.length}, ${plural(line.writes[row.write - 1].bytes, 'byte')}${packetsOf(row)}`)
    if (row.wait) words.push(`reached ${duration(row.wait.reached_ns)}`)
    if (row.wait?.released_ns) words.push(`released ${duration(row.wait.released_ns)}`)
    return words.filter(Boolean).join('; ')
  }

  // packetsOf says in how many packets the write of a row left, where the server knows that of any write.
  function packetsOf(row) {
    const { packets } = line.writes[row.write - 1]
    if (packets) return ' in ' + plural(packets, 'packet')
    return line.writes.some(w => w.packets) ? ', which left later: when the client read, or with the end' : ''
  }

  // lane draws a row over the time axis: the pause before it, when it was due, and when it was sent.
  function lane(row, before, other, otherBefore) {
    const bar = (of, from, to) => {
      const i = el('i', { class: of })
      i.style.left = scale.x(from) * 100 + '%'
      i.style.width = Math.max(0, scale.x(to) - scale.x(from)) * 100 + '%'
      return i
    }
    const dot = (of, at) => { const i = el('i', { class: of }); i.style.left = scale.x(at) * 100 + '%'; return i }
    const marks = []
    if (!row.alone) {
      if (before) marks.push(bar('pause', before.time, row.time))
      if (row.wait) marks.push(bar('hold', row.wait.reached_ns, row.wait.released_ns || Math.max(first.until, row.wait.reached_ns)))
      if (row.due !== null && row.kind !== 'client left') marks.push(dot('due', row.due))
      const of = isBeat(row) ? 'beat' : isBad(row) ? 'broken' : row.state === 'sent, not read' ? 'unread' : 'sent'
      if (row.sent) marks.push(bar(of, row.sent.from, row.sent.to))
      if (row.bad && !row.bytes) marks.push(dot('left', row.time))
    }
    if (other) marks.push(bar('second', other.sent?.from ?? other.time, other.time))
    if (now !== Infinity) marks.push(dot('now', now))
    const e = el('span', { class: 'lane' + (other ? ' double' : '') }, marks)
    return e
  }

  // showBytes shows the bytes of an event beside what they say.
  function showBytes(row) {
    if (row === focus) return
    focus = row
    const note = el('p', { class: 'muted' }, stateOf(row))
    if (!row.bytes) {
      bytesBox.replaceChildren(el('div', {}, el('h3', {}, row.kind + ' ' + (row.summary ?? '')), note), el('div', {}, el('pre', {}, row.header ?? '')))
      return
    }
    const decoded = row.event.value !== undefined ? pretty(row.event.value) : row.event.comment ?? row.event.data
    bytesBox.replaceChildren(
      el('div', { tabindex: 0, role: 'region', 'aria-label': 'Bytes' },
        el('h3', {}, plural(row.bytes.length, 'byte')), el('pre', { class: 'hex' }, hex(row.bytes))),
      el('div', { tabindex: 0, role: 'region', 'aria-label': 'Decoded' },
        el('h3', {}, row.kind + (row.more ? ', in pieces' : '')), note, el('pre', {}, decoded)))
  }

  // moveTo shows the stream as it was at a time.
  function moveTo(t) {
    now = t
    slider.value = t === Infinity ? 1000 : Math.round(scale.x(t) * 1000)
    shownTime.textContent = duration(t === Infinity ? first.until : t)
    slider.setAttribute('aria-valuetext', shownTime.textContent)
    const texts = el('div', {}, textUntil(first, t))
    saidBox.replaceChildren(texts, ...second ? [el('div', { class: 'other' }, `#${second.id}: `, textUntil(second, t))] : [])
    events.redraw()
  }

  function textUntil({ rows }, t) {
    const parts = new Map()
    for (const row of rows) {
      if (!row.event || row.more || row.time > t || !row.past && entry) continue
      for (const s of saidBy(row.event.value)) {
        const key = s.what + ' ' + s.key, old = parts.get(key) ?? { ...s, text: '' }
        parts.set(key, { ...old, name: old.name || s.name, text: old.text + s.text })
      }
    }
    if (parts.size === 0) return [el('span', { class: 'muted' }, 'No text up to here.')]
    return [...parts.values()].map(s => {
      const isCall = s.what === 'call', label = s.what !== 'text' ? s.what : s.key === '0' ? '' : 'choice ' + s.key
      return el('div', { class: isCall ? 'call' : '' },
        label && el('span', { class: 'label' }, label), isCall ? `${s.name}(${s.text})` : s.text)
    })
  }

  // play moves from the begin, or from where the slider is, to the end at real speed.
  function play() {
    if (playing) return stop()
    const from = now === Infinity || now >= first.until ? 0 : now, began = performance.now()
    playButton.textContent = '■ Stop'
    const step = () => {
      const t = from + (performance.now() - began) * 1e6
      if (t >= first.until) { stop(); moveTo(Infinity); return }
      moveTo(t)
      playing = requestAnimationFrame(step)
    }
    playing = requestAnimationFrame(step)
  }

  function stop() {
    cancelAnimationFrame(playing)
    playing = 0
    playButton.textContent = '▶ Play'
  }

  return {
    root, play, stop,
    get isDrawn() { return Boolean(line) },
    show(newLine, newEntry, missing) {
      [line, entry] = [newLine, newEntry]
      if (!line) {
        root.replaceChildren(el('p', { class: 'empty' }, missing ?? 'There is no timeline.'))
        return
      }
      first = model(line, entry)
      draw()
      if (line.made_again && !root.querySelector('.note')) {
        root.prepend(el('p', { class: 'note muted pace' }, 'Nobody looked when this answer was sent, so that the server has not kept ' +
          'when: these are its bytes, and when they were due. An open page, or serve --transcripts, keeps the times.'))
      }
      const bad = first.rows.findIndex(isBad)
      if (events.at < 0 && bad >= 0) events.select(bad, true)
      if (!focus || entry) { focus = null; const row = events.items[Math.max(0, events.at)]; if (row) showBytes(row) }
    },
    compare(other) {
      second = other && { ...model(other.line, other.entry), id: other.entry.id }
      if (line) draw()
    },
    focus() { rowsBox.focus(); if (events.at < 0) events.select(0) },
  }
}

// hex is the bytes as hexadecimal numbers, 12 in a line, with their characters.
function hex(bytes) {
  const lines = []
  for (let i = 0; i < Math.min(bytes.length, 12 * 256); i += 12) {
    const part = [...bytes.slice(i, i + 12)]
    const numbers = part.map(b => b.toString(16).padStart(2, '0')).join(' ').padEnd(35)
    const characters = part.map(b => b >= 32 && b < 127 ? String.fromCharCode(b) : '·').join('')
    lines.push(`${i.toString(16).padStart(4, '0')}  ${numbers}  ${characters}`)
  }
  if (bytes.length > 12 * 256) lines.push(`… ${bytes.length - 12 * 256} more`)
  return lines.join('\n')
}

// ---- The other views ----

async function showScenarios() {
  const { scenarios } = await json('scenarios'), asked = new Map()
  for (const row of requests.values()) asked.set(row.scenario, (asked.get(row.scenario) ?? 0) + 1)
  const reply = r => [r.kind, r.times && `given ${r.given} of ${r.times}`, r.chance !== undefined && `chance ${r.chance}`,
    ...r.when ?? []].filter(Boolean).join('; ')
  $('scenarios').replaceChildren(table(['scenario', 'asked for', 'conditions', 'replies', 'holds', 'where'], scenarios.map(s => [
    [el('b', {}, s.name), s.description && el('div', { class: 'muted' }, s.description)],
    asked.has(s.name) ? el('span', { class: 'good' }, plural(asked.get(s.name), 'time')) : el('span', { class: 'muted' }, 'not yet'),
    (s.when ?? ['none']).map(w => el('div', {}, w)), s.replies.map(r => el('div', {}, reply(r))),
    (s.holds ?? []).join(', '), s.source ?? '',
  ]), 'Scenarios'))
}

async function showLimits() {
  const { usage } = await json('usage')
  const level = l => l.limit === undefined ? `${l.used}` : `${l.used} of ${l.limit}, ${l.remaining ?? 0} left` + (l.reset ? `, all in ${l.reset}` : '')
  const lines = usage.flatMap(key => key.limits.map(w => [key.api_key || 'no key', w.of, w.window, level(w.requests), level(w.tokens),
    w.concurrent ? `${w.open} of ${w.concurrent}` : String(w.open)]))
  $('limits').replaceChildren(lines.length === 0 ? el('p', { class: 'empty' }, 'No key has spent anything of a limit.')
    : table(['key', 'limits of', 'window', 'requests', 'tokens', 'open'], lines, 'Limits by key'))
}

async function showEndpoints() {
  const { endpoints } = await json('')
  const opens = e => e.method === 'GET' && e.path.startsWith('/_fake/') && !/[{]|wait$|events$/.test(e.path)
  $('endpoints').replaceChildren(table(['method', 'path', 'query', 'what it does'], endpoints.map(e => [
    e.method, opens(e) ? el('a', { href: e.path }, e.path) : e.path, (e.parameters ?? []).join(', '), e.does]), 'Endpoints'))
}

async function tryYAML() {
  await doing(async () => {
    const options = { method: 'POST', body: $('yaml').value, headers: { 'Content-Type': 'application/yaml' } }
    const { diagnostics, scenarios } = await json('scenarios/try', options)
    $('problems').replaceChildren(...diagnostics.map(d => el('li', {},
      d.line && el('b', { class: 'bad' }, `line ${d.line}:${d.column} `), d.message,
      d.hint && el('span', { class: 'muted' }, ` (${d.hint})`), d.rule && el('span', { class: 'warn' }, ` [${d.rule}]`))))
    if (diagnostics.length === 0) $('problems').append(el('li', { class: 'good' }, `No problems in ${plural(scenarios.length, 'scenario')}.`))
    const box = el('div', { class: 'part stream' })
    const choose = el('select', { 'aria-label': 'Scenario', change: () => fall.show(scenarios[choose.selectedIndex].timeline, null) },
      scenarios.map(s => el('option', {}, s.name)))
    $('tried').replaceChildren(...scenarios.length > 0 ? [el('div', { class: 'pick' }, choose), box] : [])
    if (scenarios.length === 0) return
    const fall = waterfall('tried-events', box)
    fall.show(scenarios[0].timeline, null)
  })
}

const views = { requests: null, scenarios: showScenarios, limits: showLimits, try: () => $('yaml').focus(), endpoints: showEndpoints }

function view(name) {
  for (const other of Object.keys(views)) {
    $(other).hidden = other !== name
    $('tab-' + other).setAttribute('aria-selected', other === name)
    $('tab-' + other).tabIndex = other === name ? 0 : -1
  }
  if (views[name]) doing(views[name])
}

// ---- Keys ----

const isTyping = e => e.matches('input:not([type=checkbox]):not([type=range]), textarea, select')

document.addEventListener('keydown', event => {
  const at = document.activeElement ?? document.body
  if (document.querySelector('dialog[open]')) return
  if (event.key === 'Escape') {
    if (at === $('search') && $('search').value) { $('search').value = ''; showList() } else back()
    return
  }
  if (event.key === 'Enter' && event.ctrlKey && at === $('yaml')) { tryYAML(); return }
  if (at.getAttribute('role') === 'tab' && ['ArrowLeft', 'ArrowRight'].includes(event.key)) {
    const tabs = [...at.parentElement.querySelectorAll('[role=tab]:not([hidden])')]
    const next = tabs[(tabs.indexOf(at) + (event.key === 'ArrowLeft' ? tabs.length - 1 : 1)) % tabs.length]
    next.click()
    $(next.id)?.focus()
    return
  }
  if (isTyping(at) || event.ctrlKey || event.metaKey || event.altKey) return
  const names = Object.keys(views)
  if (event.key === '?') $('help').showModal()
  else if (names[event.key - 1]) view(names[event.key - 1])
  else if ($('requests').hidden) return
  else if (event.key === '/') { event.preventDefault(); back(); $('search').focus() }
  else if (event.key === 'f') { $('failed-only').checked = !$('failed-only').checked; showList() }
  else if (event.key === 'c') $('compare')?.focus()
  else if (event.key === 'p') $('replay')?.click()
  else if (event.key === 'Enter' && (at === $('list') || at === document.body)) {
    narrowOpen = true
    $('requests').classList.add('one')
    open('Stream')
    stream?.focus()
  } else if (at === $('list') || at === document.body) rows.key(event)
})

$('list').addEventListener('click', () => { narrowOpen = true; $('requests').classList.add('one') })
$('search').oninput = showList
$('by-scenario').onchange = showList
$('failed-only').onchange = showList
$('filters').onsubmit = event => { event.preventDefault(); $('list').focus() }
$('help-button').onclick = () => $('help').showModal()
$('try-button').onclick = tryYAML
for (const name of Object.keys(views)) {
  $('tab-' + name).onclick = () => view(name)
  if (inside && ['try', 'endpoints'].includes(name)) $('tab-' + name).hidden = true
}
$('yaml').value = `name: hello
when: { user: hello }
stream:
  - role: assistant
  - content: Hello
  - wait: 300ms
  - heartbeat: 2
  - content: " world"
  - finish: stop
`
window.addEventListener('hashchange', () => { const id = Number(location.hash.slice(1)); if (requests.has(id)) select(id) })
view('requests')
follow()
