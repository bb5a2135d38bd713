import { isOurCall, wordsOf } from '../model/parts.ts';
import type { TurnPrincipal } from '../tool/call.ts';
import type { TreePlace } from '../tool/call-origin.ts';
import type { ContentPart } from '../tool/content.ts';
import type { ToolCallContext } from '../tool/tool-call-context.ts';
import type { KeptBlob } from './blob.ts';
import type { NewRow, Row } from './event-page.ts';
import {
  EVENT_VERSION,
  type EventType,
  type Principal,
  type ScheduledMessage,
  type SessionEvent,
  type StoredEvent,
} from './events.ts';
import type { JournaledCall, JournaledPart } from './reply-data.ts';
import type { RequestKey, ScheduledTurn, TurnStart } from './session-port.ts';
import type { TurnState } from './state.ts';

/** An event as the row that is stored. */
export function toRow(event: SessionEvent): NewRow {
  const turn = 'turn' in event ? event.turn : '';
  return { type: event.type, turn, body: JSON.stringify({ v: EVENT_VERSION, ...stored(event) }) };
}

/**
 * The event of a row. This is where events of older versions are upgraded.
 *
 * @throws NewerEventError when this code is too old to read it.
 */
export function parseEvent(row: Row): StoredEvent {
  const { v, ...body } = JSON.parse(row.body) as Body; // written by toRow
  if (v > EVENT_VERSION || !isKnownType(row.type)) throw new NewerEventError(row.seq);
  return { seq: row.seq, at: row.at, ...toEvent(v, body) };
}

/** Returns the event of a row as far as this code knows it, whichever version wrote it; nothing for a type that it does not know. */
export function parseKnown(row: Row): StoredEvent[] {
  if (!isKnownType(row.type)) return [];
  const { v, ...body } = JSON.parse(row.body) as Body; // written by toRow
  return [{ seq: row.seq, at: row.at, ...toEvent(v, body) }];
}

/** The events of the bodies in one text of a JSON array. @throws NewerEventError as `parseEvent` does. */
export function parseBodies(text: string): readonly SessionEvent[] {
  const bodies = JSON.parse(text) as readonly Body[]; // written by toRow
  return bodies.map((body) => {
    if (body.v > EVENT_VERSION) throw new NewerEventError();
    return toEvent(body.v, body);
  });
}

/** The event without what its parts say already. */
function stored(event: SessionEvent): object {
  if (event.type !== 'model-replied' || !event.parts) return event;
  const { text: _, toolCalls: __, ...rest } = event;
  return rest;
}

/** The event with its words and calls, which are in its parts. */
const whole = (event: SessionEvent): SessionEvent =>
  event.type === 'model-replied' && event.parts ? { ...event, ...saidIn(event.parts) } : event;

/** Answers the words and the calls of a reply that is journaled by its parts. */
export const saidIn = (
  parts: readonly JournaledPart[],
): { readonly text: string; readonly toolCalls: readonly JournaledCall[] } => ({
  text: wordsOf(parts),
  toolCalls: parts
    .filter(isOurCall)
    .map(({ type: _, provider: __, ranBy: ___, called: ____, ...call }) => call),
});

/** The journal holds an event that a newer version of this code wrote; this one must not touch the session. */
export class NewerEventError extends Error {
  override readonly name = 'NewerEventError';
  readonly seq: number | undefined;

  /** `seq`: which one, where that is known. */
  constructor(seq?: number) {
    super(
      `${seq === undefined ? 'An event' : `Event ${seq}`} was written by a newer version of this Worker. ` +
        'Try again when the deployment is complete.',
    );
    this.seq = seq;
  }
}

/** An event as an older version wrote it. */
type OlderEvent = Readonly<Record<string, unknown>>;

/**
 * What makes an event of the version that is its key one of the next version: an entry only where older events are changed by that. Never
 * changed once deployed, only added to. The type stays, since storages go by it.
 */
const UPGRADES: Readonly<Record<number, ((event: OlderEvent) => OlderEvent) | undefined>> = {};

/** A body of the journal, as `toRow` wrote it. */
type Body = { readonly v: number } & SessionEvent;

function toEvent(v: number, body: SessionEvent): SessionEvent {
  let event = body as OlderEvent; // an object of JSON, whatever its version
  for (let at = v; at < EVENT_VERSION; at += 1) event = UPGRADES[at]?.(event) ?? event;
  // Upgrades end in what this version writes.
  return whole(event as SessionEvent);
}

