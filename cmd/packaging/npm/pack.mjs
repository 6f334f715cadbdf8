// Packs the package fakeopenai and one package for each platform:
//
//	node pack.mjs VERSION BINARIES OUT
//
// BINARIES has the program of each platform as GOOS_GOARCH/fakeopenai, or fakeopenai.exe. A
// platform that it lacks gets no package. The tarballs are written to OUT.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const [version, binaries, out] = process.argv.slice(2)
const source = import.meta.dirname
const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
const root = join(source, '../../..')

/** What Go calls the systems and processors for which node has another name. */
const goNames = { win32: 'windows', x64: 'amd64' }

/** The platforms, as process.platform and process.arch name them. */
const platforms = ['darwin', 'linux', 'win32'].flatMap(os => ['arm64', 'x64'].map(cpu => ({ os, cpu, name: `@fakeopenai/${os}-${cpu}` })))

const work = mkdtempSync(join(tmpdir(), 'fakeopenai-pack-'))
mkdirSync(out, { recursive: true })
try {
  platforms.forEach(packPlatform)
  packLibrary()
} finally {
  rmSync(work, { recursive: true })
}

/** Packs the program of one platform. */
function packPlatform({ os, cpu, name }) {
  const file = os === 'win32' ? 'fakeopenai.exe' : 'fakeopenai'
  const program = join(binaries, `${goNames[os] ?? os}_${goNames[cpu] ?? cpu}`, file)
  if (!existsSync(program)) return
  const folder = join(work, name)
  mkdirSync(folder, { recursive: true })
  copyFileSync(program, join(folder, file))
  chmodSync(join(folder, file), 0o755)
  const { license, repository, homepage } = manifest
  copyFileSync(join(root, 'NOTICES.txt'), join(folder, 'NOTICES.txt'))
  pack(folder, { name, version, description: `The program fakeopenai for ${os} on ${cpu}`, license, repository, homepage, os: [os], cpu: [cpu], files: [file, 'NOTICES.txt'] })
}

/** Packs the launcher and the library. */
function packLibrary() {
  const folder = join(work, manifest.name)
  for (const name of ['README.md', ...manifest.files]) cpSync(join(source, name), join(folder, name), { recursive: true })
  const { devDependencies, scripts, ...rest } = manifest
  pack(folder, { ...rest, version, optionalDependencies: Object.fromEntries(platforms.map(({ name }) => [name, version])) })
}

function pack(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2) + '\n')
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  execFileSync('npm', ['pack', '--silent', '--pack-destination', resolve(out)], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' })
}
