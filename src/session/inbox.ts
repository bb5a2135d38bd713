import type { KeptBlob } from '../journal/blob.ts';
import { createWaitId, findOpenCall, findPendingWait, openBatch } from '../journal/conversation.ts';
import { parseEvent } from '../journal/event-rows.ts';
import { ROOT, type SessionEvent } from '../journal/events.ts';
import type { InboxMessage } from '../journal/inbox-message.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { type CallRecord, type SessionState, type TurnState, toFrameField } from '../journal/state.ts';
import type { JournaledAnswer, Wait } from '../journal/wait.ts';
import type { Log } from '../tool/log.ts';
import { createErrorEntry } from '../tool/log.ts';
import { createFailureResult, type ResultData } from '../tool/tool-result.ts';
import type { Outbox } from './outbox.ts';

/** A message to the lease holder with an answer for a waiting call. */
export interface AnswerMessage {
  readonly wait: string;
  readonly answer: JournaledAnswer;
}

/** A message to the lease holder that cancels a turn. */
export type CancelMessage =
  | { readonly declinedBy?: undefined }
  /**
   * Cancels the turn only if it is suspended. This principal sent a new message, which declines all of its
   * waits.
   */
  | {
      readonly declinedBy: string;
      /**
       * The ids of the waits that the principal was allowed to decline. If another wait has been added since,
       * the turn resumes instead.
       */
      readonly waits: readonly string[];
    };

/** A message with the late result of a call: the turn has ended, or this invocation no longer holds it. */
type LateMessage = Pick<
  Extract<SessionEvent, { type: 'late-result-received' }>,
  'call' | 'tool' | 'input' | 'result'
>;

interface Options {
  readonly port: Pick<SessionPort, 'post'>;
  readonly outbox: Outbox;
  readonly log: Log;
  /** Called when the turn is cancelled. */
  readonly onCancel: () => void;
  /** Returns the unsaved blobs that a result references, or `undefined`. */
  readonly blobsOf?: ((result: ResultData) => readonly KeptBlob[] | undefined) | undefined;
}

