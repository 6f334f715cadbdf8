// What an answer says: its events, and their texts.
const encoder = new TextEncoder(), decoder = new TextDecoder()
const isText = value => typeof value === 'string' && value !== ''
const list = value => Array.isArray(value) ? value : []

function frameBytes(frame) {
  if (frame.base64) return Uint8Array.from(atob(frame.base64), c => c.charCodeAt(0))
  return encoder.encode(frame.text ?? '')
}

// read reads an event of a stream, or a body in one piece.
function read(text) {
  const lines = text.split(/\r\n|\n|\r/)
  const of = name => lines.filter(l => l.startsWith(name + ':')).map(l => l.slice(name.length + 1).replace(/^ /, ''))
  const data = of('data'), comments = of('')
  const whole = data.length > 0 ? data.join('\n') : text.trim()
  let value
  try { value = JSON.parse(whole) } catch { /* it is no JSON */ }
  return { data: whole, comment: data.length === 0 && comments.length > 0 ? comments.join('\n') : null, value }
}

// saidBy lists what a chunk, event or body says: texts, reasoning, refusals, and calls with their arguments.
function saidBy(v) {
  const said = []
  const add = (what, key, text, name) => {
    if (isText(text) || isText(name)) said.push({ what, key, text: isText(text) ? text : '', name: isText(name) ? name : '' })
  }
  if (typeof v !== 'object' || v === null) return said
  for (const choice of list(v.choices)) {
    const d = choice?.delta ?? choice?.message ?? choice ?? {}, key = `${choice?.index ?? 0}`
    add('reasoning', key, d.reasoning_content ?? d.reasoning)
    add('text', key, d.content ?? d.text)
    add('refusal', key, d.refusal)
    for (const call of list(d.tool_calls)) add('call', `${key} ${call?.index ?? 0}`, call?.function?.arguments, call?.function?.name)
    if (d.function_call) add('call', key, d.function_call.arguments, d.function_call.name)
  }
  const kind = String(v.type ?? ''), key = `${v.output_index ?? 0}`
  if (kind.endsWith('output_text.delta')) add('text', key, v.delta)
  else if (kind.endsWith('refusal.delta')) add('refusal', key, v.delta)
  else if (kind.includes('reasoning') && kind.endsWith('.delta')) add('reasoning', key, v.delta)
  else if (/(arguments|input|code)\.delta$/.test(kind)) add('call', key, v.delta)
  else if (kind === 'response.output_item.added') add('call', key, '', v.item?.name)
  if (v.object === 'response') {
    list(v.output).forEach((item, i) => {
      add('call', `${i}`, item?.arguments, item?.name)
      for (const c of list(item?.content)) add(c?.refusal ? 'refusal' : 'text', `${i}`, c?.text ?? c?.refusal)
    })
  }
  return said
}

// summary is an event in a few words.
function summary(kind, { data, comment, value }) {
  if (comment !== null) return ': ' + comment
  const error = value?.error ?? (value?.type === 'error' ? value : value?.response?.error)
  if (error && typeof error === 'object') return `${error.code ?? ''} ${error.message ?? ''}`
  const said = saidBy(value)
  if (said.length > 0) return said.map(s => [s.name, s.text && JSON.stringify(s.text)].filter(Boolean).join(' ')).join(' ')
  const reason = list(value?.choices)[0]?.finish_reason, usage = value?.usage ?? value?.response?.usage
  if (reason) return String(reason)
  if (usage) return [usage.prompt_tokens ?? usage.input_tokens, usage.completion_tokens ?? usage.output_tokens].filter(n => n !== undefined).join(' + ') + ' tokens'
  if (value?.type && kind !== value.type) return String(value.type)
  return list(value?.choices)[0]?.delta?.role ?? (data === '[DONE]' || value === undefined ? data : '')
}
