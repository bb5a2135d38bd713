/** Views of a session for its owner: its state, one of its turns, and its events. */
import { type DeferredTurn, type EventPage, WAITING_TURN } from '../journal/event-page.ts';
import { parseEvent } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import { JOURNALED_PART, PRICED_USAGE, TOOLS_CHANGE } from '../journal/reply-data.ts';
import type { Message, SessionState } from '../journal/state.ts';
import { MAX_PAGE_BYTES } from '../session/fold-session.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { foldFromSnapshot, readFromPage } from '../session/read-session.ts';
import { followJournal } from '../session/watching/follow-session.ts';
import {
  foldStoppedTurn,
  getVisibleMemory,
  TURN_ANSWER_SHAPE,
  toTurnAnswer,
} from '../session/watching/turn-outcome.ts';
import { computeSha256Hex } from '../tool/async.ts';
import { MESSAGE_SOURCE, TURN_SAID } from '../tool/call.ts';
import { CONTENT_PART, FILE_CONTENT, isFile } from '../tool/content.ts';
import { BLACKBOARD_ENTRY } from '../tool/kept-values.ts';
import {
  ANY_JSON,
  ANY_OBJECT,
  INTEGER,
  type Infer,
  NULL,
  OPTIONAL_TEXT,
  OPTIONAL_TRUE,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
} from '../tool/shape.ts';
import { getModelText, type ResultData } from '../tool/tool-result.ts';
import { SessionError } from './problem.ts';
import { createInvalidSequenceError } from './request-headers.ts';
import type { SessionAccess, Target } from './target.ts';
import {
  createQueuedView,
  createSuspendedView,
  listPendingViews,
  PENDING_VIEW,
  type TurnView,
} from './turn-view.ts';

/** A turn that has no answer yet. */
export interface RunningTurnView extends Infer<typeof RUNNING_TURN_VIEW> {}
export const RUNNING_TURN_VIEW = {
  object: {
    turn: TEXT,
    loopId: TEXT,
    outcome: NULL,
    iterations: INTEGER,
    toolCalls: INTEGER,
    usage: PRICED_USAGE,
  },
} as const satisfies Shape;

/** A tool call, with the result that the model read. */
export interface CallView extends Infer<typeof CALL_VIEW> {}
export const CALL_VIEW = {
  object: {
    id: TEXT,
    name: TEXT,
    input: ANY_JSON,
    status: { oneOf: ['asked', 'started', 'ended'] },
    result: OPTIONAL_TEXT,
    /** The files of its result. */
    files: { optional: { listOf: FILE_CONTENT } },
  },
} as const satisfies Shape;

/** A message of the conversation. */
export type MessageView = Infer<typeof MESSAGE_VIEW>;
export const MESSAGE_VIEW = {
  anyOf: [
    {
      object: {
        role: { only: 'user' },
        text: TEXT,
        /** The whole content, if it contains files. */
        parts: { optional: { listOf: CONTENT_PART } },
        by: { optional: MESSAGE_SOURCE },
        /**
         * For a turn's message: the tools that were added and removed before it, after the end of the
         * previous turn.
         */
        toolsChange: { optional: TOOLS_CHANGE },
      },
    },
    {
      object: {
        role: { only: 'assistant' },
        text: TEXT,
        toolCalls: { optional: { listOf: CALL_VIEW } },
        /** The parts of the model's reply other than text and calls. */
        parts: { optional: { listOf: JOURNALED_PART } },
        /** Set if its turn ended during the reply. The message then contains the part that readers saw. */
        cutOff: OPTIONAL_TRUE,
      },
    },
    /** A message from a call to the user while it ran. It follows the reply with the call. */
    { object: { role: { only: 'assistant' } }, and: TURN_SAID },
  ],
} as const satisfies Shape;

