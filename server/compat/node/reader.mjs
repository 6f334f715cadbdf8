// What the readers of official.mjs and frameworks.mjs share. A reader sends one request
// with a client, as users of that client do, and returns what the client read.

export const server = process.env.FAKEOPENAI_URL;

export const question = 'What is the weather in Oslo?';

// The tools of frameworks.yaml and defects.yaml, which every client offers. Their schemas
// say nothing about the parameters, so that a client that checks arguments can only check
// that they are JSON.
export const functionTools = ['get_weather', 'get_time', 'f', 'g'];
export const customTools = ['run_code'];
export const anyObject = { type: 'object', properties: {}, required: [], additionalProperties: true };

// Asked is one request, and what is known of its answer so far.
export class Asked {
  // c.surface is chat or responses. c.key is another API key for each request, because the
  // server counts replies by key.
  constructor(c) {
    this.case = c;
    this.got = { text: '', refusal: '', reasoning: '', calls: [], ran: [], tokens: [], requests: 0 };
  }

  get onChat() { return this.case.surface === 'chat'; }

  // options are those of the official package, on which agents and langchain build.
  get options() {
    return { baseURL: server + '/v1', apiKey: this.case.key, maxRetries: this.case.retries ?? 0, defaultHeaders: this.headers, fetch: this.fetch };
  }

  get headers() { return { 'X-Fakeopenai-Scenario': this.case.scenario }; }

  // fetch counts the requests: a client that tries again says so nowhere else.
  fetch = (...args) => {
    this.got.requests++;
    return fetch(...args);
  };

  call(id, name, args) { this.got.calls.push([id, name, args].join(' ')); }

  // ran notes that a client ran a tool, and with what.
  ran(name, args) { this.got.ran.push(`${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`); }

  // end notes the text that a client hands over at the end, where it is not what the
  // pieces spelled: none, too.
  end(text) { if ((text ?? '') !== this.got.text) this.got.final = text ?? ''; }

  fail(err) { this.got.error ??= explain(err); }

  // result has what is there, and nothing empty but a final text.
  result() {
    return Object.fromEntries(Object.entries(this.got).filter(([name, v]) => v != null && (name === 'final' || v !== '' && v.length !== 0)));
  }
}

// usage is the tokens of input and output; there are none if there is no number.
export function usage(input, output) {
  return Number.isFinite(input) && Number.isFinite(output) ? [input, output] : undefined;
}

// explain is an error in one line: its class, its status and its text. What a client
// wraps in an error of its own is the error that counts.
export function explain(err) {
  const inner = err?.lastError ?? err;
  if (!(inner instanceof Error)) return `${inner?.type ?? typeof inner} ${inner?.message ?? JSON.stringify(inner)}`;
  const status = inner.status ?? inner.statusCode;
  const text = [inner.message, inner.cause?.message].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ');
  return [inner.constructor.name, text.startsWith(status) ? '' : status, text].filter(Boolean).join(' ').slice(0, 300);
}
