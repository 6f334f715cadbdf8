// Makes the types of scenarios and of the endpoints below /_fake/ from their JSON Schemas:
//
//	node types.mjs [FOLDER]
//
// They are written to FOLDER, which is src by default.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { compile } from 'json-schema-to-typescript'

const options = {
  bannerComment: '// Made by types.mjs. Do not edit.',
  additionalProperties: false,
  unreachableDefinitions: true,
  strictIndexSignatures: true,
  style: { semi: false, singleQuote: true, printWidth: 120 },
}

/** The types of texts with a unit, by their patterns. */
const typed = {
  '^\\+?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$': 'Duration',
  '^[0-9.]+ ?%$': '`${number}%` | `${number} %`',
}

const durations = `
type Unit = 'ns' | 'us' | 'µs' | 'ms' | 's' | 'm' | 'h'

/** A duration with its unit: 50ms, 1.5s, 2m, 1m30s. */
export type Duration = \`\${number}\${Unit}\` | \`\${number}\${Unit}\${number}\${Unit}\` | \`\${number}h\${number}m\${number}s\`
`

/** Leaves only what types are made of: texts for editors are links to pages. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  const { markdownDescription, examples, ...rest } = value
  if (typed[value.pattern]) return { tsType: typed[value.pattern] }
  if (value.type === 'integer' && value.minimum === value.maximum && value.minimum !== undefined) return { tsType: `${value.minimum}` }
  return Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, plain(each)]))
}

/** Returns the types of a schema, without the remarks of where each definition stands in it. */
async function types(schema, name) {
  const source = await compile(schema, name, options)
  const remark = /(\n \*)?\n \* This (interface|type) was referenced by `\w+`'s JSON-Schema\n \* via the `definition` "\w+"\./g
  return source.replace(remark, '').replace(/\/\*\*\n \*\/\n/g, '')
}

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, 'src'))
const root = join(import.meta.dirname, '../../..')
const schema = plain(JSON.parse(execFileSync('go', ['run', './cmd/fakeopenai', 'docs', 'schema'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })))
const { scenario, ...parts } = schema.definitions // a root that only refers to scenario would be written twice
await writeFile(join(folder, 'scenario.ts'), (await types({ ...scenario, definitions: parts }, 'Scenario')) + durations)

const { schemas } = JSON.parse(await readFile(join(root, 'server/internal/admin/openapi.json'), 'utf8')).components
const definitions = JSON.parse(JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/definitions/'))
definitions.ScenarioInfo = definitions.Scenario // the name Scenario is that of the language
delete definitions.Scenario
const renamed = JSON.parse(JSON.stringify({ title: 'Unused', type: 'object', definitions }).replaceAll('#/definitions/Scenario"', '#/definitions/ScenarioInfo"'))
await writeFile(join(folder, 'wire.ts'), (await types(renamed, 'Unused')).replace('export interface Unused {}\n', ''))
