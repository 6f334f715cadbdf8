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

/** Splits sources into paths, and one text with all that is not in files. */
export function divide(sources: Sources): { paths: string[]; text: string } {
  const given = sources.scenarios ?? []
  const all = (Array.isArray(given) ? given : [given]) as (string | Scenario)[]
  const paths = all.filter(each => typeof each === 'string').map(path => resolve(path))
  const texts = all.filter(each => typeof each !== 'string').map(scenario => JSON.stringify(scenario))
  if (sources.yaml !== undefined) texts.unshift(sources.yaml)
  return { paths, text: texts.join('\n---\n') }
}

/** Reads all sources into one text with a YAML document for each scenario. */
export async function readAll(sources: Sources): Promise<string> {
  const { paths, text } = divide(sources)
  const texts = await Promise.all(paths.map(readPath))
  return [...texts.flat(), text].filter(each => each !== '').join('\n---\n')
}

/** Reads a file, or all scenario files of a folder and the folders below it. */
async function readPath(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [await readFile(path, 'utf8')]
  const names = await readdir(path, { recursive: true })
  const files = names.filter(name => /\.ya?ml$/.test(name)).sort()
  if (files.length === 0) throw new Error(`fakeopenai: ${path} has no file that ends in .yaml or .yml`)
  return Promise.all(files.map(name => readFile(join(path, name), 'utf8')))
}
