// What the test files share.
import OpenAI from 'openai';

export const server = process.env.FAKEOPENAI_URL;

export const request = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Tell me a story.' }], stream: true };

// client makes a client that asks for a scenario by name. Each test has its own API key,
// so that the server keeps its requests apart from those of other tests.
export function client(scenario, apiKey, options) {
  return new OpenAI({
    baseURL: server + '/v1', apiKey, maxRetries: 0,
    defaultHeaders: { 'X-Fakeopenai-Scenario': scenario }, ...options,
  });
}
