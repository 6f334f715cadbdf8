// One request: its facts, why it was answered so, what was asked, and copies of it.
let shown = null // what is shown of the selected request: entry, line (its timeline), why
let part = 'Stream' // the part of the request that is shown
let loadDue = 0

// select shows a request. One that the user picks is a step in the history of the browser.
async function select(id, quiet) {
  if (id === selected && shown) return
  if (id && !quiet) history.pushState(null, '', '#' + id)
  selected = id
  shown = null
  $('requests').classList.toggle('one', narrowOpen)
  const index = rows.items.findIndex(row => row.id === id)
  if (index >= 0 && index !== rows.at) rows.select(index, true)
  await load()
}

let narrowOpen = false // whether a narrow window shows the request in place of the list

// isThere tells whether the server still has the request that is shown.
const isThere = () => shown && shown.started === journal.started && requests.has(shown.entry.id)

// goneBecause says why the journal has not, or not any more, a request.
function goneBecause(id, started) {
  if (started && started !== journal.started) return `The server was started anew at ${clock(journal.started)}, and this is request ${id} of the one before.`
  if (id < journal.oldest || !journal.oldest && id <= journal.forgotten) return `Request ${id} is forgotten: the journal keeps ${plural(journal.keeps, 'request')} (--journal).`
  return `The journal has no request ${id}` + (started ? ' any more: it was emptied.' : '.')
}

function showNothing(...text) {
  for (const id of ['head', 'part']) $(id).hidden = true
  $('nothing').hidden = false
  put($('nothing'), ...text)
}

// load gets what is shown of the selected request, and again while its answer is open.
async function load() {
  clearTimeout(loadDue)
  const id = selected
  if (!id) return showNothing('Nothing was asked yet. Point a client at ', el('b', {}, inside ? 'the server' : location.origin + '/v1'), '.')
  if (!requests.has(id)) return showNothing(goneBecause(id))
  try {
    const path = 'requests/' + id, { started } = journal
    const [entry, line, why] = await Promise.all([json(path), json(path + '/timeline').catch(err => err), json(path + '/why')])
    if (id !== selected) return
    const other = shown?.entry.id === id ? shown.other : null
    shown = { entry, why, started, line: line instanceof Error ? null : line, missing: line.message, other }
    showDetail()
    if (entry.delivery.ended === 'open' && !inside) loadDue = setTimeout(load, 400)
  } catch (err) {
    if (id === selected && !shown) showNothing(err.message)
  }
}

function showDetail() {
  const { entry } = shown, row = requests.get(entry.id) ?? entry
  const tries = calls.get(row.call) ?? []
  const compare = el('select', { id: 'compare', 'aria-label': 'Compare with', change: event => compareWith(Number(event.target.value)) },
    el('option', { value: 0 }, 'compare with …'),
    [...tries.filter(r => r.id !== entry.id).map(r => [r, 'try ' + (tries.indexOf(r) + 1)]),
      ...rows.items.filter(r => r.call !== row.call).slice(0, 40).map(r => [r, r.scenario || r.path])]
      .map(([r, name]) => el('option', { value: r.id }, `#${r.id} ${short(name, 30)} ${r.status}`)))
  $('nothing').hidden = true
  for (const id of ['head', 'part']) $(id).hidden = false
  put($('head'),
    el('h2', {}, el('button', { class: 'back small', click: back }, '← List'), ` #${entry.id} ${entry.method} ${entry.path}`),
    el('div', { id: 'gone', role: 'status' }, !isThere() && el('p', { class: 'note' }, goneBecause(entry.id, shown.started) + ' What is shown here stays.')),
    facts(entry),
    el('div', {}, entry.problem && el('p', { class: 'problem' }, entry.problem)),
    el('div', { class: 'actions' },
      el('button', { id: 'curl', click: event => copy(event.target, curl(shown.entry)) }, 'Copy as curl'),
      !inside && el('button', { id: 'as-scenario', click: event => copyScenario(event.target, shown.entry.id) }, 'Copy as scenario'),
      el('button', { id: 'transcript', click: download }, 'Download transcript'),
      el('button', { id: 'replay', click: () => { open('Stream'); stream?.play() } }, 'Replay'),
      compare),
    el('div', { role: 'tablist', 'aria-label': 'Parts of the request' }, ['Stream', 'Why', 'Request', 'Answer'].map(name =>
      el('button', { role: 'tab', id: 'part-' + name, 'aria-controls': 'part', click: () => open(name) }, name))))
  open(part)
}

