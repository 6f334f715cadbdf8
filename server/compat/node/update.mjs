// Moves the pins of the clients, and of what they are used with, to the newest versions, and prints what changed: those of
// ../go.mod, of package.json, of the npm package of fakeopenai, which is tested with some of them, and those that README.md names.
// Then writes the names that OpenAI's package has in its types anew, and prints what the tables of the server lack or have too
// many of. Thereafter the clients are asked anew: go -C server/compat test -run TestClients -timeout 30m . -update
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

process.chdir(dirname(import.meta.dirname))
const notClients = /fakeopenai|^k8s\.io|^sigs\.|envoy|protobuf|yaml-language-server|^openai4$/ // what is pinned for other tests, and the old version

const npmPackage = '../../cmd/packaging/npm'
const before = { ...modules(), ...packages('node') }
const shared = Object.keys(packages(npmPackage)).filter((name) => name in before)
run('go', 'get', ...newest(Object.keys(modules())))
run('go', 'mod', 'tidy')
run('npm', '--prefix', 'node', 'install', '--save-exact', ...quiet(), ...newest(Object.keys(packages('node'))))
run('npm', '--prefix', npmPackage, 'install', '--save-dev', '--save-exact', ...quiet(), ...newest(shared))

let readme = readFileSync('../../README.md', 'utf8')
const after = { ...modules(), ...packages('node') }
const changed = Object.keys(before).filter((name) => before[name] !== after[name])
for (const name of changed) {
  console.log(`${name} ${before[name]} -> ${after[name]}`)
  const short = name.startsWith('@') ? name : name.replace(/\/(v\d+|go)$/, '').split('/').at(-1) // as README.md names it
  readme = readme.replace(new RegExp(`((?<![\\w/-])${short}\\s+)${before[name].replaceAll('.', '\\.')}`, 'g'), `$1${after[name]}`)
}
if (changed.length === 0) console.log('nothing changed')
writeFileSync('../../README.md', readme)
writeFileSync('../testdata/openai.json', run('node', 'node/types.mjs'))
const tables = spawnSync('go', ['-C', '..', 'test', '-count=1', '-run', 'TestTypesOfOpenAI', '.'], { encoding: 'utf8' })
console.log(tables.status === 0 ? 'the tables of the server have the names of the types' : tables.stdout + tables.stderr)

function run(command, ...args) { return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' }) }

function quiet() { return ['--no-audit', '--no-fund', '--loglevel', 'error'] }

function newest(names) { return names.map((name) => `${name}@latest`) }

// modules are the clients that go.mod asks for, with their versions.
function modules() {
  const direct = JSON.parse(run('go', 'mod', 'edit', '-json')).Require.filter((m) => !m.Indirect && !notClients.test(m.Path))
  return Object.fromEntries(direct.map((m) => [m.Path, m.Version]))
}

// packages are those that the manifest in a folder asks for, with their versions.
function packages(folder) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  return Object.fromEntries(Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => !notClients.test(name)))
}
