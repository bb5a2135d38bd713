/** Finds the calls of a journal by id, with their inputs and the events that belong to them. */
import type { EventOf, StoredEvent } from '../../../../journal/events.ts';
import type { JournaledCall } from '../../../../journal/reply-data.ts';

type StoredEventOf<Type extends StoredEvent['type']> = EventOf<Type> & Pick<StoredEvent, 'seq' | 'at'>;

export interface IndexedCall {
  readonly call: JournaledCall;
  readonly reply: StoredEventOf<'model-replied'>;
  readonly starts: readonly StoredEventOf<'tool-call-started'>[];
  readonly ended?: StoredEventOf<'tool-call-ended'> | undefined;
}

/** Returns the call with this id, or `undefined` if the journal does not contain its reply. */
export function findCall(events: readonly StoredEvent[], id: string): IndexedCall | undefined {
  const reply = events.find(
    (event) => event.type === 'model-replied' && getToolCalls(event).some((call) => call.id === id),
  );
  if (reply?.type !== 'model-replied') return undefined;
  const call = getToolCalls(reply).find((one) => one.id === id);
  if (!call) return undefined;
  const starts = events.filter((event) => event.type === 'tool-call-started' && event.call === id);
  const ended = events.find((event) => event.type === 'tool-call-ended' && event.call === id);
  return {
    call,
    reply,
    starts: starts.filter((event) => event.type === 'tool-call-started'),
    ended: ended?.type === 'tool-call-ended' ? ended : undefined,
  };
}

/** Returns the calls of a reply. A reply with parts contains its calls as parts. */
export const getToolCalls = ({ toolCalls, parts }: EventOf<'model-replied'>): readonly JournaledCall[] =>
  parts
    ? parts.flatMap((part) => (part.type === 'tool-call' && part.ranBy !== 'provider' ? [part] : []))
    : toolCalls;

export const getReplyText = ({ text, parts }: EventOf<'model-replied'>): string =>
  parts ? parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n') || text : text;
