/**
 * What chats with the same words may share. One token may be that of many persons, so that a session which holds more than words is never
 * shown to a request that names neither the person nor the session.
 */
import type { StoredEvent } from '../../journal/events.ts';
import { isFile } from '../../tool/content.ts';
import type { Session, TurnStream } from '../../worker/session.ts';
import { OpenAiError } from './refuse.ts';

/** Returns `true` if an event adds nothing to its session but words that the chat itself has. An unknown event adds more. */
export function addsOnlyWords(event: StoredEvent): boolean {
  switch (event.type) {
    case 'turn-started':
      return !event.parts?.some(isFile) && Object.keys(event.context).length === 0;
    case 'model-replied':
      return (
        event.toolCalls.length === 0 &&
        (event.parts ?? []).every(({ type }) => type === 'text' || type === 'reasoning')
      );
    case 'module-event':
      return event.module === 'compaction';
    default:
      return WITHOUT_MORE.has(event.type);
  }
}

/** Events that say how a turn went, and which tools the code offered. */
const WITHOUT_MORE: ReadonlySet<string> = new Set<StoredEvent['type']>([
  'session-opened',
  'turn-resumed',
  'turn-yielded',
  'turn-ended',
  'model-refused',
  'tools-changed',
  'answer-rejected',
  'conversation-cut',
  'cancel-requested',
]);

/** A turn in a session that was found by words alone. */
export interface FoundTurn {
  readonly session: Session;
  readonly stream: TurnStream;
  /** The last event of the session when it was found. */
  readonly head: number;
}

/**
 * Keeps an event of a turn from a request that names neither person nor session. A turn that another request began may be another
 * person's, so that it is shown as long as it has only words. A turn that this request began must directly follow what was found.
 *
 * @throws OpenAiError `unknown_conversation` if the request must not see the event; what the request began is cancelled.
 */
export async function mustBeOwn(
  event: StoredEvent,
  isWords: boolean,
  { session, stream: { turn, isJoined }, head }: FoundTurn,
): Promise<void> {
  if (isJoined ? isWords : event.type !== 'turn-started' || event.seq === head + 1) return;
  if (!isJoined) await session.cancel(turn).catch(() => {});
  throw unknownChat();
}

/** The error of a request whose session is not known. Whether one has its words is not said. */
export const unknownChat = (): OpenAiError =>
  new OpenAiError(
    'It is not known which conversation this continues: none in words alone has just these messages. Name the person, or the ' +
      'session: send metadata.session of the last answer as metadata: { session }, each time.',
    { param: 'metadata.session', code: 'unknown_conversation' },
  );
