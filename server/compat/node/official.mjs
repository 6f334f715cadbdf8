// The openai package: its streams event by event, and its own helpers.
import OpenAI from 'openai';
import { anyObject, customTools, functionTools, question, usage } from './reader.mjs';

export const official = {
  'node for await': (asked) => (asked.onChat ? readChunks(asked) : readEvents(asked)),
  'node stream()': (asked) => (asked.onChat ? readChatHelper(asked) : readHelper(asked)),
  'node runTools()': runTools,
};

function requestOf(asked) {
  const custom = customTools.map((name) => ({ type: 'custom', name }));
  if (asked.onChat) {
    const functions = functionTools.map((name) => ({ type: 'function', function: { name, parameters: anyObject } }));
    return {
      model: 'gpt-4o', messages: [{ role: 'user', content: question }], stream: true, stream_options: { include_usage: true },
      tools: [...functions, ...custom.map(({ name }) => ({ type: 'custom', custom: { name } }))], ...asked.case.request,
    };
  }
  const functions = functionTools.map((name) => ({ type: 'function', name, parameters: anyObject, strict: false }));
  return { model: 'gpt-4o', input: question, stream: true, tools: [...functions, ...custom], ...asked.case.request };
}

// The text is joined from the deltas; all else is from the last event.
async function readEvents(asked) {
  const stream = await new OpenAI(asked.options).responses.create(requestOf(asked));
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') asked.got.text += event.delta;
    if (/^response\.(completed|incomplete|failed)$/.test(event.type)) takeResponse(asked, event.response);
  }
}

// The helper joins the answer itself, and checks the events more strictly than any other
// client.
async function readHelper(asked) {
  const stream = new OpenAI(asked.options).responses.stream(requestOf(asked));
  stream.on('response.output_text.delta', (event) => { asked.got.text += event.delta; });
  takeResponse(asked, await stream.finalResponse());
}

function takeResponse(asked, res) {
  const { got } = asked;
  got.finish = [res.status, res.incomplete_details?.reason, res.error?.message].filter(Boolean).join(' ');
  if (res.usage) got.usage = usage(res.usage.input_tokens, res.usage.output_tokens);
  for (const item of res.output ?? []) takeItem(asked, item);
  const parts = (res.output ?? []).flatMap((item) => (item.type === 'message' ? item.content : []));
  asked.end(parts.map((part) => part.text ?? '').join(''));
}

function takeItem(asked, item) {
  const { got } = asked;
  if (item.type === 'function_call') asked.call(item.call_id, item.name, item.arguments);
  if (item.type === 'custom_tool_call') asked.call(item.call_id, item.name, item.input);
  if (item.type === 'reasoning') got.reasoning += [...(item.summary ?? []), ...(item.content ?? [])].map((part) => part.text).join('');
  for (const part of (item.type === 'message' && item.content) || []) {
    got.refusal += part.refusal ?? '';
    got.tokens.push(...(part.logprobs ?? []).map((p) => p.token));
  }
}

async function readChunks(asked) {
  const { got } = asked;
  const calls = [];
  for await (const chunk of await new OpenAI(asked.options).chat.completions.create(requestOf(asked))) {
    if (chunk.usage) got.usage = usage(chunk.usage.prompt_tokens, chunk.usage.completion_tokens);
    for (const choice of chunk.choices ?? []) takeDelta(got, calls, choice);
  }
  for (const { id, name, args } of calls.filter(Boolean)) asked.call(id, name, args);
}

function takeDelta(got, calls, { index, delta, finish_reason, logprobs }) {
  if (index !== 0) return;
  got.finish = finish_reason ?? got.finish;
  got.text += delta?.content ?? '';
  got.refusal += delta?.refusal ?? '';
  got.reasoning += delta?.reasoning_content ?? '';
  got.tokens.push(...(logprobs?.content ?? []).map((p) => p.token));
  for (const t of delta?.tool_calls ?? []) {
    const known = (calls[t.index] ??= { id: t.id, name: '', args: '' });
    const { name, arguments: args, input } = t.function ?? t.custom ?? {};
    known.name += name ?? '';
    known.args += args ?? input ?? '';
  }
}

async function readChatHelper(asked) {
  const stream = new OpenAI(asked.options).chat.completions.stream(requestOf(asked));
  stream.on('content', (text) => { asked.got.text += text; });
  takeCompletion(asked, await stream.finalChatCompletion());
}

function takeCompletion(asked, res) {
  const { got } = asked;
  const { message, finish_reason, logprobs } = res.choices[0];
  got.finish = finish_reason;
  got.refusal = message.refusal;
  got.reasoning = message.reasoning_content;
  got.tokens = (logprobs?.content ?? []).map((p) => p.token);
  if (res.usage) got.usage = usage(res.usage.prompt_tokens, res.usage.completion_tokens);
  for (const t of message.tool_calls ?? []) asked.call(t.id, (t.function ?? t.custom).name, t.function?.arguments ?? t.custom.input);
}

// runTools is the package's own agent loop, which exists only for chat completions. Here it
// runs the calls of one answer.
async function runTools(asked) {
  const tools = functionTools.map((name) => ({
    type: 'function',
    function: { name, parameters: anyObject, parse: JSON.parse, function: (args) => { asked.ran(name, args); return '18'; } },
  }));
  const { tools: _, ...request } = requestOf(asked);
  const runner = new OpenAI(asked.options).chat.completions.runTools({ ...request, tools }, { maxChatCompletions: 1 });
  runner.on('content', (text) => { asked.got.text += text; });
  await runner.done();
  takeCompletion(asked, (await runner.allChatCompletions()).at(-1));
}
