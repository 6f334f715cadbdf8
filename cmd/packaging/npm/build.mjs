// Compiles src to ES modules and to CommonJS.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'

process.chdir(import.meta.dirname)
for (const [folder, config] of [['esm', 'tsconfig.json'], ['cjs', 'tsconfig.cjs.json']]) {
  rmSync(folder, { recursive: true, force: true })
  execFileSync('npx', ['tsc', '-p', config], { stdio: 'inherit', shell: process.platform === 'win32' })
}
writeFileSync('cjs/package.json', '{ "type": "commonjs" }\n')