/** The folded state of a session, in the view for its owner. */
export interface SessionView extends Infer<typeof SESSION_VIEW> {}
export const SESSION_VIEW = {
  object: {
    session: TEXT,
    agent: TEXT,
    /** The sequence number of the last event. */
    seq: INTEGER,
    /** The last turn that started: its answer, or its output so far. */
    turn: { anyOf: [TURN_ANSWER_SHAPE, RUNNING_TURN_VIEW, NULL] },
    /** The id of the turn that has not ended, including one that waits for a person. */
    openTurn: TEXT_OR_NULL,
    /** The turns that have not started, and why each waits. */
    waiting: { listOf: WAITING_TURN },
    messages: { listOf: MESSAGE_VIEW },
    blackboard: { listOf: BLACKBOARD_ENTRY },
    /** The values in `call.state`, by the path of their loop. */
    state: { mapOf: ANY_OBJECT },
    /** The memories of tool kinds, by name. */
    memory: ANY_OBJECT,
    /** The calls that wait for a person. */
    pending: { listOf: PENDING_VIEW },
    usage: PRICED_USAGE,
  },
} as const satisfies Shape;

/** The state of a session, with a tag with which clients can check whether it has changed. */
export interface TaggedView {
  readonly view: SessionView;
  readonly tag: string;
}

/**
 * Returns the state of a session. @throws SessionError if it does not exist; UnreadableError if it cannot be
 * folded.
 */
export async function readSessionView(at: SessionAccess): Promise<TaggedView> {
  const { target, host } = at;
  const folded = await foldFromSnapshot(target.port, host.modules);
  if (!folded) throw createUnknownSessionError(target);
  const { state, page, turnEvents } = folded;
  const { seq, incarnation } = state;
  const view = {
    session: target.session,
    agent: target.agent.name,
    seq,
    turn: getLastTurnView(target, state),
    openTurn: page.openTurn?.id ?? null,
    waiting: page.waiting,
    messages: state.messages.flatMap(toMessageViews),
    blackboard: state.blackboard,
    state: Object.fromEntries(state.callState),
    memory: getVisibleMemory(state, host.modules),
    pending: listPendingViews(at, turnEvents),
    usage: state.usage,
  };
  return { view, tag: await computeTag(at, { ...page, head: seq, incarnation }) };
}

/**
 * The version of views. Increase it if the view of the same journal changes: clients cache a view under its
 * tag.
 */
const VIEW_VERSION = 1;

/** The data that a view depends on, in addition to the code. */
interface TagSource extends Pick<EventPage, 'head' | 'openTurn' | 'waiting'> {
  /** Distinguishes the session from others with the same name. */
  readonly incarnation?: string | undefined;
}

/**
 * Computes the tag of a view. The tag is weak (RFC 9110), since the keys of the same view can be serialized
 * in a different order.
 */
async function computeTag({ target, host }: SessionAccess, shown: TagSource): Promise<string> {
  const { incarnation, head, openTurn, waiting } = shown;
  const code = [VIEW_VERSION, host.modules.reducer, host.answers !== undefined, target.path];
  const hash = await computeSha256Hex(
    JSON.stringify([code, incarnation, head, openTurn?.id ?? null, waiting]),
  );
  return `W/"${hash.slice(0, 32)}"`;
}

/**
 * Returns the current tag of a session's state, without reading the state. @throws SessionError if it does
 * not exist.
 */
export async function readSessionTag(at: SessionAccess): Promise<string> {
  const page = await at.target.port.read({ from: 1, limit: 1 });
  if (!page) throw createUnknownSessionError(at.target);
  return computeTag(at, page);
}

function getLastTurnView(target: Target, { turn }: SessionState): SessionView['turn'] {
  if (!turn) return null;
  const { id, loopId, iterations, toolCalls, usage } = turn;
  const running = { turn: id, loopId, outcome: null, iterations, toolCalls, usage };
  return toTurnAnswer(target.session, target.agent.name, turn) ?? running;
}

function toMessageViews(message: Message): MessageView[] {
  if (message.role === 'user') {
    // Readers see the full text, even if the model sees less.
    const { shown: _, ...said } = message;
    return [said];
  }
  const toolCalls = message.calls.map(
    ({ id, name, input, started, ended }): CallView => ({
      id,
      name,
      input,
      status: ended ? 'ended' : started ? 'started' : 'asked',
      ...(ended && { result: getModelText(ended.result), ...listResultFiles(ended.result) }),
    }),
  );
  return [
    {
      role: 'assistant',
      text: message.text,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(message.kept && { parts: message.kept.parts }),
      ...(message.cutOff && { cutOff: true }),
    },
    ...message.calls.flatMap(({ said = [] }) => said.map((one) => ({ role: 'assistant', ...one }) as const)),
  ];
}

