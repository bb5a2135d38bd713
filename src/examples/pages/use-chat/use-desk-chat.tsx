import { useChat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { HoldfastChatTransport, isAnswered } from '../../../client/ai-sdk/entry.ts';

/**
 * Returns the transport for an agent's chats. `api` is an address such as
 * `https://desk.example/agents/desk/chat`.
 */
export const toDesk = (api: string, token: string) =>
  new HoldfastChatTransport({ api, headers: { authorization: `Bearer ${token}` } });

/**
 * Opens the chat of the session `id`. `before` contains its previous messages, from `desk.loadMessages(id)`.
 */
export const useDeskChat = (desk: HoldfastChatTransport, id: string, before: UIMessage[]) =>
  useChat({ id, messages: before, transport: desk, resume: true, sendAutomaticallyWhen: isAnswered });
