import type OpenAI from 'openai';

/** A page of conversations. OpenAI's API has no such route, so its client has no types for it. */
export interface ConversationList {
  readonly data: readonly OpenAI.Conversations.Conversation[];
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** Lists the caller's conversations, the most recently active first. */
export const listThreads = (client: OpenAI, after?: string): Promise<ConversationList> =>
  client.get('/conversations', { query: { limit: 50, after } });

/** Returns the messages of a conversation, in order. The client requests further pages itself. */
export async function readThread(
  client: OpenAI,
  id: string,
): Promise<OpenAI.Conversations.ConversationItem[]> {
  const items: OpenAI.Conversations.ConversationItem[] = [];
  for await (const item of client.conversations.items.list(id, { order: 'asc' })) items.push(item);
  return items;
}

/** Gives a conversation a title, which the list shows. */
export const renameThread = (client: OpenAI, id: string, title: string) =>
  client.conversations.update(id, { metadata: { title } });