/** What those who move events about know of a type, without folding it. */
interface EventTraits {
  /** The conversation is read from it. */
  readonly message?: true;
  /**
   * The turn has come further by it. `result`: a reply, or the end of a call, after which take-overs of the turn are counted
   * anew. `step`: less than that, but whoever stored it has not held the turn in vain.
   */
  readonly progress?: 'result' | 'step';
}

/** Every type that this code knows, as the compiler sees to: any other one was written by newer code. */
const EVENT_TYPES: Readonly<Record<EventType, EventTraits>> = {
  'session-opened': {},
  'session-forked': {},
  'turn-started': { message: true },
  'turn-resumed': {},
  'model-refused': {},
  'model-replied': { message: true, progress: 'result' },
  'tool-call-started': {},
  'tool-call-ended': { message: true, progress: 'result' },
  'tool-call-suspended': {},
  'tool-call-answered': { progress: 'step' },
  'message-sent': { message: true },
  'frame-started': { progress: 'step' },
  'tools-changed': { message: true },
  'tools-listed': { progress: 'step' },
  'answer-rejected': { message: true },
  'turn-steered': { message: true },
  'late-result-received': { message: true },
  'module-event': {},
  'conversation-cut': { message: true, progress: 'step' },
  'cancel-requested': {},
  'turn-yielded': {},
  'turn-ended': {},
};

/** Tells whether this code can fold events of a type: of those that newer code wrote there may be others. */
export const isKnownType = (type: string): boolean => Object.hasOwn(EVENT_TYPES, type);

/** Answers how much further a turn has come by an event of this type; `undefined` when it has not. */
export const progressBy = (type: EventType): EventTraits['progress'] => EVENT_TYPES[type].progress;

/** The types from which the conversation is read; with a snapshot, only these are read from before it. */
export const MESSAGE_TYPES: readonly string[] = Object.entries(EVENT_TYPES).flatMap(([type, { message }]) =>
  message ? type : [],
);

/** A message on its way into a session. */
interface NewTurn {
  readonly agent: string;
  readonly message: string;
  /** All of the message in its order, where it has files. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** What is to be kept with the message, and how many bytes of it the session may keep. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  readonly room?: number | undefined;
  readonly context: ToolCallContext;
  /** Absent: the turn begins a loop of its own. */
  readonly loopId?: string | undefined;
  /** Only what a `Principal` has of it is journaled. */
  readonly from: TurnPrincipal;
  readonly request?: RequestKey | undefined;
  /** What stands before every path in a link, as where its request came in. */
  readonly base?: string | undefined;
  /** Of a message that a call of another turn sends. */
  readonly place?: TreePlace | undefined;
}

/** The rows that start a turn. `newId` answers an id unlike any other. */
export function toTurnStart(start: NewTurn, newId: () => string): TurnStart {
  const turn = newId();
  const { agent, message, parts, blobs, room, context, loopId = turn, request } = start;
  return {
    turn,
    opening: toRow({ type: 'session-opened', incarnation: newId(), agent }),
    started: toRow({
      type: 'turn-started',
      turn,
      loopId,
      message,
      ...(parts && { parts }),
      context: context.toJSON(),
      principal: toPrincipal(start.from),
      ...(start.base && { base: start.base }),
      ...start.place,
    }),
    request,
    ...(blobs && { blobs, room }),
  };
}

/** Answers the part of a caller that is journaled. */
export const toPrincipal = ({ id, tenant, roles = [] }: TurnPrincipal): Principal => ({
  id,
  ...(tenant !== undefined && { tenant }),
  ...(roles.length > 0 && { roles: [...roles] }),
});

/** The turn of a message that a call has scheduled: for whom, and with what context, the turn of the call is. A recurring one is a root. */
export const toScheduledTurn = (
  { turn, message, after, recurring }: ScheduledMessage,
  { context, principal, root, generation }: Pick<TurnState, 'context' | 'principal' | 'root' | 'generation'>,
): ScheduledTurn => ({
  started: toRow({
    type: 'turn-started',
    turn,
    loopId: turn,
    message,
    context,
    principal,
    ...(!recurring && { root, generation: generation + 1 }),
  }),
  after,
});
