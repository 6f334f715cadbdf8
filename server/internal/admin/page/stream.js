// The stream over time: the text as it grows, a row for each event, and its bytes.
// model makes the rows of a timeline: the header, each frame and hold, how the client left, the end.
// The time of a row is when it was sent or, if it was not, when it was due.
function model(line, entry) {
  const d = entry?.delivery, waits = [...line.waits], rows = [], isOpen = d?.ended === 'open', present = isOpen ? d.duration_ns : null
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
      const wait = waits.shift(), isWaiting = wait && !wait.released_ns && isOpen
      if (wait) shift = (wait.released_ns ?? present ?? wait.reached_ns) - frame.due_ns
      const time = wait?.released_ns ?? wait?.reached_ns ?? due, past = wait || line.made_again && d && count < d.frames
      add({ kind: 'hold', hold: frame.hold, summary: frame.hold + (isWaiting ? ', waiting' : ''), due, wait, time, past: Boolean(past) })
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
  const pieces = line.torn ? rows.filter(r => r.number === count + (line.frames.findLast(f => !f.hold)?.more ? 1 : 0)) : []
  const kept = pieces.reduce((n, r) => n + r.bytes.length, 0)
  const cut = kept > 0 ? `after ${kept.toLocaleString('en')} of ${plural(line.torn, 'byte')} of event ${pieces[0].number}` : ''
  if (cut) pieces.at(-1).cut = 'cut ' + cut
  const ended = d && !isOpen, how = ended && d.ended !== 'complete' ? d.ended.replace('_', ' ') : ''
  add({
    kind: 'end', summary: [line.end, how, cut].filter(Boolean).join(', '), due: line.end_at_ns + shift, past: Boolean(ended),
    time: ended ? d.duration_ns : line.end_at_ns + shift, bad: /cut|reset|stall|refuse/.test(line.end ?? '') || d?.ended === 'shutdown',
  })
  return { rows, present, until: Math.max(1, present ?? 0, ...rows.map(r => Math.max(r.time, r.due ?? 0, r.wait?.reached_ns ?? 0))) }
}

