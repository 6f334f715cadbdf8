#!/usr/bin/env node
// Runs the program of this platform with the same arguments, streams, signals and exit code.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import binary from './binary.cjs'

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

let path
try {
  path = binary.binaryPath()
} catch (error) {
  fail(error.message)
}
const program = spawn(path, process.argv.slice(2), { stdio: 'inherit' })
program.on('error', error => fail(`fakeopenai: ${path} cannot be executed: ${error.message}`))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => program.kill(signal))
}
program.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
