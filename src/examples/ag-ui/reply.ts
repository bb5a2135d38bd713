/** A reply of a model as AG-UI says it: spans of reasoning, and one message. */
import type { AgUiEvent } from './events.ts';

type Events = Generator<AgUiEvent, void, undefined>;

/** A reply that is being said. */
export interface Reply {
  readonly id: string;
  /** What was said of it so far. */
  text: string;
  reasoning: string;
  /** Which of the two is open. */
  saying: 'text' | 'reasoning' | undefined;
  /** How many spans of reasoning it has had. */
  spans: number;
}

/** Whose an event is: of the agent, or of a loop inside one of its calls. */
export const attributed = (frame: string) => (frame === '' ? {} : { subagentRunId: frame });

export const newReply = (id: string): Reply => ({
  id,
  text: '',
  reasoning: '',
  saying: undefined,
  spans: 0,
});

/** What is left of a text of which so much was said; nothing where something else was. */
export const rest = (text: string, said: string): string =>
  text.startsWith(said) ? text.slice(said.length) : '';

/** Says a piece of a reply, and first what it takes to say it. */
export function* say(
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
      const messageId = reasoningId(reply);
      yield { type: 'REASONING_START', messageId, ...of };
      yield { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...of };
    }
  }
  reply[what] += delta;
  if (what === 'text') yield { type: 'TEXT_MESSAGE_CONTENT', messageId: reply.id, delta, ...of };
  else yield { type: 'REASONING_MESSAGE_CONTENT', messageId: reasoningId(reply), delta, ...of };
}

export function* close(reply: Reply, of: { subagentRunId?: string }): Events {
  const { saying } = reply;
  reply.saying = undefined;
  if (saying === 'text') yield { type: 'TEXT_MESSAGE_END', messageId: reply.id, ...of };
  if (saying === 'reasoning') {
    yield { type: 'REASONING_MESSAGE_END', messageId: reasoningId(reply), ...of };
    yield { type: 'REASONING_END', messageId: reasoningId(reply), ...of };
  }
}

const reasoningId = ({ id, spans }: Reply): string => `${id}/reasoning/${spans}`;