/** Journals the messages in a session's inbox for one lease holder, each message once. */
export class HeldInbox {
  readonly #options: Options;
  readonly #seen = new Set<number>();
  /**
   * The messages that stay in the inbox, in order: those that the model has not read yet, and those of kinds
   * that only newer code knows.
   */
  readonly #kept = new Map<number, InboxMessage>();
  /** The number of journaled messages. If it grows after the loop stopped, the loop may have more work. */
  taken = 0;
  /** The id of the newest message received. */
  newest = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The ids of messages that were received and stay in the inbox. They are not sent again. */
  get kept(): readonly number[] {
    return [...this.#kept.keys()];
  }

  /**
   * Journals messages, except while the lease is being released. Messages for the model stay in the inbox
   * until its next call. A message that this turn does not read starts its own turn.
   */
  takeIn(messages: readonly InboxMessage[]): void {
    const { outbox } = this.#options;
    for (const message of messages) {
      this.newest = Math.max(this.newest, message.id);
      if (outbox.isReleasing) continue;
      if (this.#seen.has(message.id)) continue;
      if (message.kind === 'steer' || !isKnownKind(message.kind)) this.#kept.set(message.id, message);
      else this.#take(message);
    }
  }

  /**
   * Journals the messages for the model if `frame` is the turn's own loop. Returns whether there were any.
   */
  takeSteers(frame: string): boolean {
    const { outbox } = this.#options;
    if (frame !== ROOT || outbox.isReleasing) return false;
    const isTaken = ({ kind }: InboxMessage): boolean => kind === 'steer' && isSteerable(outbox.state.turn);
    const messages = [...this.#kept.values()].filter(isTaken);
    for (const message of messages) this.#take(message);
    return messages.length > 0;
  }

  #take(message: InboxMessage): void {
    const { outbox, onCancel } = this.#options;
    this.#seen.add(message.id);
    this.#kept.delete(message.id);
    const events = toEvents(outbox.state, message);
    outbox.emit(...events);
    outbox.read([message.id]);
    if (events.length === 0) return;
    if (message.kind === 'cancel') onCancel();
    else this.taken += 1;
  }

  /** Journals a late result while this invocation holds the turn. Otherwise leaves it for the next holder. */
  async late(message: LateMessage): Promise<void> {
    const { outbox, port, blobsOf, log } = this.#options;
    const { turn } = outbox.state;
    if (!turn) return;
    try {
      if (!outbox.isReleasing && !outbox.fencedBy) {
        outbox.emit(...createLateEvents(outbox.state, message));
        return await outbox.durable();
      }
    } catch {
      // The lease was lost during the append. If it was stored after all, the next holder finds the outcome
      // in the journal.
    }
    try {
      const blobs = blobsOf?.(message.result);
      const body = JSON.stringify(message);
      const posted = await port.post({ kind: 'late', turn: turn.id, body, blobs });
      if (posted === 'session-full') throw new Error(posted);
    } catch (thrown) {
      const told = `the late result of call ${message.call} could not be kept`;
      log(createErrorEntry(told, thrown, 'value-lost'));
    }
  }
}

/** The kinds that this code handles. A record makes the compiler require each of them. */
const KNOWN_KINDS: Readonly<Record<InboxMessage['kind'], true>> = {
  cancel: true,
  answer: true,
  expired: true,
  late: true,
  steer: true,
};

const isKnownKind = (kind: string): boolean => Object.hasOwn(KNOWN_KINDS, kind);

/** Returns whether the turn can still answer a message. */
const isSteerable = (turn: TurnState | undefined): boolean =>
  turn !== undefined && !turn.cancelRequested && turn.frames.get(ROOT)?.refused === undefined;

/** Returns the events that journal a message, or an empty array if it no longer applies. */
function toEvents(state: SessionState, row: InboxMessage): readonly SessionEvent[] {
  const { turn } = state;
  switch (row.kind) {
    case 'cancel':
      return cancelEvents(turn, row);
    case 'steer':
      return turn ? [createSteerEvent(turn, row)] : [];
    case 'late':
      return createLateEvents(state, JSON.parse(row.body) as LateMessage); // It was posted as a `LateMessage`.
    case 'answer':
    case 'expired':
      return turn ? waitEndEvents(turn, row) : [];
  }
}

/** An open call that waits, and its place. */
interface WaitingCall {
  readonly frame: string;
  readonly call: CallRecord;
  readonly wait: Wait;
  /** The id of this wait of the call. */
  readonly id: string;
}

/** Returns all waits of a turn: outermost frames first, each in source order. */
const listWaitingCalls = (turn: TurnState): WaitingCall[] =>
  [...turn.frames.values()].flatMap((frame) =>
    openBatch(frame).flatMap((call) => {
      const wait = call.ended ? undefined : findPendingWait(call);
      const index = (call.waits?.length ?? 1) - 1;
      return wait ? [{ frame: frame.id, call, wait, id: createWaitId(call.id, index) }] : [];
    }),
  );

/** Returns the events that cancel a turn. Returns an empty array if the waits to decline have changed. */
function cancelEvents(turn: TurnState | undefined, row: InboxMessage): readonly SessionEvent[] {
  const asked = JSON.parse(row.body) as CancelMessage; // It was posted as a `CancelMessage`.
  const cancel: SessionEvent = { type: 'cancel-requested', turn: row.turn };
  if (!turn || asked.declinedBy === undefined) return [cancel];
  const { declinedBy, waits } = asked;
  const waiting = listWaitingCalls(turn);
  if (!waiting.every(({ id }) => waits.includes(id))) return [];
  const declining = waiting.map((one) => createAnsweredEvent(turn, one, toDeclinedAnswer(one, declinedBy)));
  return declining.length === 0 ? [] : [...declining, cancel];
}

function createSteerEvent(turn: TurnState, row: InboxMessage): SessionEvent {
  const event = parseEvent({ seq: 0, at: 0, type: 'turn-started', turn: row.turn, body: row.body });
  if (event.type !== 'turn-started')
    throw new TypeError('A steered message must be stored as the start of a turn.');
  const { seq: _, at: __, loopId: ___, base: ____, ...said } = event;
  return { ...said, type: 'turn-steered', turn: turn.id, as: row.turn };
}

/**
 * Returns the event of a late result, or an empty array if the outcome of its call is known. The message can
 * be a duplicate, since an invocation also posts it if it cannot tell whether its append was stored.
 */
function createLateEvents({ turn, inDoubt }: SessionState, message: LateMessage): readonly SessionEvent[] {
  const { call } = message;
  const found = turn && findOpenCall(turn, call);
  const isAwaited = found ? found.call.late === undefined : inDoubt.has(call);
  if (!turn || !isAwaited) return [];
  const at = found && { ...toFrameField(found.frame.id), open: true as const };
  return [{ type: 'late-result-received', turn: turn.id, ...at, ...message }];
}

/**
 * Returns the event for a wait that was answered or has expired, or an empty array if it is no longer open.
 */
function waitEndEvents(turn: TurnState, row: InboxMessage): readonly SessionEvent[] {
  // An answer is posted as JSON, and an expired wait as its id.
  const message = row.kind === 'answer' ? (JSON.parse(row.body) as AnswerMessage) : undefined;
  const id = message?.wait ?? row.body;
  const waiting = listWaitingCalls(turn).find((one) => one.id === id);
  return waiting ? [createAnsweredEvent(turn, waiting, message?.answer ?? toExpiredAnswer(waiting))] : [];
}

const createAnsweredEvent = (
  turn: TurnState,
  { frame, call }: WaitingCall,
  answer: JournaledAnswer,
): SessionEvent => ({
  type: 'tool-call-answered',
  turn: turn.id,
  ...toFrameField(frame),
  call: call.id,
  answer,
});

function toExpiredAnswer({ call, wait }: WaitingCall): JournaledAnswer {
  if (wait.for === 'decision') return { type: 'decision', decision: wait.onExpiry, expired: true };
  const result = createFailureResult(
    'declined',
    `No result of '${call.name}' was sent in time. It may have run or not.`,
  );
  return { type: 'result', result: { ...result }, expired: true };
}

function toDeclinedAnswer({ call, wait }: WaitingCall, by: string): JournaledAnswer {
  const reason = 'A new message came instead.';
  if (wait.for === 'decision') return { type: 'decision', decision: 'reject', reason, by };
  const message = `No result of '${call.name}' was sent: a new message came instead. It may have run or not.`;
  return { type: 'result', result: { ...createFailureResult('declined', message) }, by };
}
