import { isDeepStrictEqual } from 'node:util';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { Reply, ShownEvent } from '../play/reply.ts';
import type { Finding } from './witness.ts';

/** A stream that a client read. */
export interface ClientStream {
  readonly session: string;
  readonly shown: readonly ShownEvent[];
  /** The last reply of a turn's stream. */
  readonly end?: Reply | undefined;
  /** `true` if the stream was read long enough to contain the whole journal. */
  readonly isWhole: boolean;
}

/** The journals of a session by incarnation, including erased ones. */
export type Journals = ReadonlyMap<string, readonly StoredEvent[]>;

/** Checks that a stream shows the durable events of the journal, in order and without a gap. */
export function judgeStream(stream: ClientStream, journals: Journals): Finding[] {
  const { session, shown } = stream;
  const find = (what: string): Finding => ({ rule: 'stream', where: session, what });
  const byIncarnation = Map.groupBy(shown, ({ incarnation }) => incarnation);
  return [
    ...[...byIncarnation].flatMap(([incarnation, own]) =>
      judgeShown(own, journals.get(incarnation) ?? []).map(find),
    ),
    ...judgeEnd(stream, journals).map(find),
  ];
}

function judgeShown(shown: readonly ShownEvent[], events: readonly StoredEvent[]): string[] {
  return shown.flatMap(({ seq, type, data, isEarly }, index) => {
    const event = events[seq - 1];
    const before = shown[index - 1]?.seq;
    if (event?.type !== type) return [`${type} at ${seq}, where there is ${event?.type}.`];
    if (before !== undefined && !isNext(event, events.slice(before, seq - 1)))
      return [`${seq} follows ${before}.`];
    if (isEarly) return [`${type} at ${seq} was shown before it was durable.`];
    const isSame = isDeepStrictEqual(JSON.parse(data), JSON.parse(JSON.stringify(event)));
    return isSame
      ? []
      : [`${type} at ${seq} is ${data.slice(0, 300)}, in the journal ${JSON.stringify(event).slice(0, 300)}`];
  });
}

/** Returns `true` if the stream skipped only notes about forks that belong to another turn. */
const isNext = (event: StoredEvent, between: readonly StoredEvent[]): boolean =>
  between.every((one) => one.type === 'module-event' && 'turn' in event && one.turn !== event.turn);

/**
 * Checks that a stream with an answer has shown the end of its turn, and that a stream that did not end has
 * shown all events.
 */
function judgeEnd({ shown, end, isWhole }: ClientStream, journals: Journals): string[] {
  const last = shown.at(-1);
  // A note about a fork can follow the end of the turn.
  const ended = shown.findLast(({ type }) => type !== 'module-event');
  if (end?.came === 'answer' && ended?.type !== 'turn-ended')
    return [`It tells the answer, and its last event is ${ended?.type} at ${ended?.seq}.`];
  if (!isWhole) return [];
  const head = journals.get(last?.incarnation ?? '')?.length ?? 0;
  return last && last.seq < head ? [`It ended at ${last.seq}, and the journal at ${head}.`] : [];
}