function listResultFiles(result: ResultData): Pick<CallView, 'files'> {
  const files = 'parts' in result ? (result.parts ?? []).filter(isFile) : [];
  return files.length > 0 ? { files } : {};
}

/** Returns the error for a session that has not started. */
export const createUnknownSessionError = ({ session, path }: Target): SessionError =>
  new SessionError('unknown-session', `There is no session '${session}'. POST ${path}/messages starts it.`);

/**
 * Returns the view of one turn: its answer, or its status if there is no answer yet. If another turn received
 * its message, returns that turn's answer.
 *
 * @throws SessionError if the session or turn does not exist.
 */
export async function readTurnView(at: SessionAccess, turn: string): Promise<TurnView> {
  const { target } = at;
  const page = await target.port.read({ from: 1, turn, maxBytes: MAX_PAGE_BYTES });
  if (!page) throw createUnknownSessionError(target);
  const message: DeferredTurn | undefined = page.waits;
  if (message) return createQueuedView(target, message);
  if (page.into !== undefined) return createQueuedView(target, { status: 'steered', turn, into: page.into });
  if (page.rows.length === 0) throw createUnknownTurnError(target, turn);
  const events = await readFromPage(target.port, page, { turn });
  const isOver = events.some(({ type }) => type === 'turn-ended');
  // Checked without folding, since the turn may be unreadable.
  if (!isOver && !isWaiting(page, turn)) {
    return { turn, session: target.session, agent: target.agent.name, status: 'running' };
  }
  const answer = foldStoppedTurn(target.session, target.agent.name, events);
  return answer.outcome === 'suspended' ? createSuspendedView(at, events) : answer;
}

const isWaiting = ({ openTurn }: EventPage, turn: string): boolean =>
  openTurn?.id === turn && openTurn.state === 'waiting';

export const createUnknownTurnError = ({ path }: Target, turn: string): SessionError =>
  new SessionError(
    'unknown-turn',
    `There is no turn '${turn.slice(0, 80)}' in this session. GET ${path} shows the last turn and the waiting ones.`,
  );

/** An event of a turn for clients: an event of the journal, or one in between that is not stored. */
export type ShownEvent = StoredEvent | Exclude<FeedItem, { readonly type: 'event' }>;

/**
 * @throws SessionError if the session has not started, and NewerEventError if newer code wrote the event
 * after `after`.
 */
export async function assertHasEvents({ target }: SessionAccess, after: number): Promise<void> {
  const first = await target.port.read({ from: after + 1, limit: 1 });
  if (!first) throw createUnknownSessionError(target);
  first.rows.forEach(parseEvent);
}

/** Selects events. */
export interface EventsQuery {
  /** Selects only events after this sequence number. Defaults to all. */
  readonly after?: number | undefined;
  /** Selects only existing events of this turn. */
  readonly turn?: string | undefined;
  /**
   * `true` to continue with new events, until the signal aborts, the session is erased, or this invocation
   * must end.
   */
  readonly live?: boolean | undefined;
}

/** Yields the events of the journal, in order. @throws the errors of `assertHasEvents`. */
export async function* readJournalEvents(
  at: SessionAccess,
  { after = 0, turn, live = false }: EventsQuery,
): AsyncGenerator<StoredEvent, void, undefined> {
  if (!Number.isSafeInteger(after) || after < 0) throw createInvalidSequenceError();
  await assertHasEvents(at, after);
  const { port } = at.target;
  if (live && turn === undefined) {
    const { clock, meter } = at.host;
    const follow = followJournal({ port, clock, meter, from: after + 1, signal: at.signal });
    yield* follow;
    return;
  }
  for (let from: number | null = after + 1; from !== null; ) {
    at.signal.throwIfAborted();
    const page: EventPage | null = await port.read({ from, turn, maxBytes: MAX_PAGE_BYTES });
    for (const row of page?.rows ?? []) yield parseEvent(row);
    from = page?.next ?? null;
  }
}
