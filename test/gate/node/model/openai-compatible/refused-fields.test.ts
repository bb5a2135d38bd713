/** Servers that refuse a field which the adapter can do without. */
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/model/entry.ts';
import { pacedOpenaiCompatible } from '../../../../doors/model.ts';
import { fakePace, hello } from './fake-server.ts';

const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const { signal } = new AbortController();

/** A server that refuses requests with a field, in these words, and a model behind it. */
function strict(field: string, message: string) {
  const bodies: Record<string, unknown>[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    const asked: Record<string, unknown> = JSON.parse(String(body));
    bodies.push(asked);
    const isRefused = field in asked;
    const answer = { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] };
    return Response.json(isRefused ? { error: { message } } : answer, { status: isRefused ? 400 : 200 });
  };
  const model = pacedOpenaiCompatible({ baseURL: 'https://x.test/v1', model: 'm', fetch }, fakePace().pace);
  return {
    ask: (request: ModelRequest = hello) => model.ask(request, { signal }),
    asked: () => bodies.map((one) => Object.keys(one)),
  };
}

describe('a server that refuses', () => {
  it('to count a stream is asked without, and from then on at once', async () => {
    const server = strict('stream_options', 'Unrecognized request argument supplied: stream_options');
    expect(await server.ask()).toMatchObject({ text: 'Hi.' });
    await server.ask();
    expect(server.asked().map((keys) => keys.includes('stream_options'))).toEqual([true, false, false]);
  });

  it("the tool choice 'none' is shown no tools", async () => {
    const server = strict('tool_choice', 'This model does not support tool_choice.');
    const request = { ...hello, tools: [look], settings: { toolChoice: 'none' } } as const;
    expect(await server.ask(request)).toMatchObject({ text: 'Hi.' });
    expect(server.asked().map((keys) => keys.includes('tools'))).toEqual([true, false]);
  });

  it('another tool choice is told so', async () => {
    const server = strict('tool_choice', 'This model does not support tool_choice.');
    const request = { ...hello, tools: [look], settings: { toolChoice: 'required' } } as const;
    await expect(server.ask(request)).rejects.toThrow(
      "The model's server answered 400: This model does not support tool_choice.",
    );
    expect(server.asked()).toHaveLength(1);
  });
});
