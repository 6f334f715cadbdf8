// One request: its facts, why it was answered so, and what was asked.
let shown = null // what is shown of the selected request: entry, body, line (its timeline), why
let part = 'Stream' // the part of the request that is shown
let loadDue = 0
const parts = ['Stream', 'Why', 'Request', 'Answer']

// select shows a request. One that the user picks is a step in the history of the browser.
async function select(id, quiet) {
  if (id === selected && shown) return
  selected = id
  shown = null
  if (id && !quiet) remember(true)
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

// showStart says on a first visit how to send a request.
async function showStart() {
  const url = (inside ? 'http://' + inside.about.address : location.origin) + '/v1'
  const { scenarios } = await json('scenarios').catch(() => ({ scenarios: [] }))
  const command = `curl -N ${url}/chat/completions -H 'Content-Type: application/json' \\\n  -d '{"model": "gpt-4o", "stream": true, "messages": [{"role": "user", "content": "hello"}]}'`
  const variables = `export OPENAI_BASE_URL=${url} OPENAI_API_KEY=sk-test`
  if (selected) return
  showNothing(el('div', { class: 'start' }, el('h2', {}, 'Nothing was asked yet.'), el('p', {}, `${plural(scenarios.length, 'scenario')} can answer. Send a request, or give a client these variables:`),
    [command, variables].map(text => el('div', { class: 'copied' }, el('pre', { class: 'box' }, text), el('button', { class: 'small', click: event => copy(event.target, text) }, 'Copy'))),
    el('p', { class: 'muted' }, 'While this page is open, the server keeps when it sends what; with serve --transcripts always.')))
}

// load gets what is shown of the selected request, and again while its answer is open.
async function load() {
  clearTimeout(loadDue)
  if (document.hidden && shown) return // see catchUp
  const id = selected
  if (!id) return showStart()
  if (!requests.has(id)) return showNothing(goneBecause(id))
  try {
    const path = 'requests/' + id, { started } = journal, before = shown?.entry.id === id ? shown : null
    const [entry, line, why, body] = await Promise.all([json(path), json(path + '/timeline').catch(err => err), json(path + '/why'), before?.body.bytes.length ? before.body : bodyOf(id)])
    if (id !== selected) return
    shown = { entry, why, body, started, line: line instanceof Error ? null : line, missing: line.message, other: shown?.entry.id === id ? shown.other : null }
    showDetail()
    if (entry.delivery.ended === 'open' && !inside) loadDue = setTimeout(load, 400)
  } catch (err) {
    if (id === selected && !shown) showNothing(err.message)
  }
}

function showDetail() {
  const { entry } = shown, row = requests.get(entry.id) ?? entry
  const tries = calls.get(row.call) ?? []
  const choices = [...tries.filter(r => r.id !== entry.id).map(r => [r, 'try ' + (tries.indexOf(r) + 1)]),
    ...rows.items.filter(r => r.call !== row.call).slice(0, 40).map(r => [r, r.scenario || r.path])]
  const button = (id, text, click, title) => el('button', { id, class: 'small', click, title }, text)
  $('nothing').hidden = true
  for (const id of ['head', 'part']) $(id).hidden = false
  put($('head'),
    el('h2', {}, el('button', { class: 'back small', click: back }, '← List'), ` #${entry.id} ${entry.method} ${entry.path}`),
    el('div', { id: 'gone', role: 'status' }, !isThere() && el('p', { class: 'note' }, goneBecause(entry.id, shown.started) + ' What is shown here stays.')),
    facts(entry),
    el('div', {}, entry.problem && el('p', { class: 'problem' }, entry.problem)),
    el('div', { class: 'actions' },
      button('curl', 'Copy as curl', event => copyCurl(event.target)),
      !inside && button('again', 'Send again', () => doing(sendAgain), 'Sends the request to the server once more'),
      !inside && !entry.unmatched && button('as-scenario', 'Copy as scenario', event => copyScenario(event.target, shown.entry.id)),
      !inside && button('to-try', entry.unmatched ? 'Write a scenario' : 'Edit as scenario', () => doing(writeScenario), 'Opens a scenario for this request in Try YAML'),
      button('transcript', 'Download answer', download), button('as-json', 'Download JSON', downloadJSON, 'The request, its answer with times, and why, in one file'),
      el('input', { id: 'compare', class: 'small', list: 'compare-list', placeholder: 'compare with #', size: 14, inputmode: 'numeric', 'aria-label': 'Compare with request number',
        change: event => compareWith(Number(event.target.value.replace('#', ''))) }),
      el('datalist', { id: 'compare-list' }, choices.map(([r, name]) => el('option', { value: r.id }, `#${r.id} ${short(name, 30)} ${r.status}`)))),
    el('p', { id: 'said-of-copy', class: 'muted', role: 'status' }, copyNote?.id === entry.id && copyNote.text),
    el('div', { role: 'tablist', 'aria-label': 'Parts of the request' }, parts.map(name =>
      el('button', { role: 'tab', id: 'part-' + name, 'aria-controls': 'part', click: () => { open(name); remember(true) } }, name))))
  open(part)
}

function facts(entry) {
  const d = entry.delivery, fact = (name, value, of) => value && el('span', {}, name + ' ', el('b', { class: of }, value))
  const isTurn = d.protocol === 'WebSocket', planned = shown.line?.whole || d.planned
  return el('p', { class: 'facts' },
    fact('status', String(entry.status || 'none yet'), entry.failed ? 'bad' : ''),
    fact('answer', entry.answer, entry.failed ? 'bad' : ''), fact('model', entry.model), fact('scenario', entry.scenario),
    fact('ended', endingOf(d.ended, d.end), entry.failed ? 'bad' : ''), fact('after', duration(d.duration_ns)), fact('at', dated(entry.time)),
    planned > 0 && fact('events', `${d.frames.toLocaleString('en')} of ${planned.toLocaleString('en')}`, d.frames < planned && d.ended !== 'open' ? 'bad' : ''), fact('bytes', d.bytes.toLocaleString('en')),
    fact('protocol', d.protocol), (isTurn || d.reused) && fact(isTurn ? 'turn' : 'request', `${d.request_number} of ${isTurn ? `connection ${d.connection}` : 'its connection'}`),
    fact('lane', d.lane),
    d.close_code > 0 && fact('close code', String(d.close_code)),
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
  put($('comparison'), differencesNote())
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

const mark = holds => el('span', { class: holds ? 'good' : 'bad' }, holds ? '✓ ' : '✗ ')

const conditionList = conditions => el('ul', {}, conditions.length === 0 && el('li', { class: 'muted' }, 'It has no conditions.'),
  conditions.map(c => el('li', { dir: 'auto' }, mark(c.holds), c.condition,
    c.value && el('span', { class: 'muted' }, ': it is ' + c.value), c.reason && el('span', { class: 'bad' }, ' — ' + c.reason))))

function trial(t) {
  return el('div', { class: 'trial' },
    el('b', {}, t.scenario), t.reply >= 0 && el('span', { class: 'muted' }, `, reply ${t.reply + 1}`),
    t.reason && t.conditions.every(c => c.holds) && el('span', { class: 'bad' }, ` — ${t.reason}`), conditionList(t.conditions))
}

function whyPart() {
  const { why, entry, other } = shown
  const drawn = (entry.drawn ?? []).map(text => el('li', { class: 'muted' }, text))
  const heading = (e, w) => e.injected ? 'The fault ' + e.injected : w.picked ? 'Why this scenario' : e.note ? 'The server answered by itself' : e.scenario ? 'The scenario has changed since' : 'No scenario answered'
  return [
    el('h2', {}, heading(entry, why)),
    el('p', { class: 'muted' }, why.because),
    why.picked && trial(why.picked),
    drawn.length > 0 && el('h3', {}, 'Drawn from the seed'), drawn.length > 0 && el('ul', {}, drawn),
    other && el('div', { class: 'other' }, el('h3', {}, `#${other.entry.id}: ${heading(other.entry, other.why)}`), el('p', {}, other.why.because), other.why.picked && trial(other.why.picked)),
    why.others.length > 0 && el('h3', {}, 'Others, the nearest first'), ...why.others.map(trial),
    why.more > 0 && el('p', { class: 'muted' }, `${plural(why.more, 'more scenario')} are not shown.`),
  ].filter(Boolean)
}

const pretty = value => typeof value === 'string' ? value : JSON.stringify(value, null, 2)
const headerTable = (header, label) =>
  table(['name', 'value'], Object.entries(header ?? {}).flatMap(([name, values]) => values.map(v => [name, v])), label)

let raw = false // whether the body of the request is shown as it was sent

// bodyText is the body of a request for people.
function bodyText(body, entry) {
  if (body.bytes.length === 0) return Number(entry.header['Content-Length']?.[0]) > 0 ? '(The server did not read the body.)' : '(no body)'
  if (body.text === undefined) return hex(body.bytes)
  return raw || body.value === undefined ? body.text : prettyJSON(body.text)
}

function requestPart() {
  const { entry, body, other } = shown, differences = other ? requestDifferences() : [], said = v => v === undefined ? 'none' : short(JSON.stringify(v), 300)
  return [
    other && el('h3', {}, `Differences from request #${other.entry.id}`),
    other && (differences.length === 0 ? el('p', {}, 'There are none.') : table(['member', `#${other.entry.id}`, `#${entry.id}`], differences.map(d => [d.path, said(d.a), said(d.b)]), 'Differences')),
    el('h3', {}, 'Body ', el('button', { class: 'small', 'aria-pressed': String(raw), click: () => { raw = !raw; open('Request') } }, 'Raw')),
    el('pre', { class: 'box', id: 'body', dir: 'auto' }, bodyText(body, entry)),
    el('h3', {}, 'Header'), headerTable(entry.header, 'Header of the request')].filter(Boolean)
}

function answerPart() {
  const { entry, line } = shown
  return [
    el('h3', {}, 'Header'), headerTable(line?.header, 'Header of the answer'),
    el('h3', {}, 'Delivery'), el('pre', { class: 'box' }, pretty(entry.delivery)),
  ]
}
