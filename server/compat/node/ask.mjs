// Reads a JSON list of inquiries from standard input, sends each with the client that it
// names, and prints the readings as a list in the same order.
import { frameworks } from './frameworks.mjs';
import { official } from './official.mjs';
import { Asked, server } from './reader.mjs';

const readers = { ...official, ...frameworks };

async function ask(c) {
  const asked = new Asked(c);
  const released = c.hold && release(c);
  try {
    await readers[c.client](asked);
  } catch (err) {
    asked.fail(err);
  }
  await released;
  return asked.result();
}

// release waits until the answer has reached its hold, and releases it.
async function release({ hold, key }) {
  for (const [method, what] of [['GET', 'wait'], ['POST', 'release']]) {
    const res = await fetch(`${server}/_fake/holds/${hold}/${what}?api_key=${key}`, { method });
    if (!res.ok) throw new Error(`${what}: ${await res.text()}`);
  }
}

// Several inquiries run at a time, begun in the order of the list.
async function askAll(cases, workers) {
  const outcomes = [];
  const left = cases.entries();
  await Promise.all(Array.from({ length: workers }, async () => {
    for (const [i, c] of left) outcomes[i] = await ask(c);
  }));
  return outcomes;
}

let input = '';
for await (const piece of process.stdin.setEncoding('utf8')) input += piece;
process.stdout.write(JSON.stringify(await askAll(JSON.parse(input), 8)));
