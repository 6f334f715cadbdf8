// One request: its facts, why it was answered so, what was asked, and copies of it.
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
