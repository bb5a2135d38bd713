/**
 * Tests recorded replies of providers with chat completions. The recordings are stored outside of the
 * repository.
 */
import { describe, expect, it } from 'vitest';
import type { ModelMessage, ModelReply } from '../../../../../src/model/entry.ts';
import { ask, createCompletion, createStreamResponse, hello, toSseText } from './fake-server.ts';

declare global {
  interface ImportMeta {
    /** Provided by Vite, which bundles the files because workerd has no file system. */
    glob(pattern: string, options: object): Record<string, () => Promise<unknown>>;
  }
}

const recordings = import.meta.glob(
  '../../../../../../shared/data/provider-replies/{alibaba,deepseek,groq,mistral,moonshotai,xai}--*',
  { query: '?raw', import: 'default' },
);
const listRecordings = (ending: string) =>
  Object.keys(recordings)
    .filter((path) => path.endsWith(ending))
    .map((path): [string, string] => [path.split('--')[1]?.replace(ending, '') ?? path, path]);
const [whole, streamed] = [listRecordings('.json'), listRecordings('.chunks.txt')];
if (whole.length === 0) console.log('recordings: skipped, there is no ../shared/data/provider-replies');

const readText = async (path: string): Promise<string> => String(await recordings[path]?.());

const readRecording = async (
  path: string,
): Promise<ModelReply & { readonly thoughts: readonly string[] }> => {
  const text = await readText(path);
  const answer = (): Response =>
    path.endsWith('.json')
      ? new Response(text, { headers: { 'content-type': 'application/json' } })
      : createStreamResponse(toSseText(...text.trimEnd().split('\n'), '[DONE]'));
  const outcome = await ask(answer, { stream: true });
  if ('error' in outcome) throw outcome.error;
  return { ...outcome.reply, thoughts: outcome.thoughts };
};

/** Returns the message in which a reply is sent back, after a round trip through JSON as in the journal. */
const sendBack = async (reply: ModelReply): Promise<unknown> => {
  const { text, toolCalls, parts, provider }: ModelReply = JSON.parse(JSON.stringify(reply));
  const message: ModelMessage = { role: 'assistant', text, toolCalls, parts, provider };
  const request = { messages: [...hello.messages, message], tools: [] };
  const { requests } = await ask(() => Response.json(createCompletion({ content: 'hi' })), { request });
  return Object(requests[0]?.body).messages[1];
};

/**
 * Returns the parts of a message that must be sent back: its non-empty fields, and its calls without their
 * indexes.
 */
const getOwedFields = ({ content, reasoning, reasoning_content, tool_calls }: Record<string, unknown>) => ({
  role: 'assistant',
  content: tool_calls ? content || null : content,
  ...(reasoning !== undefined && { reasoning }),
  ...(reasoning_content !== undefined && { reasoning_content }),
  ...(Array.isArray(tool_calls) && {
    tool_calls: tool_calls.map(({ id, function: called }) => ({
      id,
      type: 'function',
      function: { name: called.name, arguments: called.arguments },
    })),
  }),
});

/** Returns the message of a stream, assembled independently of the adapter. */
const joinMessage = (events: readonly unknown[]): Record<string, unknown> => {
  const message: Record<string, unknown> = {};
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  for (const event of events) {
    const { delta = {} } = Object(Object(event).choices[0] ?? {});
    for (const field of ['content', 'reasoning', 'reasoning_content']) {
      if (typeof delta[field] === 'string') message[field] = String(message[field] ?? '') + delta[field];
    }
    for (const fragment of delta.tool_calls ?? []) {
      const { index = 0, id, function: called } = fragment;
      calls[index] ??= { id, function: { name: called.name, arguments: '' } };
      calls[index].function.arguments += called.arguments;
    }
  }
  return { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
};

describe.skipIf(whole.length === 0)('a recorded reply', () => {
  it.each(whole)('%s is sent back unchanged', async (_, path) => {
    const reply = await readRecording(path);
    const { choices } = JSON.parse(await readText(path));
    expect(await sendBack(reply)).toEqual(getOwedFields(choices[0].message));
  });

  it.each(streamed.filter(([name]) => name !== 'mistral-reasoning'))(
    '%s is sent back unchanged if it was streamed, and its reasoning is streamed as it arrives',
    async (_, path) => {
      const reply = await readRecording(path);
      const events = (await readText(path)).trimEnd().split('\n');
      const message = joinMessage(events.map((event): unknown => JSON.parse(event)));
      expect(await sendBack(reply)).toEqual(getOwedFields(message));
      expect(reply.thoughts.join('')).toBe(message.reasoning_content ?? message.reasoning ?? '');
    },
  );

  it.each(['mistral-reasoning', 'mistral-tool-call'])('%s is equal in both forms', async (name) => {
    const [one, other] = await Promise.all(
      [whole, streamed].map((forms) => readRecording(new Map(forms).get(name) ?? '')),
    );
    expect({ ...other, thoughts: other?.thoughts.join('') }).toEqual({
      ...one,
      thoughts: one?.thoughts.join(''),
    });
  });
});
