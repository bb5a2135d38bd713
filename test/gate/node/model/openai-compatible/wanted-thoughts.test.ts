/** Tests fields that a server requires on replies with calls, for another model's calls. */
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../../../../src/model/entry.ts';
import type { OpenaiCompatibleOptions } from '../../../../../src/model/openai-compatible/entry.ts';
import { createOpenaiCompatible } from '../../../../doors/model.ts';
import { createFakePace } from './fake-server.ts';

const { signal } = new AbortController();
const createCall = (id: string) => ({ id, name: 'look', input: '{}' });
const createToolResult = (id: string): ModelMessage => ({ role: 'tool', id, name: 'look', text: 'seen' });
const createForeignReply = (id: string): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: [createCall(id)],
});
const createOwnReply = (id: string, kept: object, ofCall: object = {}): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: [createCall(id)],
  parts: [
    {
      type: 'reasoning',
      text: 'Hm.',
      provider: { chatCompletions: { fields: ['reasoning_content'] } },
      ...kept,
    },
    { type: 'tool-call', ...createCall(id), ...ofCall },
  ],
});

type SentMessage = { readonly [field: string]: unknown };

/** Returns a server that can refuse requests, and the messages that it received. */
function createServer(
  refuse: (messages: readonly SentMessage[]) => string | undefined,
  named: Pick<OpenaiCompatibleOptions, 'server' | 'wantsThoughts'> = {},
) {
  const asked: (readonly SentMessage[])[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    const { messages }: { messages: readonly SentMessage[] } = JSON.parse(String(body));
    asked.push(messages);
    const message = refuse(messages);
    const answer = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };
    return Response.json(message ? { error: { message } } : answer, { status: message ? 400 : 200 });
  };
  const options = { baseURL: 'https://x.test/v1', model: 'm', fetch, ...named };
  const model = createOpenaiCompatible(options, createFakePace().pace);
  return {
    asked,
    ask: (messages: readonly ModelMessage[]) => model.ask({ messages, tools: [] }, { signal }),
  };
}

const listThoughts = (messages: readonly SentMessage[] | undefined) =>
  messages?.flatMap((one) => (one.role === 'assistant' ? [one.reasoning_content] : []));
const listSignatures = (messages: readonly SentMessage[] | undefined) =>
  messages?.flatMap(({ tool_calls: calls }) =>
    (Array.isArray(calls) ? calls : []).map((one: SentMessage) => one.extra_content),
  );

describe('calls of another model', () => {
  it('have a blank reasoning_content once the server has sent this field in the conversation', async () => {
    const server = createServer(() => undefined);
    await server.ask([
      createOwnReply('a', {}),
      createToolResult('a'),
      createForeignReply('b'),
      createToolResult('b'),
    ]);
    await server.ask([createForeignReply('b'), createToolResult('b')]);
    expect(server.asked.map(listThoughts)).toEqual([['Hm.', ' '], [undefined]]);
  });

  it('have a blank reasoning_content in a second attempt and in later requests if the server requires it', async () => {
    const server = createServer((messages) =>
      listThoughts(messages)?.includes(undefined)
        ? 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 0'
        : undefined,
    );
    expect(await server.ask([createForeignReply('b'), createToolResult('b')])).toMatchObject({ text: 'Hi.' });
    await server.ask([createForeignReply('b'), createToolResult('b')]);
    expect(server.asked.map(listThoughts)).toEqual([[undefined], [' '], [' ']]);
  });

  it('have the placeholder signature of Google once the server has sent a signature, or if it is configured', async () => {
    const extra = { google: { thought_signature: 'sss' } };
    const sentinel = { google: { thought_signature: 'skip_thought_signature_validator' } };
    const signed = createOwnReply(
      'a',
      { provider: {} },
      { provider: { chatCompletions: { extra_content: extra } } },
    );
    const learning = createServer(() => undefined);
    await learning.ask([signed, createToolResult('a'), createForeignReply('b'), createToolResult('b')]);
    expect(listSignatures(learning.asked[0])).toEqual([extra, sentinel]);
    const told = createServer(() => undefined, { wantsThoughts: 'signature' });
    await told.ask([createForeignReply('b'), createToolResult('b')]);
    expect(listSignatures(told.asked[0])).toEqual([sentinel]);
    expect(listThoughts(told.asked[0])).toEqual([undefined]);
  });

  it.each([
    [{ server: 'deepseek' }, [' ', ' '], undefined],
    [{ server: 'kimi' }, [' ', ' '], undefined],
    [{ server: 'gemini' }, [undefined, undefined], 'skip_thought_signature_validator'],
    [{ server: 'gemini', wantsThoughts: 'field' }, [' ', ' '], undefined],
    [{ server: 'openai' }, [undefined, undefined], undefined],
  ] as const)(
    'have the data that a server with %j requires, from the first request on',
    async (named, blank, signature) => {
      const server = createServer(() => undefined, named);
      await server.ask([
        createForeignReply('a'),
        createToolResult('a'),
        createForeignReply('b'),
        createToolResult('b'),
      ]);
      const extra = signature && { google: { thought_signature: signature } };
      expect([listThoughts(server.asked[0]), listSignatures(server.asked[0])]).toEqual([
        blank,
        [extra, extra],
      ]);
    },
  );
});
