// Run below fakeopenai exec: asks the server that it started, which keeps no transcripts.
import { connectFake } from 'fakeopenai'
import { askOpenAI } from './clients.mjs'

const fake = connectFake()
const rain = await fake.forTest({ yaml: '{ name: rain, when: { user: rain }, message: It is raining. }' })
console.log(await askOpenAI(rain, 'rain'))
await askOpenAI(rain, 'sun').catch(() => {})
await rain.close()
await fake.verify().catch(error => console.log(error.message))
await fake.close()
