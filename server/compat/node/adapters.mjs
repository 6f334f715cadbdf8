// Adapters for fakeopenai conform: node adapters.mjs CLIENT. Each client is used as its manual says, without tries of its own, and
// with its own time limit. What is printed is what a user of the client gets, in the words of chat completions. A client is imported
// only if it is asked: an adapter that hung is started again.
import { createInterface } from 'node:readline';

const timeout = 5000;
const clients = { openai, 'openai-4': openai4, ai, 'ai-compatible': aiCompatible, langchain, agents, huggingface, xsai };

const client = clients[process.argv[2]];
if (!client) {
  console.error(`usage: node adapters.mjs ${Object.keys(clients).join('|')}`);
  process.exit(2);
}
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await ask(JSON.parse(line))));

async function ask({ surface, base_url: baseURL, api_key: apiKey, request }) {
  try {
    if (surface === 'realtime') return skip(surface);
    return await client({ surface, request, options: { baseURL, apiKey } });
  } catch (error) {
    return { error: String(error) };
  }
}

function skip(surface) { return { skip: `the client does not ask for ${surface}` }; }

// prompt is what the user says.
function prompt({ input, prompt, messages }) { return input ?? prompt ?? messages.at(-1).content; }

// functions are the tools that the request offers. Each is made with its name and the schema of its parameters.
function functions({ tools = [] }, make) { return tools.map((tool) => make(tool.function ?? tool)); }

function usage(input, output) { return { prompt_tokens: input, completion_tokens: output }; }

// finish is a finish reason in the words of chat completions; other words stay as they are.
function finish(reason) { return { 'tool-calls': 'tool_calls', 'content-filter': 'content_filter', max_output_tokens: 'length' }[reason] ?? reason; }

// The package openai with for await: users join the pieces themselves.
async function openai(asked) { return ofPackage(await import('openai'), asked); }

// The last version 4 of the package, which many still have. It asks with node-fetch.
async function openai4(asked) { return ofPackage(await import('openai4'), asked); }

async function ofPackage({ OpenAI }, { surface, request, options }) {
  const api = new OpenAI({ ...options, maxRetries: 0, timeout });
  if (surface === 'responses') return joinEvents(await api.responses.create(request));
  return joinChunks(await (surface === 'chat' ? api.chat : api).completions.create(request));
}

async function joinChunks(chunks) {
  const got = { text: '', refusal: '', calls: [] };
  for await (const chunk of chunks) {
    got.usage = chunk.usage ?? got.usage;
    for (const choice of chunk.choices) if (choice.index === 0) joinChoice(got, choice);
  }
  return { ...got, calls: got.calls.filter(Boolean) };
}

function joinChoice(got, { text, delta = {}, finish_reason: reason }) {
  got.finish = reason ?? got.finish;
  got.text += text ?? delta.content ?? '';
  got.refusal += delta.refusal ?? '';
  for (const { index, id, function: f } of delta.tool_calls ?? []) {
    const call = (got.calls[index] ??= { id, name: '', arguments: '' });
    call.name += f?.name ?? '';
    call.arguments += f?.arguments ?? '';
  }
}

async function joinEvents(events) {
  const got = { text: '', refusal: '', calls: [] };
  for await (const event of events) {
    if (event.type === 'response.output_text.delta') got.text += event.delta;
    if (event.type === 'response.refusal.delta') got.refusal += event.delta;
    if (event.type === 'response.output_item.done' && event.item.type === 'function_call') got.calls.push(callOf(event.item));
    if (event.type === 'error') return { error: event.message };
    if (/^response\.(completed|incomplete|failed)$/.test(event.type)) Object.assign(got, endOf(event.response, got.calls));
  }
  return got;
}

function callOf({ call_id: id, name, arguments: args }) { return { id, name, arguments: args }; }

// endOf is what the last event of a response says.
function endOf({ error, incomplete_details: why, usage: tokens }, calls) {
  if (error) return { error: error.message };
  const usual = calls.length > 0 ? 'tool_calls' : 'stop';
  return { finish: why ? finish(why.reason) : usual, usage: usage(tokens?.input_tokens, tokens?.output_tokens) };
}

// streamText of the AI SDK, with its provider for OpenAI.
async function ai({ surface, request, options }) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const provider = createOpenAI(options);
  const make = { chat: provider.chat, completions: provider.completion, responses: provider.responses }[surface];
  return readStreamText(make(request.model), request);
}

// streamText of the AI SDK, with its provider for all that speaks as OpenAI does.
async function aiCompatible({ surface, request, options }) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({ ...options, name: 'fake', includeUsage: true });
  const make = { chat: provider.chatModel, completions: provider.completionModel }[surface];
  return make ? readStreamText(make(request.model), request) : skip(surface);
}

async function readStreamText(model, request) {
  const { dynamicTool, isStepCount, jsonSchema, streamText } = await import('ai');
  const tools = functions(request, ({ name, parameters }) => [name, dynamicTool({ inputSchema: jsonSchema(parameters), execute: () => 'done' })]);
  const { fullStream } = streamText({
    model, prompt: prompt(request), tools: Object.fromEntries(tools), stopWhen: isStepCount(1), maxRetries: 0, timeout, onError: () => {},
  });
  const got = { text: '', calls: [], invalid: [] };
  for await (const part of fullStream) takePart(got, part);
  return outcome(got);
}

