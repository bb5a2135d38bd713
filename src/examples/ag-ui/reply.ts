/** Converts a model's reply to AG-UI events: spans of reasoning, and one message. */
import type { AgUiEvent } from './events.ts';

type Events = Generator<AgUiEvent, void, undefined>;

export interface Reply {
  readonly id: string;
  text: string;
  reasoning: string;
  /** The open span. */
  saying: 'text' | 'reasoning' | undefined;
  spans: number;
}

/** Adds the source of an event: the agent, or a loop inside one of its calls. */
export const getAttribution = (frame: string) => (frame === '' ? {} : { subagentRunId: frame });

export const createReply = (id: string): Reply => ({
  id,
  text: '',
  reasoning: '',
  saying: undefined,
  spans: 0,
});

/** Returns the rest of a text after its streamed part, or an empty text if the streamed part differs. */
export const getUnsaidText = (text: string, said: string): string =>
  text.startsWith(said) ? text.slice(said.length) : '';

/** Yields the events for a piece of a reply. Opens its span if necessary. */
export function* createPieceEvents(
  reply: Reply,
  what: 'text' | 'reasoning',
  delta: string,
  of: { subagentRunId?: string },
): Events {
  if (delta === '') return;
  if (reply.saying !== what) {
    yield* close(reply, of);
    reply.saying = what;
    if (what === 'text') yield { type: 'TEXT_MESSAGE_START', messageId: reply.id, role: 'assistant', ...of };
    else {
      reply.spans += 1;
      const messageId = getReasoningId(reply);
      yield { type: 'REASONING_START', messageId, ...of };
      yield { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...of };
    }
  }
  reply[what] += delta;
  if (what === 'text') yield { type: 'TEXT_MESSAGE_CONTENT', messageId: reply.id, delta, ...of };
  else yield { type: 'REASONING_MESSAGE_CONTENT', messageId: getReasoningId(reply), delta, ...of };
}

export function* close(reply: Reply, of: { subagentRunId?: string }): Events {
  const { saying } = reply;
  reply.saying = undefined;
  if (saying === 'text') yield { type: 'TEXT_MESSAGE_END', messageId: reply.id, ...of };
  if (saying === 'reasoning') {
    yield { type: 'REASONING_MESSAGE_END', messageId: getReasoningId(reply), ...of };
    yield { type: 'REASONING_END', messageId: getReasoningId(reply), ...of };
  }
}

const getReasoningId = ({ id, spans }: Reply): string => `${id}/reasoning/${spans}`;
