'use strict'
// The page shows what a fake was asked and what it sent. It is plain JavaScript without a build step:
// "ask" gets JSON from the endpoints below /_fake/ or, in a page that was written to a file, from the
// data inside the page. Texts become elements by "el" alone, so that nothing in them is HTML.

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
