/** A model asked of files over a strict server: a message, a call, and its result; and what was sent, to be spoiled and sent again. */
import type { ChatModel } from '../../../../src/index.ts';
import type { MessagePart, ModelMessage } from '../../../../src/model/entry.ts';
import { filesToAnthropic } from '../../../wires/anthropic.ts';
import { filesToChat } from '../../../wires/chat-completions.ts';
import type { SentFile } from '../../../wires/files.ts';
import { filesToGemini } from '../../../wires/gemini.ts';
import { post } from '../../../wires/replay.ts';
import { filesToResponses } from '../../../wires/responses.ts';
import { MODELS } from '../../../wires/session/models.ts';
import { serverOf, type WireName } from '../../../wires/session/servers.ts';
import type { Script, Wire } from '../../../wires/wire.ts';

const script: Script = {
  turns: [{ steps: [{ calls: [{ name: 'look', input: { at: 1 } }] }], answer: 'It is seen.' }],
};
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
const { signal } = new AbortController();

/** What is said and what is answered. */
export interface FileScene {
  readonly message: readonly MessagePart[];
  /** In words unless given. */
  readonly result?: readonly MessagePart[];
}

export interface PlayedScene {
  readonly model: ChatModel;
  readonly answer: string;
  readonly server: Wire;
  /** The files of the second request, which holds the first as well. */
  readonly files: readonly SentFile[];
  /** Answers how a server of the same wire refuses the second request once something else stands at a path of its body. */
  spoiled(path: string, value: unknown): Promise<string>;
}

/** Asks of a message, answers the call that comes with the result, and has the model answer in words. */
export async function playScene(name: WireName, { message, result }: FileScene): Promise<PlayedScene> {
  const server = serverOf(name, { script, seed: name });
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
    files: await filesOf(name, server.requests[1]),
    async spoiled(path, value) {
      const body = structuredClone(server.requests[1]);
      const keys = path.split('.');
      const last = keys.pop() ?? '';
      const place = keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), body);
      if (typeof place !== 'object' || place === null) throw new Error(`There is nothing at ${path}.`);
      Reflect.set(place, last, value);
      const { url = '', headers = {} } = posts[1] ?? {};
      const again = serverOf(name, { script, seed: name });
      const { status, message: told = '' } = await post(again, url, { body, headers });
      return `${status}: ${told}`;
    },
  };
}

function filesOf(name: WireName, body: unknown): Promise<readonly SentFile[]> {
  if (name.startsWith('anthropic')) return filesToAnthropic(body);
  if (name.startsWith('responses')) return filesToResponses(body);
  return name === 'gemini' ? filesToGemini(body) : filesToChat(body);
}
