/** How a session stands, for its owner: its state, one of its turns, and its events. */
import { type Deferred, type EventPage, WAITING_TURN } from '../journal/event-page.ts';
import { parseEvent } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import { JOURNALED_PART, PRICED_USAGE, TOOLS_CHANGE } from '../journal/reply-data.ts';
import type { Message, SessionState } from '../journal/state.ts';
import { PAGE_BYTES } from '../session/fold-session.ts';
import type { FeedItem } from '../session/live-feed.ts';
import { foldShown, readOn } from '../session/read-session.ts';
import { followedEvents } from '../session/watching/follow-session.ts';
import { stoppedTurn, TURN_ANSWER, toAnswer, visibleToolMemory } from '../session/watching/turn-outcome.ts';
import { sha256Hex } from '../tool/async.ts';
import { MESSAGE_BY, SAID } from '../tool/call.ts';
import { CONTENT_PART, FILE_CONTENT, isFile } from '../tool/content.ts';
import { BLACKBOARD_ENTRY } from '../tool/kept-values.ts';
import {
  ANY_JSON,
  ANY_OBJECT,
  type Infer,
  NULL,
  OPTIONAL_TEXT,
  OPTIONAL_YES,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
} from '../tool/shape.ts';
import { modelText, type ResultData } from '../tool/tool-result.ts';
import { SessionError } from './problem.ts';
import { noSequence } from './request-headers.ts';
import type { SessionAccess, Target } from './target.ts';
import { PENDING_VIEW, pendingViews, queuedView, suspendedView, type TurnView } from './turn-view.ts';

/** A turn that has no answer yet. */
export interface RunningTurnView extends Infer<typeof RUNNING_TURN_VIEW> {}
export const RUNNING_TURN_VIEW = {
  object: {
    turn: TEXT,
    loopId: TEXT,
    outcome: NULL,
    iterations: WHOLE,
    toolCalls: WHOLE,
    usage: PRICED_USAGE,
  },
} as const satisfies Shape;

/** A call of a tool, and what the model read of its result. */
export interface CallView extends Infer<typeof CALL_VIEW> {}
export const CALL_VIEW = {
  object: {
    id: TEXT,
    name: TEXT,
    input: ANY_JSON,
    status: { oneOf: ['asked', 'started', 'ended'] },
    result: OPTIONAL_TEXT,
    /** Those of its result. */
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
        /** All of it, where it has files. */
        parts: { optional: { listOf: CONTENT_PART } },
        by: { optional: MESSAGE_BY },
        /** Of a turn's message: the tools that came and went before it, of which the turn before could tell nobody. */
        toolsChange: { optional: TOOLS_CHANGE },
      },
    },
    {
      object: {
        role: { only: 'assistant' },
        text: TEXT,
        toolCalls: { optional: { listOf: CALL_VIEW } },
        /** What its model gave beside words and calls. */
        parts: { optional: { listOf: JOURNALED_PART } },
        /** Its turn ended before it did: this is what readers had been shown of it. */
        cutOff: OPTIONAL_YES,
      },
    },
    /** What a call said to the user while it ran: it stands behind the reply whose calls these were. */
    { object: { role: { only: 'assistant' } }, and: SAID },
  ],
} as const satisfies Shape;

/** The folded state of a session, as its owner may see it. */
export interface SessionView extends Infer<typeof SESSION_VIEW> {}
export const SESSION_VIEW = {
  object: {
    session: TEXT,
    agent: TEXT,
    /** Of the last event. */
    seq: WHOLE,
    /** The last turn that began: its answer, or what there is so far. */
    turn: { anyOf: [TURN_ANSWER, RUNNING_TURN_VIEW, NULL] },
    /** The id of the turn that has not ended, also while it waits for somebody. */
    openTurn: TEXT_OR_NULL,
    /** The turns that have not begun, and how each waits. */
    waiting: { listOf: WAITING_TURN },
    messages: { listOf: MESSAGE_VIEW },
    blackboard: { listOf: BLACKBOARD_ENTRY },
    /** What calls keep by `call.state`, by the path of their loop. */
    state: { mapOf: ANY_OBJECT },
    /** What kinds of tools remember, by their names. */
    memory: ANY_OBJECT,
    /** The calls that wait for somebody. */
    pending: { listOf: PENDING_VIEW },
    usage: PRICED_USAGE,
  },
} as const satisfies Shape;

/** The state of a session, and the tag by which its client may ask whether it has changed. */
export interface TaggedView {
  readonly view: SessionView;
  readonly tag: string;
}

/** Answers the state of a session. @throws SessionError when there is none; UnreadableError when it cannot be folded. */
export async function viewOfSession(at: SessionAccess): Promise<TaggedView> {
  const { target, host } = at;
  const folded = await foldShown(target.port, host.modules);
  if (!folded) throw unknownSession(target);
  const { state, page, turnEvents } = folded;
  const { seq, incarnation } = state;
  const view = {
    session: target.session,
    agent: target.agent.name,
    seq,
    turn: lastTurn(target, state),
    openTurn: page.openTurn?.id ?? null,
    waiting: page.waiting,
    messages: state.messages.flatMap(messageView),
    blackboard: state.blackboard,
    state: Object.fromEntries(state.callState),
    memory: visibleToolMemory(state, host.modules),
    pending: pendingViews(at, turnEvents),
    usage: state.usage,
  };
  return { view, tag: await tagOf(at, { ...page, head: seq, incarnation }) };
}

/** To be raised when the same journal is shown otherwise than before: clients keep a view under its tag. */
const VIEW_VERSION = 1;

