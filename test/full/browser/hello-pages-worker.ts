/**
 * An agent for pages that are copied from the docs of other libraries, with the tools that these pages name.
 */
import * as v from 'valibot';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { type ChatModel, defineAgent, defineDomainType, defineTool } from '../../../src/index.ts';
import type { ModelReply } from '../../../src/model/entry.ts';
import { defineManualTool } from '../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../src/modules/decorators/entry.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { cors } from '../../../src/modules/http/entry.ts';
import { aiSdkUi } from '../../../src/surfaces/ai-sdk-ui/entry.ts';
import { pauseBefore, withEnd } from './slow-reply.ts';

/** The allowed origin of pages. The build inserts it. */
declare const PAGES: string;

const Weather = defineDomainType({
  name: 'Weather',
  schema: v.object({
    location: v.string(),
    temperature: v.string(),
    conditions: v.string(),
    humidity: v.string(),
    windSpeed: v.string(),
    lastUpdated: v.string(),
  }),
});

const Deleted = defineDomainType({
  name: 'Deleted',
  schema: v.object({ success: v.boolean(), message: v.string() }),
});

const tools = [
  defineTool({
    name: 'fetch_weather_data',
    description: 'Fetch weather information for a specific location',
    input: v.object({ location: v.string(), units: v.picklist(['celsius', 'fahrenheit']) }),
    effect: 'read',
    output: Weather,
    run: ({ location }) => ({
      location,
      temperature: '64°F',
      conditions: 'Sunny',
      humidity: '12%',
      windSpeed: '35 mph',
      lastUpdated: 'now',
    }),
  }),
  requireApproval(
    defineTool({
      name: 'delete_file',
      description: 'Delete a file from the file system',
      input: v.object({ filePath: v.string(), confirm: v.boolean() }),
      effect: 'once',
      output: Deleted,
      run: ({ filePath }) => ({ success: true, message: `Successfully deleted ${filePath}` }),
    }),
    ({ filePath }) => `Delete ${filePath}?`,
  ),
  defineTool({
    name: 'getWeatherInformation',
    description: 'Show the weather in a given city to the user.',
    input: v.object({ city: v.string() }),
    effect: 'read',
    run: () => 'sunny',
  }),
  defineManualTool({
    name: 'askForConfirmation',
    description: 'Ask the user for confirmation.',
    input: v.object({ message: v.string() }),
  }),
  defineManualTool({
    name: 'getLocation',
    description: 'Get the user location.',
  }),
];

type Call = readonly [name: string, input: object];

/** Returns the calls for a message, in order. The last result contains the city. */
const listCalls = (said: string, city: string): readonly Call[] =>
  /weather data/i.test(said)
    ? [['fetch_weather_data', { location: 'San Francisco', units: 'fahrenheit' }]]
    : /delete the file/i.test(said)
      ? [['delete_file', { filePath: '/tmp/example.txt', confirm: true }]]
      : /where I am/i.test(said)
        ? [
            ['askForConfirmation', { message: 'May I look where you are?' }],
            ['getLocation', {}],
            ['getWeatherInformation', { city }],
          ]
        : [];

/** The number of replies to each message. */
const askedCounts = new Map<string, number>();

const model: ChatModel = {
  name: 'hello-model',
  media: { message: { data: ['image/*'], url: [] }, result: { data: [], url: [] } },
  async ask({ messages }, { signal, onText }): Promise<ModelReply> {
    const start = messages.findLastIndex(({ role }) => role === 'user');
    const user = messages[start];
    // The text contains a line for each file.
    const said = user?.text.replaceAll(/\[file .*?\]\s*/g, '') ?? '';
    if (said.includes('for ever')) {
      onText?.('I begin, and ');
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    const results = messages.slice(start).filter(({ role }) => role === 'tool');
    const last = results.at(-1)?.text ?? '';
    const [name, input] = listCalls(said, last.replaceAll('"', ''))[results.length] ?? [];
    if (name !== undefined)
      return { text: '', toolCalls: [{ id: 'c', name, input: JSON.stringify(input) }], finish: 'tool-calls' };
    const times = (askedCounts.get(said) ?? 0) + 1;
    askedCounts.set(said, times);
    const files = user?.role === 'user' ? (user.parts?.filter(({ type }) => type === 'file').length ?? 0) : 0;
    const text =
      results.length > 0 ? `It says: ${last}` : `**Answer ${times}** to “${said}”, with ${files} files.`;
    for (const [place, word] of text.split(/(?<= )/).entries()) {
      await pauseBefore(place, said);
      onText?.(word);
    }
    return { text, toolCalls: [], finish: 'stop' };
  },
};

const { worker, TurnRunner } = createHoldfast({
  agents: [
    defineAgent({
      name: 'hello',
      description: 'Answers pages.',
      instructions: 'Answer.',
      accepts: ['image/*'],
      model,
      tools,
    }),
  ],
  use: [aiSdkUi(), files(), cors({ origins: [PAGES] })],
});

export default { ...worker, fetch: withEnd(worker.fetch) };
export { SessionObject } from '../../../durable-objects/index.ts';
export { TurnRunner };
