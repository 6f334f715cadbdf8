// What the test files below share.
import OpenAI from 'openai';

export const server = process.env.FAKEOPENAI_URL;

export const request = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Tell me a story.' }], stream: true };

// A client that asks for a scenario by name. A key of its own keeps its requests
// apart from those of other tests.
export function client(scenario, apiKey, options) {
  return new OpenAI({
    baseURL: server + '/v1', apiKey, maxRetries: 0,
    defaultHeaders: { 'X-Fakeopenai-Scenario': scenario }, ...options,
  });
}
