// The other views, and the keys of the keyboard.
async function showScenarios() {
  const { scenarios } = await json('scenarios'), { sends, plain } = await json('scenarios/sends'), asked = new Map()
  for (const row of requests.values()) asked.set(row.scenario, (asked.get(row.scenario) ?? 0) + 1)
  const reply = r => [r.kind, r.times && `given ${r.given} of ${r.times}`, r.chance !== undefined && `chance ${r.chance}`,
    ...r.when ?? []].filter(Boolean).join('; ')
  put($('scenarios'), table(['scenario', 'asked for', 'what goes out', 'replies', 'holds', 'where'], scenarios.map(s => [
    [el('b', {}, s.name), s.description && el('div', { class: 'muted' }, s.description)],
    asked.has(s.name) ? el('span', { class: 'good' }, plural(asked.get(s.name), 'time')) : el('span', { class: 'muted' }, 'not yet'),
    sends[s.name] ?? '', s.replies.map(r => el('div', {}, reply(r))),
    (s.holds ?? []).join(', '), s.source ?? '',
  ]), 'Scenarios'), el('p', { class: 'muted' }, 'Who answers a plain request: ' + plain))
}

async function showLimits() {
  const { usage } = await json('usage')
  const level = l => l.limit === undefined ? `${l.used}` : `${l.used} of ${l.limit}, ${l.remaining ?? 0} left` + (l.reset ? `, all in ${l.reset}` : '')
  const lines = usage.flatMap(key => key.limits.map(w => [key.api_key || 'no key', w.of, w.window, level(w.requests), level(w.tokens),
    w.concurrent ? `${w.open} of ${w.concurrent}` : String(w.open)]))
  put($('limits'), lines.length === 0 ? el('p', { class: 'empty' }, 'No key has spent anything of a limit.')
    : table(['key', 'limits of', 'window', 'requests', 'tokens', 'open'], lines, 'Limits by key'))
}

async function showEndpoints() {
  const { endpoints } = await json('')
  const opens = e => e.method === 'GET' && e.path.startsWith('/_fake/') && !/[{]|wait$|events$/.test(e.path)
  put($('endpoints'), table(['method', 'path', 'query', 'what it does'], endpoints.map(e => [
    e.method, opens(e) ? el('a', { href: e.path }, e.path) : e.path, (e.parameters ?? []).join(', '), e.does]), 'Endpoints'))
}

const views = { requests: null, scenarios: showScenarios, limits: showLimits, try: () => $('yaml').focus(), endpoints: showEndpoints }

let shownView = 'requests'

function view(name) {
  shownView = name
  for (const other of Object.keys(views)) {
    $(other).hidden = other !== name
    $('tab-' + other).setAttribute('aria-selected', other === name)
    $('tab-' + other).tabIndex = other === name ? 0 : -1
  }
  if (views[name]) doing(views[name])
}

// The address has what is shown: #37, #37/why, #37/stream/5 for the fifth row of the stream, or #scenarios.
function place() {
  if (shownView !== 'requests') return '#' + shownView
  const at = part === 'Stream' && stream?.of === selected ? stream.at + 1 : 0
  return selected ? `#${selected}` + (at > 0 ? `/stream/${at}` : part === 'Stream' ? '' : '/' + part.toLowerCase()) : ''
}

// remember puts what is shown into the address; as a step, Back returns to what was shown before.
function remember(isStep) {
  const now = place() || location.pathname + location.search
  if (now !== location.hash) history[isStep ? 'pushState' : 'replaceState'](null, '', now)
}

// visit shows what the address says.
async function visit() {
  const [first, of, at] = location.hash.slice(1).split('/')
  if (first in views && first !== 'requests') { view(first); return }
  if (shownView !== 'requests') view('requests')
  part = parts.find(name => name.toLowerCase() === of) ?? 'Stream'
  const id = Number(first) || selected || rows.items[0]?.id || 0
  if (id === selected && shown) open(part)
  else await select(id, true)
  if (Number(at) > 0 && shown?.entry.id === id) stream?.pick(Number(at) - 1)
}

// Keys.

let isKeyed = localStorage.getItem('fakeopenai-keys') !== 'off' // whether keys of one letter do something
const isTyping = e => e.matches('input:not([type=checkbox]):not([type=range]), textarea, select')

document.addEventListener('keydown', event => {
  const at = document.activeElement ?? document.body
  if (document.querySelector('dialog[open]')) return
  if (event.key === 'Escape') {
    if (at === $('search') && $('search').value) { $('search').value = ''; showList() } else if (at !== $('yaml')) back()
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
  if (isTyping(at) || event.ctrlKey || event.metaKey || event.altKey || !isKeyed && event.key.length === 1) return
  const names = Object.keys(views).filter(name => !$('tab-' + name).hidden)
  if (event.key === '?') $('help').showModal()
  else if (names[event.key - 1]) {
    event.preventDefault()
    view(names[event.key - 1])
    remember(true)
  }
  else if ($('requests').hidden) return
  else if (event.key === '/') { event.preventDefault(); back(); $('search').focus() }
  else if (event.key === 'f') { $('failed-only').checked = !$('failed-only').checked; showList() }
  else if (event.key === 'c') $('compare')?.focus()
  else if (event.key === 'p') { open('Stream'); stream?.play() }
  else if (event.key === 'Enter' && (at === $('list') || at === document.body)) {
    narrowOpen = true
    $('requests').classList.add('one')
    open('Stream')
    stream?.focus()
  } else if (at === $('list') || at === document.body) rows.key(event)
})

$('list').addEventListener('click', () => { narrowOpen = true; $('requests').classList.add('one') })
$('search').oninput = () => { showList(); findSoon() }
$('by-scenario').onchange = showList
$('failed-only').onchange = showList
$('filters').onsubmit = event => { event.preventDefault(); $('list').focus() }
$('help-button').onclick = () => $('help').showModal()
$('keys').checked = isKeyed
$('keys').onchange = () => {
  isKeyed = $('keys').checked
  localStorage.setItem('fakeopenai-keys', isKeyed ? 'on' : 'off')
}
for (const name of Object.keys(views)) {
  $('tab-' + name).onclick = () => { view(name); remember(true) }
  if (inside && ['try', 'endpoints'].includes(name)) $('tab-' + name).hidden = true
}
window.addEventListener('popstate', visit)
view('requests')
follow()