/** All that a view depends on, beside the code that makes it. */
interface Shown extends Pick<EventPage, 'head' | 'openTurn' | 'waiting'> {
  /** Tells the session from others of its name. */
  readonly incarnation?: string | undefined;
}

/** The same view may come in other words, with its keys in another order, so that the tag is a weak one (RFC 9110). */
async function tagOf({ target, host }: SessionAccess, shown: Shown): Promise<string> {
  const { incarnation, head, openTurn, waiting } = shown;
  const code = [VIEW_VERSION, host.modules.reducer, host.answers !== undefined, target.path];
  const hash = await sha256Hex(JSON.stringify([code, incarnation, head, openTurn?.id ?? null, waiting]));
  return `W/"${hash.slice(0, 32)}"`;
}

/** Answers the tag that the state of a session has now, without reading it. @throws SessionError when there is none. */
export async function tagOfSession(at: SessionAccess): Promise<string> {
  const page = await at.target.port.read({ from: 1, limit: 1 });
  if (!page) throw unknownSession(at.target);
  return tagOf(at, page);
}

function lastTurn(target: Target, { turn }: SessionState): SessionView['turn'] {
  if (!turn) return null;
  const { id, loopId, iterations, toolCalls, usage } = turn;
  const running = { turn: id, loopId, outcome: null, iterations, toolCalls, usage };
  return toAnswer(target.session, target.agent.name, turn) ?? running;
}

function messageView(message: Message): MessageView[] {
  if (message.role === 'user') {
    // Readers have all of it, whatever a model is shown.
    const { shown: _, ...said } = message;
    return [said];
  }
  const toolCalls = message.calls.map(
    ({ id, name, input, started, ended }): CallView => ({
      id,
      name,
      input,
      status: ended ? 'ended' : started ? 'started' : 'asked',
      ...(ended && { result: modelText(ended.result), ...filesIn(ended.result) }),
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

function filesIn(result: ResultData): Pick<CallView, 'files'> {
  const files = 'parts' in result ? (result.parts ?? []).filter(isFile) : [];
  return files.length > 0 ? { files } : {};
}

/** The error of a session that has not begun. */
export const unknownSession = ({ session, path }: Target): SessionError =>
  new SessionError('unknown-session', `There is no session '${session}'. POST ${path}/messages starts it.`);

/**
 * Answers how one turn stands: its answer, or why there is none yet. Of a message that was taken into another turn, that turn's answer
 * is the answer.
 *
 * @throws SessionError when there is no such session or turn.
 */
export async function viewOfTurn(at: SessionAccess, turn: string): Promise<TurnView> {
  const { target } = at;
  const page = await target.port.read({ from: 1, turn, maxBytes: PAGE_BYTES });
  if (!page) throw unknownSession(target);
  const message: Deferred | undefined = page.waits;
  if (message) return queuedView(target, message);
  if (page.into !== undefined) return queuedView(target, { status: 'steered', turn, into: page.into });
  if (page.rows.length === 0) throw unknownTurn(target, turn);
  const events = await readOn(target.port, page, { turn });
  const isOver = events.some(({ type }) => type === 'turn-ended');
  // Nothing of it is folded, which may be what nobody can do.
  if (!isOver && !isWaiting(page, turn)) {
    return { turn, session: target.session, agent: target.agent.name, status: 'running' };
  }
  const answer = stoppedTurn(target.session, target.agent.name, events);
  return answer.outcome === 'suspended' ? suspendedView(at, events) : answer;
}

const isWaiting = ({ openTurn }: EventPage, turn: string): boolean =>
  openTurn?.id === turn && openTurn.state === 'waiting';

/** No message of the session has this id. */
export const unknownTurn = ({ path }: Target, turn: string): SessionError =>
  new SessionError(
    'unknown-turn',
    `There is no turn '${turn.slice(0, 80)}' in this session: GET ${path} shows the last one, and those that wait.`,
  );

/** What a client sees of a turn: events of the journal, and what comes between them and is kept nowhere. */
export type ShownEvent = StoredEvent | Exclude<FeedItem, { readonly type: 'event' }>;

/** @throws SessionError when the session has not begun, and NewerEventError when newer code wrote the event after this one. */
export async function mustHaveEvents({ target }: SessionAccess, after: number): Promise<void> {
  const first = await target.port.read({ from: after + 1, limit: 1 });
  if (!first) throw unknownSession(target);
  first.rows.forEach(parseEvent);
}

/** Which events are wanted. */
export interface EventsWanted {
  /** Only those behind the one of this sequence; all unless given. */
  readonly after?: number | undefined;
  /** Only those of this turn, and only those that there are. */
  readonly turn?: string | undefined;
  /** Goes on with what happens from now on, until the signal aborts, the session is erased, or this invocation has to end. */
  readonly live?: boolean | undefined;
}

/** The events of the journal, in order. @throws what `mustHaveEvents` does. */
export async function* eventsOf(
  at: SessionAccess,
  { after = 0, turn, live = false }: EventsWanted,
): AsyncGenerator<StoredEvent, void, undefined> {
  if (!Number.isSafeInteger(after) || after < 0) throw noSequence();
  await mustHaveEvents(at, after);
  const { port } = at.target;
  if (live && turn === undefined) {
    const { clock, meter } = at.host;
    const follow = followedEvents({ port, clock, meter, from: after + 1, signal: at.signal });
    yield* follow;
    return;
  }
  for (let from: number | null = after + 1; from !== null; ) {
    at.signal.throwIfAborted();
    const page: EventPage | null = await port.read({ from, turn, maxBytes: PAGE_BYTES });
    for (const row of page?.rows ?? []) yield parseEvent(row);
    from = page?.next ?? null;
  }
}
