import { useChat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { HoldfastChatTransport, isAnswered } from '../../../client/ai-sdk/entry.ts';

/** The chats of an agent. `api` is an address such as `https://desk.example/agents/desk/chat`. */
export const toDesk = (api: string, token: string) =>
  new HoldfastChatTransport({ api, headers: { authorization: `Bearer ${token}` } });

/**
 * A chat whose `id` is that of its session. `before` has its previous messages, from `desk.loadMessages(id)`.
 */
export const useDeskChat = (desk: HoldfastChatTransport, id: string, before: UIMessage[]) =>
  useChat({ id, messages: before, transport: desk, resume: true, sendAutomaticallyWhen: isAnswered });
