import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { useMemo } from 'react';

/** Where the Worker is, and who asks it. */
export interface Desk {
  /** Such as `https://desk.example/agents/desk/chat`. */
  readonly api: string;
  readonly token: string;
}

export const headersOf = ({ token }: Desk) => ({ authorization: `Bearer ${token}` });

/** The messages of a chat so far; none of a new one. */
export async function loadMessages(desk: Desk, id: string): Promise<UIMessage[]> {
  const address = `${desk.api}/${encodeURIComponent(id)}/messages?ui=7`;
  const response = await fetch(address, { headers: headersOf(desk) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** A chat whose `id` is that of its session. `before`: what was said in it, as `loadMessages` answers it. */
export function useDeskChat(desk: Desk, id: string, before: UIMessage[]) {
  const transport = useMemo(
    () => new DefaultChatTransport({ api: `${desk.api}?ui=7`, headers: headersOf(desk) }),
    [desk],
  );
  const chat = useChat({
    id,
    messages: before,
    transport,
    resume: true, // in the middle of a turn, the page goes on with it
    sendAutomaticallyWhen: ({ messages }) =>
      // A message that was refused may stand behind the one with the approval.
      lastAssistantMessageIsCompleteWithApprovalResponses({
        messages: messages.filter(({ role }) => role === 'assistant'),
      }),
    onFinish({ isDisconnect }) {
      // The turn goes on without the page: what it came to, or the rest of it, is at the Worker.
      if (isDisconnect) void catchUp();
    },
  });

  async function catchUp(): Promise<void> {
    chat.clearError();
    await chat.resumeStream(); // to the end of a turn that runs; at once if none does
    const loaded = await loadMessages(desk, id).catch(() => undefined); // still away: chat.error says so
    if (loaded) chat.setMessages(loaded);
  }

  /** `chat.stop()` only stops reading. The turn itself is cancelled at the Worker. */
  async function cancel(): Promise<void> {
    const session = desk.api.replace(/chat$/, `sessions/${encodeURIComponent(id)}`);
    await fetch(`${session}/cancel`, { method: 'POST', headers: headersOf(desk) });
  }

  return { ...chat, catchUp, cancel };
}