// waitsFor says what an open answer waits for; "" for one that has ended.
function waitsFor({ rows, present }, until) {
  if (present === null) return ''
  const next = rows.find(r => !r.past || r.wait && !r.wait.released_ns), last = rows.findLast(r => r.past && r.sent)
  const what = next.kind === 'end' ? 'the end' : next.kind === 'hold' ? 'hold ' + next.hold : `event ${next.number} (${next.kind})`
  const silence = last ? `; nothing was sent for ${duration(present - last.time)}` : ''
  if (next.kind === 'hold') return `waits at ${what}` + (until ? `, until ${until},` : '') + (next.wait ? ` for ${duration(present - next.wait.reached_ns)}` : '') + silence
  return next.due > present ? `${what} is due in ${duration(next.due - present)}${silence}` : `${what} is due since ${duration(present - next.due)}${silence}`
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
  let line, entry, first, second, scale, now = Infinity, playing = 0, folded = false
  const saidBox = el('div', { class: 'said', 'aria-label': 'Text so far', role: 'region', tabindex: 0 })
  const slider = el('input', { type: 'range', min: 0, max: 1000, value: 1000, 'aria-label': 'Time', input: () => {
    stop()
    moveTo(slider.value >= 1000 ? Infinity : scale.t(slider.value / 1000))
  } })
  const shownTime = el('span', { class: 'shown-time' })
  const waits = el('b', { class: 'waits warn' })
  const playButton = el('button', { class: 'small', 'aria-label': 'Play at real speed', click: play }, '▶ Play')
  const foldBox = el('input', { type: 'checkbox', change: () => { folded = foldBox.checked; draw() } })
  const axis = el('div', { class: 'axis', 'aria-hidden': 'true' })
  const rowsBox = el('div', { id, class: 'rows focused', role: 'listbox', 'aria-label': 'Events of the stream', tabindex: 0 })
  const bytesBox = el('div', { class: 'bytes', 'aria-label': 'Bytes of the event' })
  const pace = el('div', { class: 'pace' }, playButton, slider, shownTime, el('label', {}, foldBox, ' fold pauses'), waits)
  const root = el('div', { class: 'part stream' }, saidBox, pace, axis, rowsBox, bytesBox)
  box.replaceChildren(root)
  const events = rowList(rowsBox, 24, eventRow, row => { showBytes(row); if (entry) remember() })
  rowsBox.onkeydown = event => { if (events.key(event)) event.stopPropagation() }

  function draw() {
    const times = [...first.rows, ...second?.rows ?? []].flatMap(r => [r.time, r.wait?.reached_ns ?? 0])
    const until = Math.max(first.until, second?.until ?? 0)
    scale = timeScale(times, until, folded)
    const heads = ['#', 'at', 'pause'].map(name => el('span', { class: 'right' }, name))
    put(axis, heads, el('span', {}, 'event'), el('span', { class: 'write' }, 'write'),
      el('span', { class: 'lane' }, [0, 1 / 3, 2 / 3, 1].map(x => {
        const tick = el('span', { class: 'tick' }, duration(scale.t(x)))
        tick.style.left = x * 100 + '%'
        return tick
      })))
    const pairs = second ? align(first.rows, second.rows) : first.rows.map(row => [row, undefined])
    let before = null
    events.show(pairs.map(([row, other]) => {
      const shownRow = { ...row ?? other, alone: !row, other, before, differs: row && other ? differenceOf(row, other) : '' }
      before = row ?? before
      return shownRow
    }))
    waits.textContent = waitsFor(first, untils.get(entry?.id))
    moveTo(now)
  }

  function eventRow(row) {
    const { before, other } = row, gap = row.time - (before?.time ?? 0)
    const colour = isBad(row) ? 'bad' : isBeat(row) ? 'good' : row.kind === 'hold' ? 'warn' : ''
    const kind = el('b', { class: colour }, row.kind)
    const mark = row.alone ? ` only in #${second.id}` : other === null ? ` not in #${second.id}` : row.differs && ` ≠ ${short(row.differs, 120)}`
    return el('div', { class: 'event' + (row.past || !entry ? '' : ' unsent') + (row.time > now ? ' later' : ''), title: stateOf(row) },
      el('span', { class: 'muted right' }, row.bytes && row.number !== before?.number ? String(row.number) : ''),
      el('span', { class: 'right' }, row.alone ? '' : duration(row.time)),
      el('span', { class: 'muted right' }, gap > 5e5 && !row.alone ? '+' + duration(gap) : ''),
      el('span', {}, kind, ' ', row.cut && el('b', { class: 'cut' }, row.cut + ' '),
        el('span', { class: 'summary', dir: 'auto' }, short(row.summary ?? '', 200)),
        mark && el('span', { class: 'other' }, mark),
        row.wait && !row.wait.released_ns && entry?.delivery.ended === 'open' && !inside && [' ', releaseButton(row.hold)]),
      el('span', { class: 'write ' + (!row.write ? '' : row.write % 2 ? 'odd' : 'even') }, row.write ? String(row.write) : ''),
      lane(row, before, other))
  }

  const isBad = row => row.bad || row.kind === 'error'
  const isBeat = row => row.kind === 'comment' || row.kind === 'heartbeat'

  function stateOf(row) {
    const words = [row.state]
    if (row.due !== null && row.sent) words.push(`due ${duration(row.due)}, sent ${duration(row.sent.to)}`)
    else if (row.due !== null && row.due !== undefined) words.push(`due ${duration(row.due)}`)
    if (row.cut) words.push(row.cut)
    else if (row.bad && row.bytes) words.push('its data is no JSON')
    if (row.write) words.push(`write ${row.write} of ${line.writes.length}, ${plural(line.writes[row.write - 1].bytes, 'byte')}${packetsOf(row)}`)
    if (row.wait) words.push(`reached ${duration(row.wait.reached_ns)}`, row.wait.released_ns ? `released ${duration(row.wait.released_ns)}` : 'not released')
    return words.filter(Boolean).join('; ')
  }

  // packetsOf says in how many packets the write of a row left, where the server knows that of any write.
  function packetsOf(row) {
    const { packets } = line.writes[row.write - 1]
    if (packets) return ' in ' + plural(packets, 'packet')
    return line.writes.some(w => w.packets) ? ', and no packet left meanwhile: they left later, as the client read, or with the end' : ''
  }

  // lane draws a row over the time axis: the pause before it, when it was due, and when it was sent.
  function lane(row, before, other) {
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
    if (first.present !== null) marks.push(dot('present', first.present))
    return el('span', { class: 'lane' + (other ? ' double' : '') }, marks)
  }

  // showBytes shows the bytes of an event beside what they say.
  function showBytes(row) {
    const note = el('p', { class: 'muted' }, stateOf(row))
    if (!row.bytes) {
      put(bytesBox, el('div', {}, el('h3', {}, row.kind + ' ' + (row.summary ?? '')), note), el('div', {}, el('pre', {}, row.header ?? '')))
      return
    }
    const decoded = row.event.value !== undefined ? prettyJSON(row.event.data) : row.event.comment ?? row.event.data
    put(bytesBox,
      el('div', { tabindex: 0, role: 'region', 'aria-label': 'Bytes' },
        el('h3', {}, plural(row.bytes.length, 'byte')), el('pre', { class: 'hex' }, hex(row.bytes))),
      el('div', { tabindex: 0, role: 'region', 'aria-label': 'Decoded' },
        el('h3', {}, row.kind + (row.more ? ', in pieces' : '')), note, el('pre', { dir: 'auto' }, decoded)))
  }

  // moveTo shows the stream as it was at a time.
  function moveTo(t) {
    now = t
    slider.value = t === Infinity ? 1000 : Math.round(scale.x(t) * 1000)
    shownTime.textContent = duration(t === Infinity ? first.until : t)
    slider.setAttribute('aria-valuetext', shownTime.textContent)
    const texts = el('div', {}, textUntil(first, t))
    put(saidBox, texts, second ? [el('div', { class: 'other' }, `#${second.id}: `, textUntil(second, t))] : [])
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
      return el('div', { class: isCall ? 'call' : '', dir: 'auto' },
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
    get at() { return events.at },
    pick(i) { events.select(i, true); if (events.items[i]) showBytes(events.items[i]) },
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
      const bad = events.items.findIndex(isBad)
      if (events.at < 0 && bad >= 0) events.select(bad, true)
      if (events.items.length > 0) showBytes(events.items[Math.max(0, events.at)])
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
