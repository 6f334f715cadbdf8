// The server: what the endpoints below /_fake/ answer, or what a page in a file has of them.
const inside = JSON.parse($('data').textContent) // what a page in a file has of its run; null on a server
const base = location.pathname.replace(/[^/]$/, '$&/')
const ofKey = new URLSearchParams(location.search).get('api_key') // the key whose requests alone are shown; behind a balancer they are at its replica
const keyless = [''] // endpoints that take no key
const tokenName = 'fakeopenai-admin-token'
let asking = null // the promise of the token that is being asked for

// ask returns the answer of an endpoint below /_fake/. It asks for the token where one is needed.
async function ask(path, options = {}) {
  const token = sessionStorage.getItem(tokenName), headers = { Accept: 'application/json', ...options.headers }
  if (token) headers.Authorization = 'Bearer ' + token
  const query = ofKey && !keyless.includes(path) ? (path.includes('?') ? '&' : '?') + new URLSearchParams({ api_key: ofKey }) : ''
  const answer = await fetch(base + path + query, { ...options, headers, cache: 'no-store' })
  if (answer.status === 401) {
    await (asking ??= askToken(token !== null).finally(() => { asking = null }))
    return ask(path, options)
  }
  if (!answer.ok) {
    const text = await answer.text()
    let message = text
    try { message = JSON.parse(text).error.message } catch { /* it is no error of the server */ }
    throw new Error(message)
  }
  return answer
}

async function json(path, options) {
  if (!inside) return (await ask(path, options)).json()
  if (!(path in inside)) {
    const { left_out: n } = inside.about, isLeft = n > 0 && path.startsWith('requests/')
    throw new Error(isLeft ? `The file would be too long: it has only the rows of the oldest ${plural(n, 'request')}.` : 'This page was written to a file, which does not have that.')
  }
  if (!path.endsWith('/why')) return inside[path]
  const why = inside[path], of = i => inside.trials[i] // each trial is in the file once
  return { ...why, picked: why.picked === undefined ? null : of(why.picked), others: why.others.map(of) }
}

// bodyOf gets the body of a request: its bytes and, where it is that, its text and its JSON.
async function bodyOf(id) {
  const path = `requests/${id}/body`, body = { bytes: null, text: undefined, value: undefined }
  if (inside) {
    const kept = await json(path)
    body.bytes = typeof kept === 'string' ? encoder.encode(kept) : frameBytes(kept)
  } else body.bytes = new Uint8Array(await (await ask(path)).arrayBuffer())
  try {
    body.text = new TextDecoder('utf-8', { fatal: true }).decode(body.bytes)
    body.value = JSON.parse(body.text, (name, v, at) => typeof v === 'number' && at && String(v) !== at.source && JSON.rawJSON ? JSON.rawJSON(at.source) : v) // numbers as they are written
  } catch { /* it is no text, or no JSON */ }
  return body
}

function askToken(wrong) {
  $('token-note').textContent = wrong ? 'The token was wrong. Try again.' : 'It is kept until this tab is closed.'
  $('token').value = ''
  $('ask-token').showModal()
  return new Promise(done => $('ask-token').addEventListener('close', () => {
    sessionStorage.setItem(tokenName, $('token').value)
    done()
  }, { once: true }))
}

function say(text, live) {
  $('state').textContent = text
  $('state').classList.toggle('live', Boolean(live))
}

const pause = ms => new Promise(done => setTimeout(done, ms))

// Of the hidden pages of a server, one keeps its connection, so that the server goes on keeping times. The others let theirs
// go, because a browser has six to a server. They ask for it again when they are shown, or when it is their turn to keep it.
let connection = new AbortController()
let stopKeeping = () => {}

// keep resolves when this page is the hidden one that keeps its connection, or with false if it is shown or does not wait.
function keep(options) {
  return new Promise(answered => {
    const name = 'fakeopenai ' + base + (ofKey ?? '')
    navigator.locks.request(name, options, lock => {
      const keeps = Boolean(lock) && document.hidden
      answered(keeps)
      return keeps && new Promise(done => { stopKeeping = done })
    }).catch(() => answered(false)) // it does not wait any more
  })
}

document.addEventListener('visibilitychange', async () => {
  stopKeeping()
  if (!document.hidden) catchUp()
  else if (navigator.locks && !inside && !await keep({ ifAvailable: true }) && document.hidden) connection.abort()
})

// mayConnect waits until a page that has let its connection go has it again.
async function mayConnect() {
  const queue = new AbortController()
  if (document.hidden) {
    say('hidden; another page of this server follows')
    await Promise.race([keep({ signal: queue.signal }), new Promise(done => document.addEventListener('visibilitychange', done, { once: true }))])
  }
  queue.abort()
  connection = new AbortController()
}

// follow reads the events of the journal for as long as the page is open.
async function follow() {
  if (inside) {
    const { written, version, command, address, left_out: leftOut } = inside.about
    document.title = `fakeopenai, a run until ${dated(written)}`
    change(inside['requests/events'])
    say('a run in a file')
    put($('about'), `Written ${dated(written)} by fakeopenai ${version}: `, el('code', { dir: 'ltr', title: command }, short(command, 200)), address && `, at ${address}`,
      leftOut > 0 && el('b', { class: 'warn' }, `; of the oldest ${plural(leftOut, 'request')} only the rows are here, because the file would be too long`))
    $('about').hidden = false
    return
  }
  if (document.hidden && navigator.locks && !await keep({ ifAvailable: true })) await mayConnect()
  for (;; await (connection.signal.aborted ? mayConnect() : pause(1000))) {
    try {
      const answer = await ask('requests/events', { headers: { Accept: 'text/event-stream' }, signal: connection.signal })
      say('live', true)
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      let parts = [] // the pieces of an event that is not complete
      for (let got = await reader.read(); !got.done; got = await reader.read()) {
        const texts = got.value.split('\n\n')
        parts.push(texts[0])
        for (const next of texts.slice(1)) {
          const event = parts.join('')
          parts = [next]
          if (event.startsWith('data: ')) change(JSON.parse(event.slice(6)))
        }
      }
      say('the server has ended; waiting for it')
    } catch (err) {
      say('no connection: ' + err.message)
    }
  }
}
