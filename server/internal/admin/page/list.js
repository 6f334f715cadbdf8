// The list of requests, and the streams that wait at holds.
let requests = new Map() // the rows of the journal, by id
let journal = {} // what the last event says of the journal itself: see changeInfo in the server
let listedTo = 0 // the newest request that is listed, while the list stands still
let clearedTo = 0 // the newest request that is cleared from the list
let paused = false
let selected = 0 // the id of the request that is shown
let calls = new Map() // the rows of each call, by the id of its first request
const isOpen = row => row.ended === 'open'

const rows = rowList($('list'), 46, requestRow, row => select(row.id), row => row.id)

// change takes an event of the journal.
function change(event) {
  const { requests: changed, ...about } = event
  journal = about
  if (event.anew) requests = new Map()
  for (const row of event.requests) {
    const texts = [row.method, row.path, row.model, row.scenario, row.status, row.ended, row.problem, row.api_key, row.injected, row.protocol, row.surface]
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
  if (document.hidden) missed = true
  else showChange(changed.some(row => row.id === selected))
}

// showChange shows what has changed; isOfShown says whether the request that is shown did.
function showChange(isOfShown) {
  showScenarioNames()
  showList()
  if (!shown && !selected) visit()
  else if (!shown && requests.has(selected) || isThere() && isOfShown) load()
  else if (shown) showDetail()
  showHolds()
  if (searched().length > 0) findSoon()
  if (['scenarios', 'limits'].includes(shownView)) doing(views[shownView])
}

let missed = false // whether something has changed while the page was hidden, which asks for nothing and shows nothing

// catchUp shows what was missed.
function catchUp() {
  if (missed || shown?.entry.delivery.ended === 'open') showChange(true)
  else showHolds()
  missed = false
}

// The words of the filter that bodies and answers are searched for, and which requests have each. The server looks for
// them; in a file the page does.
let found = new Map(), findDue = 0, searchedTo = 0
const filterWords = () => ($('search').value.toLowerCase().match(/[^\s"]*"[^"]*"?|\S+/g) ?? []).map(word => word.replaceAll('"', '')).filter(Boolean)
const ofField = /^-?(status|method|path|key|model|protocol|scenario|surface):(.*)$/
const searched = () => filterWords().filter(word => !ofField.test(word)).map(word => word.replace(/^-(?=.)/, '')).filter(word => word.length > 1 && !/^#\d+$/.test(word))

function findSoon() {
  clearTimeout(findDue)
  findDue = setTimeout(() => doing(async () => {
    const next = new Map()
    searchedTo = 0
    for (const word of searched()) {
      const { requests: ids, oldest } = inside ? findInside(word) : await json('requests/find?' + new URLSearchParams({ text: word }))
      next.set(word, new Set(ids))
      searchedTo = Math.max(searchedTo, oldest)
    }
    found = next
    showList()
  }), inside ? 0 : 200)
}

function findInside(word) {
  const has = ({ id }) => {
    const body = inside[`requests/${id}/body`] ?? '', frames = inside[`requests/${id}/timeline`]?.frames ?? [], said = new Map()
    for (const text of new Set(eventTexts(frames))) {
      for (const s of saidBy(read(text).value)) said.set(s.what + s.key, (said.get(s.what + s.key) ?? '') + s.name + s.text)
    }
    return [body, frames.map(f => f.text ?? '').join(''), ...said.values()].some(text => String(text).toLowerCase().includes(word))
  }
  return { requests: [...requests.values()].filter(has).map(row => row.id), oldest: 0 }
}

// wordFits is the test of a word of the filter: status:429, method:, path:, key:, model:, protocol:, scenario: and
// surface: look at that alone, - before a word at rows without it.
function wordFits(word) {
  if (/^-./.test(word)) {
    const test = wordFits(word.slice(1))
    return row => !test(row)
  }
  const [, of, text] = ofField.exec(word) ?? []
  return row => of ? String(row[of === 'key' ? 'api_key' : of] ?? '').toLowerCase().includes(text) : row.text.includes(word) || Boolean(found.get(word)?.has(row.id))
}

// showList shows the calls with at least one request that fits the filters, the newest first.
function showList() {
  const words = filterWords().map(wordFits)
  const scenario = $('by-scenario').value, failed = $('failed-only').checked
  if (!paused && $('list').scrollTop === 0) listedTo = Infinity
  else if (listedTo === Infinity) listedTo = rows.items.reduce((newest, row) => Math.max(newest, row.id), 0)
  const fits = row => row.id > clearedTo && (!failed || row.failed) && (!scenario || row.scenario === scenario) && words.every(wordIn => wordIn(row))
  const listed = [...calls.values()].map(call => call.filter(row => row.id <= listedTo && fits(row))).filter(call => call.length > 0)
  const list = listed.sort((a, b) => b[b.length - 1].id - a[a.length - 1].id).flatMap(call => call.reverse())
  const index = list.findIndex(row => row.id === selected)
  rows.show(list, index)
  const all = plural(requests.size, 'request')
  const newer = [...requests.values()].filter(row => row.id > listedTo && fits(row)).length
  $('newer').hidden = newer === 0
  $('newer').textContent = `${newer.toLocaleString('en')} new`
  $('count').textContent = (list.length === requests.size ? all : `${list.length} of ${all}`) +
    (journal.forgotten ? `; ${journal.forgotten.toLocaleString('en')} forgotten` : '') + (ofKey ? '; only those of the key in the address' : '') +
    (found.size > 0 && searchedTo > (journal.oldest || 1) ? `; texts were searched back to #${searchedTo}` : '')
  $('none').hidden = list.length > 0 || requests.size === 0 || newer > 0
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
const failureOf = row => row.problem || row.found || (row.answer === 'error' ? 'error in the stream' : '')

function requestRow(row) {
  const tries = calls.get(row.call) ?? [row], number = tries.indexOf(row) + 1
  const retry = number < tries.length
  return el('div', { class: 'request' + (retry ? ' retry' : '') },
    el('span', { class: 'time' }, clock(row.time)),
    el('b', { class: statusClass(row) }, isOpen(row) && !row.status ? '…' : String(row.status || '—')),
    el('span', { class: 'name' }, row.scenario || row.path),
    el('span', { class: 'muted' }, isOpen(row) ? el('span', { class: 'warn open-dot' }, '● open') : duration(row.duration_ns)),
    el('span', { class: 'second' },
      el('span', {}, '#' + row.id), el('span', {}, row.protocol === 'WebSocket' ? `WebSocket ${row.connection}, turn ${row.turn}${row.lane ? `, lane ${row.lane}` : ''}` : row.method),
      tries.length > 1 && el('span', {}, `try ${number} of ${tries.length}${row.verdict ? ', ' + row.verdict.replace('_', ' ') : ''}`),
      row.model && el('span', {}, row.model), row.scenario && el('span', { class: 'path' }, row.path),
      row.injected && el('span', { class: 'bad' }, row.injected),
      row.ended !== 'complete' && el('span', { class: row.failed ? 'bad' : '' }, endingOf(row.ended, row.end)),
      failureOf(row) && el('span', { class: 'bad path' }, failureOf(row))))
}

// showHolds shows the streams that wait, as long as requests are open.
let holdsDue = 0
let untils = new Map() // what streams wait for other than a release, by their requests
async function showHolds() {
  clearTimeout(holdsDue)
  if (inside || document.hidden) return
  const open = [...requests.values()].some(isOpen)
  try {
    const waiting = open ? (await json('holds')).holds.filter(h => h.waiting.length > 0) : []
    untils = new Map(waiting.flatMap(h => h.waiting.map(s => [s.request, s.until])))
    $('holds').hidden = waiting.length === 0
    put($('holds'), waiting.map(h => el('li', {},
      el('span', {}, 'hold ', el('b', {}, h.name)),
      el('span', { class: 'muted' }, plural(h.waiting.length, 'stream') + ' waiting: ',
        h.waiting.slice(0, 5).map(s => `#${s.request}` + (s.until ? ` until ${s.until}` : '')).join(' ')),
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

$('newer').onclick = () => {
  if (paused) $('pause').click()
  $('list').scrollTop = 0
  showList()
}
$('pause').onclick = () => {
  paused = !paused
  $('pause').setAttribute('aria-pressed', paused)
  showList()
}
$('clear').onclick = () => {
  clearedTo = clearedTo ? 0 : Math.max(0, ...requests.keys())
  $('clear').setAttribute('aria-pressed', clearedTo > 0)
  $('clear').textContent = clearedTo ? 'Show all' : 'Clear'
  showList()
}
$('har').onclick = () => doing(async () => save([JSON.stringify(await har())], 'fakeopenai.har', 'application/json'))
$('show-all').onclick = () => {
  if (clearedTo) $('clear').click()
  $('search').value = $('by-scenario').value = ''
  $('failed-only').checked = false
  showList()
}
$('list').addEventListener('scroll', () => { if (listedTo !== Infinity && $('list').scrollTop === 0) showList() })
