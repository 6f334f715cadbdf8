// Trying scenarios: what is wrong with them, and what each of their replies would send to a request.
const yamlName = 'fakeopenai-yaml'
let tried = [] // the replies that were tried, each with the name of its scenario
let triedFall = null

function setYAML(text) {
  $('yaml').value = text
  sessionStorage.setItem(yamlName, text)
}

// goToLine selects a line of the YAML.
function goToLine(line) {
  const before = $('yaml').value.split('\n').slice(0, line - 1), from = before.join('\n').length + (line > 1 ? 1 : 0)
  $('yaml').focus()
  $('yaml').setSelectionRange(from, from + ($('yaml').value.split('\n')[line - 1] ?? '').length)
  $('yaml').scrollTop = Math.max(0, (line - 4) * 18)
}

const problemItem = d => el('li', {},
  d.line && el('button', { class: 'small bad', click: () => goToLine(d.line) }, `line ${d.line}${d.column ? ':' + d.column : ''}`), ' ', d.message,
  d.hint && el('span', { class: 'muted' }, ` (${d.hint})`), d.rule && el('span', { class: 'warn' }, ` [${d.rule}]`))

const sentYAML = () => ({ method: 'POST', body: $('yaml').value, headers: { 'Content-Type': 'application/yaml' } })

async function tryYAML() {
  await doing(async () => {
    const asked = $('try-request').value.replace('#', '').trim()
    const { diagnostics, scenarios } = await json('scenarios/try' + (asked ? '?request=' + encodeURIComponent(asked) : ''), sentYAML())
    put($('problems'), diagnostics.length === 0 ? el('li', { class: 'good' }, `No problems in ${plural(scenarios.length, 'scenario')}.`) : diagnostics.map(problemItem))
    tried = scenarios.flatMap(s => s.replies.map((reply, i) => ({ ...reply, name: s.replies.length > 1 ? `${s.name}, reply ${i + 1}` : s.name })))
    const fits = tried.findIndex(t => !t.problem && (t.conditions ?? []).every(c => c.holds))
    put($('try-reply'), tried.map(t => el('option', {}, t.name + (t.conditions?.some(c => !c.holds) ? ' ✗' : ''))))
    $('tried').hidden = tried.length === 0
    $('try-reply').selectedIndex = Math.max(0, fits)
    if (tried.length > 0) showTried()
    say('live', true)
  })
}

// showTried shows the reply that is chosen.
function showTried() {
  const t = tried[$('try-reply').selectedIndex]
  put($('try-why'), t.problem && el('p', { class: 'problem' }, t.problem), t.conditions && conditionList(t.conditions))
  triedFall ??= waterfall('tried-events', $('tried-stream'))
  triedFall.show(t.timeline ?? null, null, t.problem)
  if (!t.timeline) triedFall = null
}

// playYAML lets the server play the scenarios before its own.
async function playYAML() {
  await doing(async () => {
    await ask('scenarios', sentYAML())
    put($('problems'), el('li', { class: 'good' }, `The server plays them now for ${ofKey ? 'the key in the address' : 'all keys'}, before its own.`))
  })
}

$('yaml').value = sessionStorage.getItem(yamlName) ?? `name: hello
when: { user: hello }
stream:
  - role: assistant
  - content: Hello
  - wait: 300ms
  - heartbeat: 2
  - content: " world"
  - finish: stop
`
$('yaml').oninput = () => setYAML($('yaml').value)
$('try-button').onclick = tryYAML
$('play-button').onclick = playYAML
$('unplay-button').onclick = () => doing(async () => {
  await ask('scenarios', { method: 'DELETE' })
  put($('problems'), el('li', {}, 'The server plays its own scenarios alone.'))
})
$('try-reply').onchange = showTried
$('try-request').onchange = tryYAML
