/** Tests sessions with a fake server. Some of them break the cache on purpose. */
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { type AgentConfig, defineAgent, defineTool } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { type Finding, measureSession } from '../../../prompt-cache/measure/measure-session.ts';
import { playSession, type Session } from '../../../prompt-cache/play/play.ts';
import { createChatCompletionsWire } from '../../../wires/chat-completions.ts';

const chat = {
  name: 'chat',
  by: 'openaiCompatible',
  form: 'chat',
  model: (server: { readonly baseURL: string; readonly fetch?: typeof fetch }) =>
    openaiCompatible({ model: 'some-model', apiKey: 'key', ...server }),
  server: (played: { readonly script: Parameters<typeof createChatCompletionsWire>[0]['script'] }) =>
    createChatCompletionsWire({ ...played, dialect: 'reasoning' }),
} as const;

const look = defineTool({
  name: 'look',
  description: 'Looks at a page.',
  effect: 'read',
  input: v.object({ page: v.number() }),
  run: ({ page }) => `Page ${page}.`,
});

const steps = [1, 2].map((page) => ({ calls: [{ name: 'look', input: { page } }] }));

/** Returns two turns with three requests each. */
const readTwice = (config: Partial<AgentConfig<'reader'>>): Session => ({
  agent: defineAgent({
    ...{ name: 'reader', description: 'Reads.', instructions: 'Read.', tools: [look] },
    ...config,
  }),
  turns: [
    { steps, answer: 'Read.' },
    { steps, answer: 'Read again.' },
  ],
});

/** Returns the differences between the requests of a session. */
async function listFindings(session: Session): Promise<readonly Finding[]> {
  const played = await playSession(session, chat);
  return measureSession(played, 'chat', (text) => text.split(' ').map((word) => word.length)).findings;
}

it('each request of an agent extends the previous one across two turns', async () => {
  const played = await playSession(readTwice({}), chat);
  expect(played.requests.map(({ frame, path }) => frame + path)).toEqual(Array(6).fill('reader'));
  expect(await listFindings(readTwice({}))).toEqual([]);
});

it('instructions that change each time are reported for every request of their loop, with their cause', async () => {
  let asked = 0;
  const clerk = defineAgenticTool({
    name: 'clerk',
    description: 'Looks pages up.',
    input: v.object({ pages: v.number() }),
    instructions: () => {
      asked += 1;
      return `You are asked for the ${asked}. time.`;
    },
    tools: [look],
  });
  const agent = defineAgent({ name: 'desk', description: 'Reads.', instructions: 'Read.', tools: [clerk] });
  const findings = await listFindings({
    agent,
    turns: [{ steps: [{ calls: [{ name: 'clerk', input: { pages: 2 } }] }], answer: 'Read.' }],
    nested: { clerk: [{ steps, answer: 'Looked up.' }] },
  });
  const cause = 'the instructions are a function, which answered other words';
  expect(findings).toEqual([
    { request: 3, path: 'desk/clerk', place: 'system text: 1 changed', cause },
    { request: 4, path: 'desk/clerk', place: 'system text: 1 changed', cause },
  ]);
});

it('a transformer that keeps only the last result is reported without a cause', async () => {
  const forgetful = defineTransformer({
    name: 'forgetful',
    messages: (messages) =>
      messages.map((message, at) =>
        message.role === 'assistant' && at < messages.length - 1
          ? { ...message, calls: message.calls.map((call) => ({ ...call, result: GONE_TEXT })) }
          : message,
      ),
  });
  const findings = await listFindings(readTwice({ use: [forgetful] }));
  expect(findings.map(({ request, place, cause }) => ({ request, place, cause }))).toEqual([
    { request: 3, place: 'messages: 3 changed', cause: 'unexplained' },
    { request: 4, place: 'messages: 5 changed', cause: 'unexplained' },
    { request: 6, place: 'messages: 9 changed', cause: 'unexplained' },
  ]);
});

const GONE_TEXT = { type: 'text', content: 'This was long ago.' } as const;
