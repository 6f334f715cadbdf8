// Prints, as JSON, the names that the types of the npm package openai have and that the server has in tables: events, items,
// members of requests and of answers with their values, models, and paths. Tests of the server read them in
// server/testdata/openai.json, which this command writes again: go -C server/compat test -run TestTypes . -update
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, 'node_modules', 'openai')
const resources = join(root, 'resources')

// What a file declares, by name; a namespace is such a map as well.
const files = new Map()

function declarations(file) {
  if (!files.has(file)) files.set(file, parse(tokens(readFileSync(file, 'utf8')), file))
  return files.get(file)
}

// tokens splits TypeScript or JavaScript into names, texts with their quote, and signs.
function tokens(source) {
  const token = /\/\*[^]*?\*\/|\/\/.*|\s+|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|[\w$]+|=>|./gu
  return source.match(token).filter((t) => t.trim() !== '' && !t.startsWith('/*') && !t.startsWith('//'))
}

// parse reads interfaces, types, namespaces and imports, and skips the rest.
function parse(list, file) {
  let at = 0
  const is = (t) => list[at] === t && (at++, true)
  const need = (t) => { if (!is(t)) throw new Error(`${file}: ${list[at]} stands in place of ${t} behind ${list.slice(at - 8, at).join(' ')}`) }
  const text = (t) => t.slice(1, -1)

  function balanced(open, close) {
    for (let depth = 0; at < list.length; ) {
      const t = list[at++]
      if (t === open) depth++
      if (t === close && --depth === 0) return
    }
  }

  function scope(end) {
    const names = new Map()
    while (at < list.length && !is(end)) statement(names)
    return names
  }

  function statement(names) {
    while (is('export') || is('declare') || is('default')) continue
    if (is('import')) return imports(names)
    if (is('namespace')) {
      const inner = entry(names, list[at++])
      need('{')
      inner.names = new Map([...(inner.names ?? []), ...scope('}')])
    } else if (is('interface')) {
      const found = entry(names, list[at++])
      if (list[at] === '<') balanced('<', '>')
      found.bases ??= []
      if (is('extends')) do found.bases.push(reference()); while (is(','))
      found.members = { ...found.members, ...object() }
    } else if (is('type')) {
      const found = entry(names, list[at++])
      if (list[at] === '<') balanced('<', '>')
      need('=')
      found.type = union()
      is(';')
    } else {
      while (at < list.length && list[at] !== ';' && list[at] !== '{') at++
      if (list[at] === '{') balanced('{', '}')
      is(';')
    }
  }

  function entry(names, name) {
    if (!names.has(name)) names.set(name, {})
    return names.get(name)
  }

  function imports(names) {
    const found = []
    if (is('*')) { need('as'); found.push([list[at++], '*']) }
    else if (is('{')) while (!is('}')) {
      is('type')
      const name = list[at++]
      found.push([is('as') ? list[at++] : name, name])
      is(',')
    }
    else found.push([list[at++], 'default'])
    need('from')
    const from = text(list[at++])
    is(';')
    for (const [name, of] of found) if (from.startsWith('.')) names.set(name, { from: join(dirname(file), from.replace(/\.js$/, '.d.ts')), of })
  }

  function union() {
    is('|')
    const all = [postfix()]
    while (is('|') || is('&')) all.push(postfix())
    return all.length === 1 ? all[0] : { union: all }
  }

  function postfix() {
    let t = primary()
    while (list[at] === '[' && list[at + 1] === ']') { at += 2; t = { list: t } }
    return t
  }

  function primary() {
    if (is('(')) { const t = union(); need(')'); return t }
    if (list[at] === '{') return { members: object() }
    if (/^['"]/.test(list[at])) return { literal: text(list[at++]) }
    if (is('keyof') || is('readonly') || is('typeof')) return primary()
    return reference()
  }

  function reference() {
    const name = [list[at++]]
    while (is('.')) name.push(list[at++])
    const args = []
    if (is('<')) { do args.push(union()); while (is(',')); need('>') }
    return name.join('.') === 'Array' ? { list: args[0] } : { name }
  }

  // object reads the members of an interface. Methods and index signatures have no names in JSON.
  function object() {
    const members = {}
    need('{')
    while (!is('}')) {
      if (list[at] === '[') { balanced('[', ']'); is('?'); need(':'); union(); is(';'); continue }
      is('readonly')
      const name = list[at++].replace(/^['"]|['"]$/g, '')
      is('?')
      if (is(':')) members[name] = union()
      else { while (list[at] !== ';') at++ }
      is(';') || is(',')
    }
    return members
  }

  return scope()
}

// find looks up a dotted name from the innermost scope outwards, and returns the entry with its own scopes.
function find(name, scopes) {
  for (let n = scopes.length; n > 0; n--) {
    let found = scopes[n - 1].get(name[0])
    if (!found) continue
    let inside = scopes.slice(0, n)
    for (const part of name.slice(1)) {
      if (found.from) { inside = [declarations(found.from)]; found = { names: inside[0] } }
      if (found.names) inside = [...inside, found.names]
      found = found.names?.get(part)
      if (!found) break
    }
    if (found?.from) return find([found.of], [declarations(found.from)])
    if (found?.type || found?.members) return { ...found, scopes: found.names ? [...inside, found.names] : inside, key: found }
  }
  return null
}

// variants are the alternatives of a type: literals, lists, and objects with all their members.
function variants(type, scopes) {
  if (type.union) return type.union.flatMap((t) => variants(t, scopes))
  if (type.literal !== undefined || type.list) return [{ ...type, scopes }]
  if (type.members) return [{ members: Object.entries(type.members).map(([name, type]) => [name, type, scopes]), key: type }]
  const found = find(type.name, scopes)
  if (!found) return type.name[0] === 'null' ? [] : [{ open: true }]
  if (found.type) return variants(found.type, found.scopes)
  const bases = found.bases.flatMap((base) => variants(base, found.scopes).flatMap((v) => v.members ?? []))
  const own = Object.entries(found.members).map(([name, type]) => [name, type, found.scopes])
  return [{ members: [...bases.filter(([name]) => !(name in found.members)), ...own], key: found.key }]
}

// kinds are the literals of the member that tells the objects of a union apart: type, or a role that is always the same.
function kinds(object) {
  for (const tells of ['type', 'role']) {
    const member = object.members.find(([name]) => name === tells)
    const values = member ? variants(member[1], member[2]) : []
    if (values.length > 0 && values.every((v) => v.literal !== undefined) && (tells === 'type' || values.length === 1)) return values.map((v) => v.literal)
  }
  return []
}

const deepest = 4 // how many dots a path has at most, and one: tables are no deeper

// walk notes what stands at a path and below it: "P": the names of an object's members, "P=": the values of a text,
// "P<>": the kinds of objects, each of which has a path P<kind>. A list adds [].
function walk(out, path, type, scopes, above = []) {
  const add = (path, names) => { out[path] = [...new Set([...(out[path] ?? []), ...names])] }
  if (path.split('.').length > deepest) return
  const all = variants(type, scopes)
  const literals = all.filter((v) => v.literal !== undefined)
  if (literals.length > 0 && !all.some((v) => v.open)) add(path + '=', literals.map((v) => v.literal))
  for (const v of all) {
    if (v.list) walk(out, path + '[]', v.list, v.scopes, above)
    if (!v.members?.length || above.includes(v.key)) continue
    const told = kinds(v)
    const at = told.length > 0 ? `${path}<${told[0]}>` : path
    if (told.length > 0) add(path + '<>', told)
    add(at, v.members.map(([name]) => name))
    for (const [name, type, scopes] of v.members) if (told.length === 0 || name !== 'type') walk(out, at === '' ? name : `${at}.${name}`, type, scopes, [...above, v.key])
  }
}

// of is what stands in types of a file, by path.
function of(file, ...names) {
  const out = {}
  for (const name of names) walk(out, '', { name: [name] }, [declarations(join(resources, file))])
  if (Object.keys(out).length === 0) throw new Error(`${file} has no type ${names}`)
  return out
}

// some are the paths of of that a function chooses.
function some(shapes, is) { return Object.fromEntries(Object.entries(shapes).filter(([path]) => is(path))) }

// kindsOf and valuesOf are lists: the types of events, and the values of texts.
function kindsOf(...types) { return { '': of(...types)['<>'] } }

function models() {
  const own = { 'shared.d.ts': ['AllModels', 'ResponsesModel'], 'embeddings.d.ts': ['EmbeddingModel'], 'moderations.d.ts': ['ModerationModel'], 'images.d.ts': ['ImageModel'], 'audio/audio.d.ts': ['AudioModel'], 'audio/speech.d.ts': ['SpeechModel'] }
  const all = Object.entries(own).flatMap(([file, names]) => names.flatMap((name) => variants({ name: [name] }, [declarations(join(resources, file))])))
  for (const [file, name] of [[realtime, 'RealtimeSessionCreateRequest'], ['completions.d.ts', 'CompletionCreateParamsBase']]) {
    const scope = declarations(join(resources, file))
    all.push(...variants(scope.get(name).members.model, [scope]))
  }
  return { '': all.flatMap((v) => v.literal ?? []) }
}

// paths are the endpoints that the package's methods ask, with {} for each variable, and those of them that are beta.
function paths() {
  const methods = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE', getAPIList: 'GET' }
  const found = { '': [] }
  for (const file of readdirSync(resources, { recursive: true }).filter((file) => file.endsWith('.mjs'))) {
    const list = tokens(readFileSync(join(resources, file), 'utf8'))
    list.forEach((t, at) => {
      const path = t === '_client' && list[at + 2] in methods && list.slice(at + 4, at + 8).find((t) => /^['"`]\//.test(t))
      if (path) found[''].push(`${methods[list[at + 2]]} ${path.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '{}').replace(/\?.*/, '')}`)
    })
  }
  return found
}

const chat = 'chat/completions/completions.d.ts', responses = 'responses/responses.d.ts', realtime = 'realtime/realtime.d.ts'
const isTop = (path) => path === ''
const isShallow = (path) => !path.includes('.') && !path.endsWith('=')
const all = {
  'models': models(),
  'paths': paths(),
  'chat request': of(chat, 'ChatCompletionCreateParamsBase'),
  'chat answer': some(of(chat, 'ChatCompletionChunk'), (path) => /^(choices\[\](\.delta)?)?$/.test(path)),
  'completions request': of('completions.d.ts', 'CompletionCreateParamsBase'),
  'completions answer': some(of('completions.d.ts', 'Completion'), (path) => /^(choices\[\])?$/.test(path)),
  'embeddings request': of('embeddings.d.ts', 'EmbeddingCreateParams'),
  'moderations request': of('moderations.d.ts', 'ModerationCreateParams'),
  'moderations answer': some(of('moderations.d.ts', 'ModerationCreateResponse'), (path) => path === 'results[].categories'),
  'responses request': of(responses, 'ResponseCreateParamsBase'),
  'responses events': kindsOf(responses, 'ResponseStreamEvent', 'ResponsesServerEvent'),
  'responses client events': kindsOf(responses, 'ResponsesClientEvent'),
  'responses items': some(of(responses, 'ResponseOutputItem'), isShallow),
  'responses answer': some(of(responses, 'Response'), isTop),
  'realtime session': of(realtime, 'RealtimeSessionCreateRequest'),
  'realtime response': of(realtime, 'RealtimeResponseCreateParams'),
  'realtime events': kindsOf(realtime, 'RealtimeServerEvent'),
  'realtime client events': kindsOf(realtime, 'RealtimeClientEvent'),
  'realtime items': some(of(realtime, 'ConversationItem'), isShallow),
}
const lines = Object.keys(all).sort().map((list) => {
  const paths = Object.keys(all[list]).sort().map((path) => `  ${JSON.stringify(path)}: ${JSON.stringify([...new Set(all[list][path])].sort())}`)
  return ` ${JSON.stringify(list)}: {\n${paths.join(',\n')}\n }`
})
console.log(`{\n${lines.join(',\n')}\n}`)
