import { useChat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { HoldfastChatTransport, isAnswered } from '../../../client/ai-sdk/entry.ts';

/** The chats of an agent: `api` such as `https://desk.example/agents/desk/chat`. */
export const toDesk = (api: string, token: string) =>
  new HoldfastChatTransport({ api, headers: { authorization: `Bearer ${token}` } });

/** A chat whose `id` is that of its session. `before`: what was said in it, as `desk.loadMessages(id)` returns it. */
export const useDeskChat = (desk: HoldfastChatTransport, id: string, before: UIMessage[]) =>
  useChat({ id, messages: before, transport: desk, resume: true, sendAutomaticallyWhen: isAnswered });
