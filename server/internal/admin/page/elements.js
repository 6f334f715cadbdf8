'use strict'
// The page shows what a fake was asked and what it sent. It is plain JavaScript without a build step:
// "ask" gets JSON from the endpoints below /_fake/ or, in a page that was written to a file, from the
// data inside the page. Texts become elements by "el" alone, so that nothing in them is HTML.

const $ = id => document.getElementById(id)

// el makes an element. Attributes that are false or undefined are left out, functions are listeners.
function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') e['on' + name] = value
    else if (value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value)
  }
  e.append(...children.flat().filter(child => child !== undefined && child !== null && child !== false))
  return e
}

const listeners = ['onclick', 'onchange', 'oninput']

// put gives a box these children. Those that are there are changed and not replaced, so that they keep
// the focus, a click that has begun, and text that is selected.
function put(box, ...children) {
  const fresh = children.flat().filter(child => child !== undefined && child !== null && child !== false)
  fresh.forEach((child, i) => {
    const old = box.childNodes[i], node = child instanceof Node ? child : document.createTextNode(child)
    if (old) become(old, node)
    else box.append(node)
  })
  while (box.childNodes.length > fresh.length) box.lastChild.remove()
}

// become changes a node into another one. It replaces one of another kind or with another id.
function become(old, fresh) {
  if (old === fresh) return
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) old.replaceWith(fresh)
  else if (!(old instanceof Element)) {
    if (old.data !== fresh.data) old.data = fresh.data
  } else {
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !/^(style|data-)/.test(name)) old.removeAttribute(name)
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value && name !== 'style') old.setAttribute(name, value)
    if (old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText
    for (const name of listeners) old[name] = fresh[name]
    put(old, ...fresh.childNodes)
  }
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

// rowList shows items as rows of one height, of which only those in sight are in the document. A row stays
// the same node for as long as it shows the item of the same key. Pick is called with an item that is selected.
function rowList(box, height, render, pick, key = (item, i) => i) {
  const space = el('div', { class: 'space', role: 'presentation' })
  box.replaceChildren(space)
  let items = [], at = -1, due = false, nodes = new Map()
  const draw = () => {
    due = false
    const first = Math.max(0, Math.floor(box.scrollTop / height) - 6)
    const last = Math.min(items.length, Math.ceil((box.scrollTop + box.clientHeight) / height) + 6)
    space.style.height = items.length * height + 'px'
    const before = nodes
    nodes = new Map()
    for (let i = first; i < last; i++) {
      const row = render(items[i], i)
      row.style.top = i * height + 'px'
      row.style.height = height + 'px'
      row.id = `${box.id}-${key(items[i], i)}`
      row.dataset.at = i
      row.setAttribute('role', 'option')
      row.setAttribute('aria-posinset', i + 1)
      row.setAttribute('aria-setsize', items.length)
      row.setAttribute('aria-selected', i === at)
      const of = key(items[i], i), old = before.get(of)
      if (old) become(old, row)
      nodes.set(of, old ?? row)
    }
    for (const [of, old] of before) if (!nodes.has(of)) old.remove()
    let next = space.firstChild
    for (const row of nodes.values()) {
      if (row === next) next = next.nextSibling
      else space.insertBefore(row, next)
    }
    if (at >= first && at < last) box.setAttribute('aria-activedescendant', `${box.id}-${key(items[at], at)}`)
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
  new ResizeObserver(drawSoon).observe(box)
  return list
}

// prettyJSON puts each member of a JSON text on a line of its own, and leaves numbers and texts as they are written.
function prettyJSON(text) {
  let depth = 0, shown = '', before = ''
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    const opened = /^[{[]$/.test(before), closes = /^[}\]]$/.test(token)
    if (closes) depth--
    if (opened !== closes && (opened || closes) || before === ',') shown += '\n' + '  '.repeat(depth)
    if (/^[{[]$/.test(token)) depth++
    shown += token === ':' ? ': ' : token
    before = token
  }
  return shown
}

const dated = time => `${new Date(time).toISOString().slice(0, 10)} ${clock(time)}`