function takePart(got, part) {
  switch (part.type) {
    case 'text-delta': got.text += part.text; break;
    case 'tool-call': if (!part.invalid) got.calls.push({ id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(part.input) }); break;
    case 'tool-error': got.invalid.push(messageOf(part.error)); break;
    case 'error': got.error ??= messageOf(part.error); break;
    case 'abort': got.error ??= `aborted: ${part.reason}`; break;
    case 'finish-step':
      got.finish = finish(part.finishReason);
      got.usage = usage(part.usage.inputTokens, part.usage.outputTokens);
      if (got.finish === 'interrupted') got.error ??= 'the finish reason is interrupted'; // its word for a stream without an end
  }
}

function messageOf(error) { return String(error?.message ?? error); }

// outcome is what a client came to that tells calls it cannot run, as invalid, from those it can. That is an error, unless the finish
// reason says as much: that the answer was cut.
function outcome({ invalid, ...got }) {
  if (invalid.length > 0 && got.finish !== 'length') got.error ??= `invalid call: ${invalid[0]}`;
  return got;
}

// stream of ChatOpenAI: users join the pieces with concat.
async function langchain({ surface, request, options: { baseURL, apiKey } }) {
  if (surface === 'completions') return skip(surface);
  const { ChatOpenAI } = await import('@langchain/openai');
  const model = new ChatOpenAI({ model: request.model, apiKey, useResponsesApi: surface === 'responses', maxRetries: 0, timeout, configuration: { baseURL } });
  let whole;
  for await (const chunk of await model.bindTools(request.tools ?? []).stream(prompt(request))) whole = whole?.concat(chunk) ?? chunk;
  return whole ? ofMessage(whole) : {};
}

function ofMessage({ text, tool_calls: calls, invalid_tool_calls: invalid, additional_kwargs: more, response_metadata: meta, usage_metadata: tokens }) {
  const ended = { completed: calls.length > 0 ? 'tool_calls' : 'stop', incomplete: finish(meta.incomplete_details?.reason) };
  return outcome({
    text, refusal: more.refusal, finish: meta.finish_reason ?? ended[meta.status],
    calls: calls.map(({ id, name, args }) => ({ id, name, arguments: JSON.stringify(args) })),
    invalid: invalid.map((call) => call.error), usage: tokens && usage(tokens.input_tokens, tokens.output_tokens),
  });
}

// A run of @openai/agents, for one answer. Runs know no finish reason: one that ends with a final output has stopped. A tool whose
// arguments are invalid is not run, and its output says so.
async function agents({ surface, request, options }) {
  if (surface === 'completions') return skip(surface);
  const { Agent, OpenAIProvider, Runner, tool } = await import('@openai/agents');
  const { OpenAI } = await import('openai');
  const openAIClient = new OpenAI({ ...options, maxRetries: 0, timeout });
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses: surface === 'responses' });
  const tools = functions(request, ({ name, parameters }) => tool({ name, description: name, parameters, strict: false, execute: () => 'done' }));
  const agent = new Agent({ name: 'clerk', model: request.model, tools, toolUseBehavior: 'stop_on_first_tool' });
  const run = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, prompt(request), { stream: true, maxTurns: 1 });
  for await (const _ of run); // users show the events
  await run.completed;
  return ofRun(run);
}

function ofRun({ newItems, finalOutput, state: { usage: tokens } }) {
  const invalid = newItems.find(({ type, output }) => type === 'tool_call_output_item' && output !== 'done');
  if (invalid) return { error: invalid.output };
  const items = newItems.map((item) => item.rawItem);
  const calls = items.filter((item) => item.type === 'function_call').map(({ callId: id, name, arguments: args }) => ({ id, name, arguments: args }));
  const parts = items.flatMap((item) => (item.type === 'message' ? item.content : []));
  const ended = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    text: parts.map((part) => part.text ?? '').join(''), refusal: parts.map((part) => part.refusal ?? '').join(''),
    calls, finish: finalOutput === undefined ? '' : ended, usage: usage(tokens.inputTokens, tokens.outputTokens),
  };
}

// chatCompletionStream of @huggingface/inference: users join the pieces themselves.
async function huggingface({ surface, request, options: { baseURL, apiKey } }) {
  if (surface !== 'chat') return skip(surface);
  const { InferenceClient } = await import('@huggingface/inference');
  const client = new InferenceClient(apiKey, { endpointUrl: baseURL, retry_on_error: false });
  return joinChunks(client.chatCompletionStream(request, { signal: AbortSignal.timeout(timeout) }));
}

// streamText of xsai, which runs the tools. Its last word on an answer is the last step.
async function xsai({ surface, request, options }) {
  if (surface !== 'chat') return skip(surface);
  const { streamText } = await import('@xsai/stream-text');
  const tools = (request.tools ?? []).map((tool) => ({ ...tool, execute: () => 'done' }));
  const { fullStream, steps, messages, usage, totalUsage } = streamText({
    ...options, model: request.model, messages: request.messages, tools: tools.length > 0 ? tools : undefined, streamOptions: { includeUsage: true },
    abortSignal: AbortSignal.timeout(timeout),
  });
  for (const promise of [steps, messages, usage, totalUsage]) promise.catch(() => {}); // what fails is told by the stream
  let refusal;
  for await (const event of fullStream) if (event.type === 'error') refusal = (refusal ?? '') + event.error;
  const { text, toolCalls, finishReason, usage: tokens } = (await steps).at(-1);
  const calls = toolCalls.map(({ toolCallId: id, toolName: name, args }) => ({ id, name, arguments: args }));
  return { text, refusal, calls, finish: finishReason === 'other' ? '' : finishReason, usage: tokens };
}
