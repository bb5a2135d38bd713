import { isOurCall, joinTextParts } from '../model/parts.ts';
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

export function toRow(event: SessionEvent): NewRow {
  const turn = 'turn' in event ? event.turn : '';
  return { type: event.type, turn, body: JSON.stringify({ v: EVENT_VERSION, ...withoutDerivedText(event) }) };
}

/**
 * Returns the event of a row. Upgrades events of older versions.
 *
 * @throws NewerEventError if this code is too old to read it.
 */
export function parseEvent(row: Row): StoredEvent {
  const { v, ...body } = JSON.parse(row.body) as StoredBody; // `toRow` wrote it.
  if (v > EVENT_VERSION || !isKnownType(row.type)) throw new NewerEventError(row.seq);
  return { seq: row.seq, at: row.at, ...toEvent(v, body) };
}

/** Returns the known part of a row's event, from any version. Returns an empty array for an unknown type. */
export function parseKnownEvent(row: Row): StoredEvent[] {
  if (!isKnownType(row.type)) return [];
  const { v, ...body } = JSON.parse(row.body) as StoredBody; // `toRow` wrote it.
  return [{ seq: row.seq, at: row.at, ...toEvent(v, body) }];
}

/**
 * Returns the events of the bodies in a JSON array.
 *
 * @throws NewerEventError as `parseEvent` does.
 */
export function parseBodies(text: string): readonly SessionEvent[] {
  const bodies = JSON.parse(text) as readonly StoredBody[]; // `toRow` wrote it.
  return bodies.map((body) => {
    if (body.v > EVENT_VERSION) throw new NewerEventError();
    return toEvent(body.v, body);
  });
}

/** Omits the text and calls of a reply that its parts already contain. */
function withoutDerivedText(event: SessionEvent): object {
  if (event.type !== 'model-replied' || !event.parts) return event;
  const { text: _, toolCalls: __, ...rest } = event;
  return rest;
}

/** Restores the text and calls of a reply from its parts. */
const restoreText = (event: SessionEvent): SessionEvent =>
  event.type === 'model-replied' && event.parts ? { ...event, ...splitTextAndCalls(event.parts) } : event;

/** Returns the text and the calls in the parts of a reply. */
export const splitTextAndCalls = (
  parts: readonly JournaledPart[],
): { readonly text: string; readonly toolCalls: readonly JournaledCall[] } => ({
  text: joinTextParts(parts),
  toolCalls: parts
    .filter(isOurCall)
    .map(({ type: _, provider: __, ranBy: ___, called: ____, ...call }) => call),
});

/**
 * Thrown if the journal contains an event of a newer version of this code. This code must not change the
 * session.
 */
export class NewerEventError extends Error {
  override readonly name = 'NewerEventError';
  readonly seq: number | undefined;

  /** `seq`: the event, if known. */
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
 * Upgrades an event of the version in the key to the next version. Only versions whose events need a change
 * have an entry. Entries are never changed after a deploy. An upgrade must retain the type, since storage
 * depends on it.
 */
const UPGRADES: Readonly<Record<number, ((event: OlderEvent) => OlderEvent) | undefined>> = {};

/** A body in the journal, as `toRow` wrote it. */
type StoredBody = { readonly v: number } & SessionEvent;

function toEvent(v: number, body: SessionEvent): SessionEvent {
  let event = body as OlderEvent; // A JSON object, in any version.
  for (let at = v; at < EVENT_VERSION; at += 1) event = UPGRADES[at]?.(event) ?? event;
  // The last upgrade returns an event of the current version.
  return restoreText(event as SessionEvent);
}

/** Properties of an event type for code that moves events without folding them. */
interface EventTraits {
  /** `true` if the event is part of the conversation. */
  readonly message?: true;
  /**
   * Set if the event is progress of the turn. `result`: a reply or the end of a call, which resets the count
   * of take-overs. `step`: smaller progress, which shows only that its holder did some work.
   */
  readonly progress?: 'result' | 'step';
}

/** All event types that this code knows, checked by the compiler. Any other type comes from newer code. */
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

/** Returns whether this code can fold events of a type. Newer code can write others. */
export const isKnownType = (type: string): boolean => Object.hasOwn(EVENT_TYPES, type);

/** Returns the progress that an event of this type means for its turn, or `undefined` for none. */
export const getProgress = (type: EventType): EventTraits['progress'] => EVENT_TYPES[type].progress;

/** The types that form the conversation. With a snapshot, only these are read from the events before it. */
export const MESSAGE_TYPES: readonly string[] = Object.entries(EVENT_TYPES).flatMap(([type, { message }]) =>
  message ? type : [],
);

/** A new message to a session. */
interface NewTurn {
  readonly agent: string;
  readonly message: string;
  /** All parts of the message in order, if it has files. */
  readonly parts?: readonly ContentPart[] | undefined;
  /** The blobs of the message, and the maximum bytes of blobs that the session can keep. */
  readonly blobs?: readonly KeptBlob[] | undefined;
  readonly room?: number | undefined;
  readonly context: ToolCallContext;
  /** Absent if the turn begins a loop of its own. */
  readonly loopId?: string | undefined;
  /** Only the properties of a `Principal` are journaled. */
  readonly from: TurnPrincipal;
  readonly request?: RequestKey | undefined;
  /** The prefix of paths in links, such as the origin of the request. */
  readonly base?: string | undefined;
  /** The place in its tree, for a message that a call of another turn sends. */
  readonly place?: TreePlace | undefined;
}

/** Returns the rows that start a turn. `newId` must return unique ids. */
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

/** Returns the journaled part of a caller. */
export const toPrincipal = ({ id, tenant, roles = [] }: TurnPrincipal): Principal => ({
  id,
  ...(tenant !== undefined && { tenant }),
  ...(roles.length > 0 && { roles: [...roles] }),
});

/**
 * Returns the turn of a message that a call scheduled. It has the principal and context of the call's turn. A
 * recurring one is a root.
 */
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
