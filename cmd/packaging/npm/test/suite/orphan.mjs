// Starts a server, prints its URL, and waits to be killed.
import { startFake } from 'fakeopenai'

const fake = await startFake()
console.log(fake.url)
setInterval(() => {}, 1000)
