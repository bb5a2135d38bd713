/** A chat of the AI SDK, as `useChat` makes one, of either version. */
import * as v7 from 'ai';
import * as v6 from 'ai-v6';
import type { Send } from '../http/client.ts';

export const VERSIONS = [6, 7] as const;
export type Version = (typeof VERSIONS)[number];

/** A message, whatever the version: what is looked at is JSON. */
export interface ChatMessage {
  readonly id: string;
  readonly role: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly parts: readonly Readonly<Record<string, unknown>>[];
}

/** What tests do with a chat. */
export interface OpenChat {
  readonly id: string;
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: unknown, options?: object): Promise<void>;
  regenerate(): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): unknown;
  addToolOutput(output: object): unknown;
  messages: ChatMessage[];
}

interface Options {
  readonly version: Version;
  readonly agent: string;
  readonly via: Send;
  readonly id?: string;
  readonly messages?: readonly ChatMessage[];
  /** What is sent by itself: when all approvals or all results of the last step are there. */
  readonly sends?: 'approvals' | 'results';
  readonly onData?: (part: unknown) => void;
  readonly onToolCall?: (call: { toolCall: { toolName: string; toolCallId: string } }) => void;
}

/** Opens a chat; `asked` holds the bodies that it has posted, and `calls` what it was asked to run. */
export function openChat({ version, agent, via, id, messages = [], sends, onData, onToolCall }: Options): {
  readonly chat: OpenChat;
  readonly asked: string[];
} {
  const sdk = version === 7 ? v7 : v6;
  const asked: string[] = [];
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    if (typeof init?.body === 'string') asked.push(init.body);
    return via(String(url), init);
  };
  const api = `/agents/${agent}/chat${version === 7 ? '?ui=7' : ''}`;
  const transport = new (sdk.DefaultChatTransport as unknown as new (options: object) => object)({
    api,
    fetch,
  });
  const state = {
    status: 'ready',
    error: undefined,
    messages: structuredClone(messages) as ChatMessage[],
    pushMessage(message: ChatMessage) {
      this.messages = [...this.messages, message];
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1);
    },
    replaceMessage(index: number, message: ChatMessage) {
      this.messages = this.messages.with(index, structuredClone(message));
    },
    snapshot: <T>(value: T): T => structuredClone(value),
  };
  const sendAutomaticallyWhen =
    sends &&
    (sends === 'approvals'
      ? sdk.lastAssistantMessageIsCompleteWithApprovalResponses
      : sdk.lastAssistantMessageIsCompleteWithToolCalls);
  class TestChat extends (sdk.AbstractChat as unknown as new (init: object) => OpenChat) {}
  const chat = new TestChat({
    state,
    transport,
    ...(id !== undefined && { id }),
    ...(sendAutomaticallyWhen && { sendAutomaticallyWhen }),
    ...(onData && { onData }),
    ...(onToolCall && { onToolCall }),
  });
  return { chat, asked };
}

/** A value as it is after a way over the wire: what is `undefined` is not there. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** The parts of a chat's last message. */
export const lastParts = ({ messages }: Pick<OpenChat, 'messages'>) => plain(messages.at(-1)?.parts ?? []);

/** The same, but for what a page alone knows of its approvals: what was asked there. */
export const withoutDescriptors = (parts: ChatMessage['parts']) =>
  parts.map((part) => {
    if (typeof part.approval !== 'object') return part;
    const { descriptor: _, requestReason: __, ...approval } = Object(part.approval);
    return { ...part, approval };
  });

/** The messages that a page is given which is loaded again. */
export async function loaded(
  via: Send,
  { agent, id, version }: { readonly agent: string; readonly id: string; readonly version: Version },
): Promise<ChatMessage[]> {
  const response = await via(`/agents/${agent}/chat/${id}/messages?ui=${version}`);
  return response.json();
}
