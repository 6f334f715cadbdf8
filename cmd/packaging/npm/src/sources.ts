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
}

/** Splits sources into paths, and texts that are not in files. */
export function divide({ scenarios, yaml }: Sources): { paths: string[]; texts: File[] } {
  const texts: File[] = []
  if (yaml !== undefined) texts.push({ name: 'yaml', text: isText(yaml, 'yaml') })
  const list = Array.isArray(scenarios)
  const all = (list ? scenarios : scenarios === undefined ? [] : [scenarios]) as (string | Scenario)[]
  const paths: string[] = []
  all.forEach((each, i) => {
    const name = list ? `scenarios.${i}` : 'scenarios'
    if (typeof each === 'object' && each !== null) texts.push({ name, text: JSON.stringify(each, null, 2) })
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
