/**
 * A model that sends files to a strict server in a message and a result. The second request can be changed
 * and resent.
 */
import type { ChatModel } from '../../../../src/index.ts';
import type { MessagePart, ModelMessage } from '../../../../src/model/entry.ts';
import { readAnthropicFiles } from '../../../wires/anthropic.ts';
import { readChatFiles } from '../../../wires/chat-completions.ts';
import type { SentFile } from '../../../wires/files.ts';
import { readGeminiFiles } from '../../../wires/gemini.ts';
import { post } from '../../../wires/replay.ts';
import { readResponsesFiles } from '../../../wires/responses.ts';
import { MODELS } from '../../../wires/session/models.ts';
import { createServer, type WireName } from '../../../wires/session/servers.ts';
import type { Script, Wire } from '../../../wires/wire.ts';

const script: Script = {
  turns: [{ steps: [{ calls: [{ name: 'look', input: { at: 1 } }] }], answer: 'It is seen.' }],
};
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
const { signal } = new AbortController();

/** The files of the message and of the result. */
export interface FileScene {
  readonly message: readonly MessagePart[];
  /** Defaults to a text-only result. */
  readonly result?: readonly MessagePart[];
}

export interface PlayedScene {
  readonly model: ChatModel;
  readonly answer: string;
  readonly server: Wire;
  /** The files of the second request, which includes those of the first. */
  readonly files: readonly SentFile[];
  /**
   * Changes the value at a path in the second request. Returns the error of a new server for that request.
   */
  errorAfterChange(path: string, value: unknown): Promise<string>;
}

/** Sends the message, then its call's result, and waits for the final answer. */
export async function playScene(name: WireName, { message, result }: FileScene): Promise<PlayedScene> {
  const server = createServer(name, { script, seed: name });
  const posts: { readonly url: string; readonly headers: Readonly<Record<string, string>> }[] = [];
  const model = MODELS[name]({
    baseURL: 'https://model.test/v1',
    async fetch(input, init) {
      const request = new Request(input, init);
      posts.push({ url: request.url, headers: Object.fromEntries(request.headers) });
      return server.handle(request);
    },
  });
  const first: ModelMessage = { role: 'user', text: 'In words.', parts: message };
  const { text, toolCalls, parts, provider } = await model.ask({ messages: [first], tools }, { signal });
  const results = toolCalls.map(
    ({ id, name }) =>
      ({ role: 'tool', id, name, text: 'In words.', ...(result && { parts: result }) }) as const,
  );
  const messages = [first, { role: 'assistant', text, toolCalls, parts, provider } as const, ...results];
  const { text: answer } = await model.ask({ messages, tools }, { signal });
  return {
    model,
    answer,
    server,
    files: await readSentFiles(name, server.requests[1]),
    async errorAfterChange(path, value) {
      const body = structuredClone(server.requests[1]);
      const keys = path.split('.');
      const last = keys.pop() ?? '';
      const place = keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), body);
      if (typeof place !== 'object' || place === null)
        throw new Error(`The request has no value at ${path}.`);
      Reflect.set(place, last, value);
      const { url = '', headers = {} } = posts[1] ?? {};
      const again = createServer(name, { script, seed: name });
      const { status, message: told = '' } = await post(again, url, { body, headers });
      return `${status}: ${told}`;
    },
  };
}

function readSentFiles(name: WireName, body: unknown): Promise<readonly SentFile[]> {
  if (name.startsWith('anthropic')) return readAnthropicFiles(body);
  if (name.startsWith('responses')) return readResponsesFiles(body);
  return name === 'gemini' ? readGeminiFiles(body) : readChatFiles(body);
}
