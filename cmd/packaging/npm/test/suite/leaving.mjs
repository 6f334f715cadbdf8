// Forgets to close its server, and must end all the same.
import { startFake } from 'fakeopenai'

console.log((await startFake()).url)
