// The frameworks built on OpenAI's API. Each is used as its manual says, with tools that
// it may run, and for one answer of the model.
import { Agent, OpenAIProvider, Runner, tool as agentTool } from '@openai/agents';
import { createOpenAI } from '@ai-sdk/openai';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI, customTool } from '@langchain/openai';
import { jsonSchema, isStepCount, streamText, tool as aiTool } from 'ai';
import OpenAI from 'openai';
import { anyObject, customTools, functionTools, question, server, usage } from './reader.mjs';

export const frameworks = { 'agents': readAgents, 'ai': readAI, 'langchain': readLangchain };

// @openai/agents. A run ends when it has run the first tools.
async function readAgents(asked) {
  const tools = functionTools.map((name) => agentTool({
    name, description: name, parameters: anyObject, strict: false,
    execute: (args) => { asked.ran(name, args); return '18'; },
  }));
  const agent = new Agent({ name: 'clerk', model: 'gpt-4o', tools, toolUseBehavior: 'stop_on_first_tool', modelSettings: { providerData: asked.case.request } });
  const result = await agentRunner(asked).run(agent, question, { stream: true, maxTurns: 1 });
  try {
    for await (const event of result) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') asked.got.text += event.data.delta;
    }
    await result.completed;
    if (asked.got.ran.length === 0) asked.end(result.finalOutput); // else it is the output of the tools
  } finally {
    for (const response of result.rawResponses) takeAgentsResponse(asked, response);
    const { inputTokens, outputTokens, requests } = result.state.usage;
    if (requests > 0) asked.got.usage = usage(inputTokens, outputTokens);
  }
}

export function agentRunner(asked) {
  const modelProvider = new OpenAIProvider({ openAIClient: new OpenAI(asked.options), useResponses: !asked.onChat });
  return new Runner({ modelProvider, tracingDisabled: true });
}

// Agents accepts only a response with the status completed.
function takeAgentsResponse(asked, { output }) {
  const { got } = asked;
  got.finish = 'completed';
  for (const item of output) {
    if (item.type === 'function_call') asked.call(item.callId, item.name, item.arguments);
    if (item.type === 'reasoning') got.reasoning += item.content.map((part) => part.text).join('');
    if (item.type !== 'message') continue;
    for (const part of item.content) {
      got.refusal += part.refusal ?? '';
      got.tokens.push(...(part.providerData?.logprobs ?? []).map((p) => p.token));
    }
  }
}

// The AI SDK, whose default model speaks Responses.
async function readAI(asked) {
  const { got, case: { key, retries, request } } = asked;
  const openai = createOpenAI({ baseURL: server + '/v1', apiKey: key, headers: asked.headers, fetch: asked.fetch });
  const functions = functionTools.map((name) => [name, aiTool({
    inputSchema: jsonSchema(anyObject), execute: (args) => { asked.ran(name, args); return '18'; },
  })]);
  const custom = asked.onChat ? [] : customTools.map((name) => [name, openai.tools.customTool({ name })]);
  const result = streamText({
    model: asked.onChat ? openai.chat('gpt-4o') : openai('gpt-4o'), prompt: question, tools: Object.fromEntries([...functions, ...custom]),
    stopWhen: isStepCount(1), maxRetries: retries ?? 0, onError: () => {}, ...aiOptions(request),
  });
  for await (const part of result.fullStream) takeAIPart(asked, part);
  got.finish = statuses[got.finish] ?? got.finish;
  if (!got.error) asked.end(await result.text);
}

function aiOptions(request) {
  if (!request) return {};
  return { providerOptions: { openai: { logprobs: request.logprobs || request.include ? 2 : undefined } } };
}

// statuses maps the finish reasons of the AI SDK to the API's words.
const statuses = { 'stop': 'completed', 'tool-calls': 'completed', 'length': 'incomplete max_output_tokens', 'content-filter': 'incomplete content_filter' };

function takeAIPart(asked, part) {
  const { got } = asked;
  switch (part.type) {
    case 'text-delta': got.text += part.text; break;
    case 'reasoning-delta': got.reasoning += part.text; break;
    case 'tool-call': asked.call(part.toolCallId, part.toolName, inText(part.input)); break;
    case 'tool-error': asked.fail(part.error); break;
    case 'error': asked.fail(part.error); break;
    case 'finish-step':
      got.finish = part.finishReason;
      got.usage = usage(part.usage.inputTokens, part.usage.outputTokens);
      got.tokens.push(...(part.providerMetadata?.openai?.logprobs ?? []).flat().map((p) => p.token));
  }
}

function inText(input) { return typeof input === 'string' ? input : JSON.stringify(input); }

// @langchain/openai has no loop. This reader runs what it reports as a tool call, and not
// what it reports as an invalid tool call.
async function readLangchain(asked) {
  const { got, case: { key, retries, request } } = asked;
  const functions = functionTools.map((name) => langchainTool((args) => { asked.ran(name, args); return '18'; }, { name, description: name, schema: anyObject }));
  const custom = asked.onChat ? [] : customTools.map((name) => customTool((input) => { asked.ran(name, input); return '18'; }, { name }));
  const tools = [...functions, ...custom];
  const model = new ChatOpenAI({
    model: 'gpt-4o', apiKey: key, useResponsesApi: !asked.onChat, maxRetries: retries ?? 0, modelKwargs: request,
    configuration: { baseURL: server + '/v1', defaultHeaders: asked.headers, fetch: asked.fetch },
  });
  let message;
  for await (const chunk of await model.bindTools(tools).stream(question)) {
    got.text += chunk.text;
    message = message ? message.concat(chunk) : chunk;
  }
  if (!message) return;
  takeMessage(asked, message);
  asked.end(message.text);
  for (const call of message.tool_calls ?? []) await tools.find(({ name }) => name === call.name)?.invoke(call);
}

function takeMessage(asked, { additional_kwargs: more, response_metadata: meta, usage_metadata: tokens, tool_calls, invalid_tool_calls }) {
  const { got } = asked;
  got.finish = [meta.status ?? meta.finish_reason, meta.incomplete_details?.reason].filter(Boolean).join(' ');
  got.usage = usage(tokens?.input_tokens, tokens?.output_tokens);
  got.refusal = more.refusal;
  got.reasoning = (more.reasoning?.summary ?? []).map((part) => part.text).join('') || more.reasoning_content;
  got.tokens = (meta.logprobs?.content ?? []).map((p) => p.token);
  for (const { id, name, args } of [...(tool_calls ?? []), ...(invalid_tool_calls ?? [])]) asked.call(id, name, inText(args));
}
