import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import binary from '../bin/binary.cjs'

/** How many lines of the program's log an error shows. */
const shownLines = 20

/** A fakeopenai process that serves. */
export interface ServerProcess {
  url: string
  stop(): Promise<void>
}

/**
 * Starts the program with these arguments of `serve`, and waits until it listens. It ends when
 * its standard input is closed, so that it does not outlive this process. Errors show its log as `readable` writes it.
 */
export async function startProcess(args: string[], timeout: number, readable: (log: string) => string): Promise<ServerProcess> {
  const path = binary.binaryPath()
  const child = spawn(path, ['serve', '--addr', '127.0.0.1:0', '--until-eof', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const log: string[] = []
  createInterface(child.stderr).on('line', line => {
    log.push(line)
    if (log.length > shownLines) log.shift()
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const said = () => (log.length === 0 ? '; it logged nothing' : `:\n${readable(log.join('\n'))}`)
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`fakeopenai did not listen within ${timeout} ms; startTimeout allows more${said()}`))
    }, timeout)
    createInterface(child.stdout).on('line', line => {
      if (!line.startsWith('listening on ')) return
      clearTimeout(timer)
      resolve(line.slice('listening on '.length))
    })
    child.once('error', error => {
      clearTimeout(timer)
      reject(new Error(`fakeopenai cannot be executed: ${error.message} (${path})`))
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`fakeopenai did not start, ${code === null ? `ended by ${signal}` : `exit code ${code}`}${said()}`))
    })
  })
  release(child)
  return {
    url,
    async stop() {
      child.ref()
      child.stdin.end()
      await ended
    },
  }
}

/** Lets this process end while the server still runs. */
function release(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    (stream as { unref?: () => void } | null)?.unref?.()
  }
}
