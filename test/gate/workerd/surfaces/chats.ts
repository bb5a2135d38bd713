/** AI SDK chats of both versions, over the real app and its objects. */
import { expect } from 'vitest';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import {
  type ChatMessage,
  copyAsJson,
  findProblem,
  loadMessages,
  type OpenChat,
  openChat,
  type Version,
  withoutDescriptors,
} from '../../../fixtures/ui-chat.ts';
import { readJournal } from '../http/client.ts';
import { desk, via } from './desk.ts';

export const agent = desk.name;
const createId = (): string => `chat-${crypto.randomUUID()}`;
export const getPath = (id: string): string => `/agents/${agent}/sessions/${id}`;

type Options = Partial<Parameters<typeof openChat>[0]> & { readonly version: Version };

/** A chat whose model gives these replies. */
export function open(options: Options, ...replies: ScriptedReply[]) {
  const id = options.id ?? createId();
  const { message, model } = registerScript(...replies);
  const { chat, asked } = openChat({ agent, via, id, ...options });
  return {
    chat,
    asked,
    id,
    model,
    words: message('Hello'),
    say: () => chat.sendMessage({ text: message('Hello') }),
  };
}

export const waitForRequests = async (chat: OpenChat): Promise<void> => {
  await expect.poll(() => [chat.status, chat.error?.message]).toEqual(['ready', undefined]);
};

/** Resolves when the chat has sent this many requests, and the last one has ended. */
export async function waitUntilOver(
  { chat, asked }: { chat: OpenChat; asked: string[] },
  requests: number,
): Promise<void> {
  await expect.poll(() => asked.length).toBe(requests);
  await waitForRequests(chat);
}

/**
 * Checks that a chat shows the same as a reloaded page, and that its metadata has the turn's journaled
 * values.
 */
export async function expectSameAsLoaded(chat: OpenChat, id: string, version: Version): Promise<void> {
  const messages = await loadMessages(via, { agent, id, version });
  expect(await findProblem(messages, version)).toBeUndefined();
  const last = messages.at(-1);
  const shown: ChatMessage | undefined = copyAsJson(chat.messages.at(-1));
  expect(withoutDescriptors(shown?.parts ?? [])).toEqual(withoutDescriptors(last?.parts ?? []));
  expect([shown?.id, shown?.role, shown?.metadata]).toEqual([last?.id, last?.role, last?.metadata]);
  const events = await readJournal(getPath(id), via);
  expect(last?.metadata).toMatchObject({ turn: events.at(-1)?.turn, seq: events.at(-1)?.seq });
}
