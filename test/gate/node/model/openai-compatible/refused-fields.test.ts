/** Tests servers that refuse a field that the adapter can omit. */
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/model/entry.ts';
import type { OpenaiCompatibleOptions } from '../../../../../src/model/openai-compatible/entry.ts';
import { createOpenaiCompatible } from '../../../../doors/model.ts';
import { createFakePace, hello } from './fake-server.ts';

const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const { signal } = new AbortController();

/** Returns a model whose server refuses requests with a field, with this message. */
function createStrictServer(field: string, message: string, more: Partial<OpenaiCompatibleOptions> = {}) {
  const bodies: Record<string, unknown>[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    const asked: Record<string, unknown> = JSON.parse(String(body));
    bodies.push(asked);
    const isRefused = field in asked;
    const answer = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };
    return Response.json(isRefused ? { error: { message } } : answer, { status: isRefused ? 400 : 200 });
  };
  const at = { baseURL: 'https://x.test/v1', model: 'm', fetch, ...more };
  const model = createOpenaiCompatible(at, createFakePace().pace);
  return {
    ask: (request: ModelRequest = hello) => model.ask(request, { signal }),
    asked: () => bodies.map((one) => Object.keys(one)),
  };
}

describe('a field that a server refuses', () => {
  it('is omitted in a second attempt and in later calls if it asks for usage in a stream', async () => {
    const server = createStrictServer(
      'stream_options',
      'Unrecognized request argument supplied: stream_options',
    );
    expect(await server.ask()).toMatchObject({ text: 'Hi.' });
    await server.ask();
    expect(server.asked().map((keys) => keys.includes('stream_options'))).toEqual([true, false, false]);
  });

  it('leads to a request without tools if it is the tool choice `none`', async () => {
    const server = createStrictServer('tool_choice', 'This model does not support tool_choice.');
    const request = { ...hello, tools: [look], settings: { toolChoice: 'none' } } as const;
    expect(await server.ask(request)).toMatchObject({ text: 'Hi.' });
    expect(server.asked().map((keys) => keys.includes('tools'))).toEqual([true, false]);
  });

  it('makes the request fail with the reason of the server if it is another tool choice', async () => {
    const server = createStrictServer('tool_choice', 'This model does not support tool_choice.');
    const request = { ...hello, tools: [look], settings: { toolChoice: 'required' } } as const;
    await expect(server.ask(request)).rejects.toThrow(
      "The model's server answered 400: This model does not support tool_choice.",
    );
    expect(server.asked()).toHaveLength(1);
  });

  describe('max_tokens', () => {
    const words =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const bounded = { ...hello, maxOutputTokens: 300 };
    const getLimitKeys = (server: ReturnType<typeof createStrictServer>) =>
      server.asked().map((keys) => keys.filter((key) => key.startsWith('max_')));

    it('is replaced by max_completion_tokens in a second attempt and in later calls', async () => {
      const server = createStrictServer('max_tokens', words);
      expect(await server.ask(bounded)).toMatchObject({ text: 'Hi.' });
      await server.ask(bounded);
      expect(getLimitKeys(server)).toEqual([
        ['max_tokens'],
        ['max_completion_tokens'],
        ['max_completion_tokens'],
      ]);
    });

    it.each([
      [words, { limitParameter: 'max_tokens' } as const],
      ['max_tokens is too large: 300.', {}],
      [
        "'max_tokens' or 'max_completion_tokens' is too large: 300. This model's maximum context length is 4096 tokens and your request has 3900 input tokens (300 > 4096 - 3900).",
        {},
      ],
    ])('makes the request fail if another name would not help: %s', async (message, options) => {
      const server = createStrictServer('max_tokens', message, options);
      await expect(server.ask(bounded)).rejects.toThrow(message);
      expect(getLimitKeys(server)).toEqual([['max_tokens']]);
    });
  });
});
