// Starts a server in a thread, prints its URL, and ends the thread.
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { startFake } from 'fakeopenai'

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url))
  worker.once('message', async url => {
    await worker.terminate()
    console.log(url)
    setInterval(() => {}, 1000)
  })
} else {
  parentPort.postMessage((await startFake()).url)
  setInterval(() => {}, 1000)
}
