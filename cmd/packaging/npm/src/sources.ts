import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Scenario } from './scenario.js'

/** Scenarios as files and folders, as objects, or as YAML. */
export interface Sources {
  /** Paths of scenario files and of folders with them, or scenarios as objects. */
  scenarios?: string | Scenario | readonly (string | Scenario)[]
  /** Scenarios as YAML, one document each. */
  yaml?: string
}

/** A text with scenarios, and the name by which messages call it. */
export interface File {
  name: string
  text: string
  /** Whether the text is an object as JSON, which the author of the object never saw. */
  isObject?: boolean
  /** Where the text is as a file of its own, which is there while the server starts. */
  path?: string
}

/** Writes places in objects, such as `scenarios[1]:4:7`, as paths, such as `scenarios[1].replies[0].when`, and the names of files that were made for the server as those that the author knows. */
export function withPaths(text: string, files: readonly File[]): string {
  for (const file of files) {
    const known = file.path ?? file.name
    const place = new RegExp(`${known.replace(/[^\w\s/]/g, '\\$&')}:(\\d+)(:\\d+)?`, 'g')
    if (file.isObject) text = text.replace(place, (_, line) => file.name + pathAt(file.text, Number(line)))
    text = text.replaceAll(known, file.name)
  }
  return text
}

/** Returns the path of what stands on a line of JSON that is indented by two spaces. */
function pathAt(json: string, line: number): string {
  const path: (string | number)[] = []
  for (const row of json.split('\n').slice(0, line)) {
    const depth = row.search(/\S/) / 2
    const [, key, value] = /^ *(?:("(?:\\.|[^"\\])*"): )?(.*)$/.exec(row)!
    if (depth > 0 && !/^[}\]]/.test(value!)) {
      const before = path[depth - 1]
      path.splice(depth - 1, path.length, key === undefined ? (typeof before === 'number' ? before + 1 : 0) : JSON.parse(key))
    }
  }
  return path.map(key => (typeof key === 'number' ? `[${key}]` : /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join('')
}

/** Splits sources into paths, and texts that are not in files. */
export function divide({ scenarios, yaml }: Sources): { paths: string[]; texts: File[] } {
  const texts: File[] = []
  if (yaml !== undefined) texts.push({ name: 'yaml', text: isText(yaml, 'yaml') })
  const list = Array.isArray(scenarios)
  const all = (list ? scenarios : scenarios === undefined ? [] : [scenarios]) as (string | Scenario)[]
  const paths: string[] = []
  all.forEach((each, i) => {
    const name = list ? `scenarios[${i}]` : 'scenarios'
    if (typeof each === 'object' && each !== null) texts.push({ name, text: JSON.stringify(each, null, 2), isObject: true })
    else paths.push(resolve(isText(each, name)))
  })
  return { paths, texts }
}

function isText(value: string, name: string): string {
  if (typeof value === 'string') return value
  throw new Error(`fakeopenai: ${name} cannot be ${JSON.stringify(value)}; ${name === 'yaml' ? 'write YAML' : 'write a path, or a scenario as an object'}`)
}

/** Reads all sources. */
export async function readAll(sources: Sources): Promise<File[]> {
  const { paths, texts } = divide(sources)
  return [...(await Promise.all(paths.map(readPath))).flat(), ...texts]
}

/** Reads a file, or all scenario files of a folder and the folders below it. */
async function readPath(path: string): Promise<File[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new Error(`fakeopenai: there is no file and no folder ${path}`)
  if (found.isFile()) return [await read(path)]
  const names = await readdir(path, { recursive: true })
  const files = names.filter(name => /\.ya?ml$/.test(name)).sort()
  if (files.length === 0) throw new Error(`fakeopenai: ${path} has no file that ends in .yaml or .yml`)
  return Promise.all(files.map(name => read(join(path, name))))
}

async function read(path: string): Promise<File> {
  return { name: path, text: await readFile(path, 'utf8') }
}

/** Refuses options that there are not, which JavaScript would ignore. */
export function checkOptions(of: string, options: object, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw new Error(`fakeopenai: ${of} takes an object with ${names.join(', ')}; not ${JSON.stringify(options)}`)
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new Error(`fakeopenai: ${of} has no option ${name}; it has ${names.join(', ')}`)
  }
}
