// The other views, and the keys of the keyboard.
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
      d.line && el('b', { class: 'bad' }, `line ${d.line}${d.column ? ':' + d.column : ''} `), d.message,
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

// Keys.

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
  else if (names[event.key - 1]) {
    event.preventDefault()
    view(names[event.key - 1])
  }
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
window.addEventListener('popstate', () => select(Number(location.hash.slice(1)) || 0, true))
view('requests')
follow()
