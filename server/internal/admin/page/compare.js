// How two answers and their requests differ: events side by side, and members of JSON.
// isVolatile tells whether a member is another one with each answer: an id, or a time.
const isVolatile = name => /^(id|created|created_at|completed_at|obfuscation|system_fingerprint|sequence_number)$|_id$/.test(name)

// differing lists the members of two values that differ, each as its path and the two values.
function differing(a, b, isLeftOut = () => false, path = '') {
  const isBoth = is => is(a) && is(b)
  if (isBoth(Array.isArray) || isBoth(v => v && typeof v === 'object' && !Array.isArray(v))) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(name => !isLeftOut(name)).flatMap(name =>
      differing(a[name], b[name], isLeftOut, Array.isArray(a) ? `${path}[${name}]` : path ? `${path}.${name}` : name))
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, a, b }]
}

// sameness is equal for events that say the same.
function sameness(row) {
  const said = row.event?.value === undefined ? row.event?.comment ?? row.event?.data ?? row.summary
    : JSON.stringify(row.event.value, (name, value) => isVolatile(name) ? undefined : value)
  return row.kind + '\n' + said
}

const mostAligned = 4e6 // the product of two numbers of events, up to which the best pairs are looked for

// align pairs the events of two answers: those that say the same, or else those of one kind, in their order. An event
// that only one answer has is in a pair with null.
function align(a, b) {
  const pairs = [], keys = [a.map(sameness), b.map(sameness)], most = Math.min(a.length, b.length)
  let from = 0, tail = 0
  while (from < most && keys[0][from] === keys[1][from]) from++
  while (tail < most - from && keys[0][a.length - 1 - tail] === keys[1][b.length - 1 - tail]) tail++
  for (let i = 0; i < from; i++) pairs.push([a[i], b[i]])
  const n = a.length - tail - from, m = b.length - tail - from
  const likeness = (i, j) => keys[0][from + i] === keys[1][from + j] ? 3 : a[from + i].kind === b[from + j].kind ? 1 : 0
  const isSmall = n * m <= mostAligned, best = new Uint32Array(isSmall ? (n + 1) * (m + 1) : 0), at = (i, j) => i * (m + 1) + j
  for (let i = n - 1; isSmall && i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const like = likeness(i, j)
      best[at(i, j)] = Math.max(best[at(i + 1, j)], best[at(i, j + 1)], like && like + best[at(i + 1, j + 1)])
    }
  }
  for (let i = 0, j = 0; i < n || j < m;) {
    const like = i < n && j < m && likeness(i, j)
    if (like && (!isSmall || best[at(i, j)] === like + best[at(i + 1, j + 1)])) pairs.push([a[from + i++], b[from + j++]])
    else if (j >= m || i < n && (!isSmall || best[at(i, j)] === best[at(i + 1, j)])) pairs.push([a[from + i++], null])
    else pairs.push([null, b[from + j++]])
  }
  for (let i = 0; i < tail; i++) pairs.push([a[a.length - tail + i], b[b.length - tail + i]])
  return pairs
}

// differenceOf says in a few words how the second event of a pair differs from the first; "" if it does not.
function differenceOf(row, other) {
  if (sameness(row) === sameness(other)) return ''
  if (row.kind !== other.kind || row.event?.value === undefined || other.event?.value === undefined) return other.summary || other.kind
  return differing(row.event.value, other.event.value, isVolatile).map(d => `${d.path.split('.').pop()}: ${d.b === undefined ? 'none' : short(JSON.stringify(d.b), 60)}`).join(', ') || 'another order of members'
}

async function compareWith(id) {
  await doing(async () => {
    const path = 'requests/' + id, mine = shown.entry.id
    if (!id || id === mine) shown.other = null
    else {
      const [entry, line, why, body] = await Promise.all([json(path), json(path + '/timeline'), json(path + '/why'), bodyOf(id)])
      const said = inside ? null : (await json(`requests/${mine}/differences?with=${id}`)).differences
      if (shown.entry.id !== mine) return
      shown.other = { entry, line, why, body, said }
    }
    open(part)
    stream?.compare(shown.other)
  })
}

// differencesNote says in one line how the answer differs from the other one, and how the request does.
function differencesNote() {
  const { other, entry } = shown
  if (!other) return []
  const [id, of] = ['#' + entry.id, '#' + other.entry.id], said = other.said?.map(d => `${d.where} ${d.what}`)
  const asked = requestDifferences().map(d => d.path)
  const list = (all, most) => all.slice(0, most).join('; ') + (all.length > most ? `; and ${all.length - most} more` : '')
  return el('p', { id: 'differs', class: 'note' }, el('b', {}, `${id} and ${of}: `),
    !said ? 'The events that differ have a mark.' : said.length === 0 ? 'The answers are the same but for ids, times and cuts of texts.' : `The answer of ${id}: ${list(said, 3)}.`,
    asked.length === 0 ? ' The requests are the same.' : ` The requests differ in ${list(asked, 5)}.`)
}

const volatileHeader = name => /^(x-stainless-retry-count|content-length|traceparent|x-request-id|idempotency-key)$/i.test(name)

// requestDifferences lists how the request differs from the other one.
function requestDifferences() {
  const { other, entry, body } = shown
  const form = (e, b) => ({ method: e.method, path: e.path, body: b.value ?? b.text ?? b.bytes.length, header: e.header })
  return differing(form(other.entry, other.body), form(entry, body), volatileHeader)
    .map(d => ({ ...d, path: d.path.replace(/^body\.?/, '') || 'body' }))
}