function facts(entry) {
  const d = entry.delivery, fact = (name, value, of) => value && el('span', {}, name + ' ', el('b', { class: of }, value))
  return el('p', { class: 'facts' },
    fact('status', String(entry.status || 'none yet'), entry.failed ? 'bad' : ''),
    fact('answer', entry.answer, entry.failed ? 'bad' : ''), fact('model', entry.model), fact('scenario', entry.scenario),
    fact('ended', endingOf(d.ended, d.end), entry.failed ? 'bad' : ''), fact('after', duration(d.duration_ns)),
    d.planned > 0 && fact('frames', `${d.frames} of ${d.planned}`), fact('bytes', d.bytes.toLocaleString('en')),
    fact('protocol', d.protocol), d.reused && fact('request', `${d.request_number} of its connection`),
    fact('fault', entry.injected, 'bad'),
    d.left && fact('client left', `${d.left} after ${duration(d.left_after_ns)}`, 'bad'),
    d.unread?.bytes > 0 && fact('not read', `${d.unread.bytes.toLocaleString('en')} bytes`, 'warn'),
    fact('limit', entry.limit, 'warn'), fact('key', entry.api_key))
}

// open shows a part of the request that is shown, or what has changed in it.
function open(name) {
  part = name
  for (const tab of $('head').querySelectorAll('[role=tab]')) tab.setAttribute('aria-selected', tab.id === 'part-' + name)
  const box = $('part')
  box.setAttribute('aria-labelledby', 'part-' + name)
  box.classList.toggle('stream', name === 'Stream')
  if (name !== 'Stream') {
    put(box, ...{ Why: whyPart, Request: requestPart, Answer: answerPart }[name]())
    return
  }
  if (stream?.of !== shown.entry.id || stream.started !== shown.started || !box.contains(stream.root)) {
    stream?.stop()
    stream = Object.assign(waterfall('stream', box), { of: shown.entry.id, started: shown.started })
    stream.show(shown.line, shown.entry, shown.missing)
    if (shown.other) stream.compare(shown.other)
  } else stream.show(shown.line, shown.entry, shown.missing)
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
  return el('div', { class: 'trial' },
    el('b', {}, t.scenario), t.reply >= 0 && el('span', { class: 'muted' }, `, reply ${t.reply + 1}`),
    t.reason && t.conditions.every(c => c.holds) && el('span', { class: 'bad' }, ` — ${t.reason}`),
    el('ul', {}, t.conditions.length === 0 && el('li', { class: 'muted' }, 'It has no conditions.'),
      t.conditions.map(c => el('li', {}, mark(c.holds), c.condition,
        c.value && el('span', { class: 'muted' }, ': it is ' + c.value), c.reason && el('span', { class: 'bad' }, ' — ' + c.reason)))))
}

function whyPart() {
  const { why, entry } = shown
  const drawn = (entry.drawn ?? []).map(text => el('li', { class: 'muted' }, text))
  return [
    el('h2', {}, entry.injected ? 'The fault ' + entry.injected : why.picked ? 'Why this scenario' : entry.note ? 'The server answered by itself' : entry.scenario ? 'The scenario has changed since' : 'No scenario answered'),
    el('p', { class: 'muted' }, why.because),
    why.picked && trial(why.picked),
    drawn.length > 0 && el('h3', {}, 'Drawn from the seed'), drawn.length > 0 && el('ul', {}, drawn),
    why.others.length > 0 && el('h3', {}, 'Others, the nearest first'), ...why.others.map(trial),
    why.more > 0 && el('p', { class: 'muted' }, `${plural(why.more, 'more scenario')} are not shown.`),
  ].filter(Boolean)
}

const pretty = value => typeof value === 'string' ? value : JSON.stringify(value, null, 2)
const headerTable = (header, label) =>
  table(['name', 'value'], Object.entries(header ?? {}).flatMap(([name, values]) => values.map(v => [name, v])), label)

let raw = false // whether the body of the request is shown in one line

function requestPart() {
  const { entry } = shown, text = entry.body ?? '(no body)'
  return [
    el('h3', {}, 'Body ', el('button', { class: 'small', 'aria-pressed': String(raw), click: () => { raw = !raw; open('Request') } }, 'Raw')),
    el('pre', { class: 'box', id: 'body' }, raw && typeof text !== 'string' ? JSON.stringify(text) : pretty(text)),
    el('h3', {}, 'Header'), headerTable(entry.header, 'Header of the request')]
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
