import type { KeptBlob } from '../journal/blob.ts';
import { findOpenCall, openBatch, pendingWait, waitId } from '../journal/conversation.ts';
import { parseEvent } from '../journal/event-rows.ts';
import { ROOT, type SessionEvent } from '../journal/events.ts';
import type { InboxMessage } from '../journal/inbox-message.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { type CallRecord, inFrame, type SessionState, type TurnState } from '../journal/state.ts';
import type { JournaledAnswer, Wait } from '../journal/wait.ts';
import type { Log } from '../tool/log.ts';
import { mistake } from '../tool/log.ts';
import { failure, type ResultData } from '../tool/tool-result.ts';
import type { Outbox } from './outbox.ts';

/** What is posted to the holder of a session for a call that waits. */
export interface AnswerMessage {
  readonly wait: string;
  readonly answer: JournaledAnswer;
}

/** What is posted to cancel a turn. */
export type CancelMessage =
  | { readonly declinedBy?: undefined }
  /** Only if the turn waits: all that it waits for is declined by this one, who has sent a message instead. */
  | {
      readonly declinedBy: string;
      /** Of the waits, by their ids, those that the one who declines was looked at for. The turn resumes if another one has come up since. */
      readonly waits: readonly string[];
    };

/** What is posted of a call that answers after its turn, or this invocation's part of it, has ended. */
type LateMessage = Pick<
  Extract<SessionEvent, { type: 'late-result-received' }>,
  'call' | 'tool' | 'input' | 'result'
>;

interface Options {
  readonly port: Pick<SessionPort, 'post'>;
  readonly outbox: Outbox;
  readonly log: Log;
  /** Called when the turn was cancelled. */
  readonly onCancel: () => void;
  /** Returns what a result names that is not stored yet; absent if there is none. */
  readonly blobsOf?: ((result: ResultData) => readonly KeptBlob[] | undefined) | undefined;
}

/** What others leave for the holder of a session, as one holder journals it: each message once. */
export class HeldInbox {
  readonly #options: Options;
  readonly #seen = new Set<number>();
  /** In order: messages for the model that it was not shown yet, and those that only a newer version of this code knows. */
  readonly #kept = new Map<number, InboxMessage>();
  /** How many messages were journaled, after which a loop that had stopped may have something to do again. */
  taken = 0;
  /** The id of the newest message that was told. */
  newest = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The ids of messages that were reported and still wait in the inbox. They are not reported again. */
  get kept(): readonly number[] {
    return [...this.#kept.keys()];
  }

  /**
   * Journals messages, but not while the lease is being given back. Those for the model stay where they are until it is
   * asked: one that nobody would answer any more is a turn of its own.
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

  /** Journals the messages for the model if this is the turn's own loop. Answers whether there were any. */
  takeSteers(frame: string): boolean {
    const { outbox } = this.#options;
    if (frame !== ROOT || outbox.isReleasing) return false;
    const isTaken = ({ kind }: InboxMessage): boolean => kind === 'steer' && isSteered(outbox.state.turn);
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

  /** Journals a late result while this invocation holds the turn, and otherwise leaves it for the next holder. */
  async late(message: LateMessage): Promise<void> {
    const { outbox, port, blobsOf, log } = this.#options;
    const { turn } = outbox.state;
    if (!turn) return;
    try {
      if (!outbox.isReleasing && !outbox.fencedBy) {
        outbox.emit(...lateEvents(outbox.state, message));
        return await outbox.durable();
      }
    } catch {
      // The lease was lost on the way. If it was stored all the same, the next holder finds the outcome known.
    }
    try {
      const blobs = blobsOf?.(message.result);
      const body = JSON.stringify(message);
      const posted = await port.post({ kind: 'late', turn: turn.id, body, blobs });
      if (posted === 'session-full') throw new Error(posted);
    } catch (thrown) {
      const told = `the late result of call ${message.call} could not be kept`;
      log(mistake(told, thrown, 'value-lost'));
    }
  }
}

/** What this code knows what to do with; a record, so that the compiler asks for each. */
const KNOWN: Readonly<Record<InboxMessage['kind'], true>> = {
  cancel: true,
  answer: true,
  expired: true,
  late: true,
  steer: true,
};

const isKnownKind = (kind: string): boolean => Object.hasOwn(KNOWN, kind);

/** Whether a message would still be answered in the turn. */
const isSteered = (turn: TurnState | undefined): boolean =>
  turn !== undefined && !turn.cancelRequested && turn.frames.get(ROOT)?.refused === undefined;

/** What the holder of a session journals for a message that was left for it; nothing when it is void by now. */
function toEvents(state: SessionState, row: InboxMessage): readonly SessionEvent[] {
  const { turn } = state;
  switch (row.kind) {
    case 'cancel':
      return cancelled(turn, row);
    case 'steer':
      return turn ? [steered(turn, row)] : [];
    case 'late':
      return lateEvents(state, JSON.parse(row.body) as LateMessage); // what was posted as one
    case 'answer':
    case 'expired':
      return turn ? waitOver(turn, row) : [];
  }
}

/** An open call that waits, and where it stands. */
interface WaitingCall {
  readonly frame: string;
  readonly call: CallRecord;
  readonly wait: Wait;
  /** Names this wait of the call. */
  readonly id: string;
}

/** What a turn waits for, outermost frames first, each in source order. */
const waitingCalls = (turn: TurnState): WaitingCall[] =>
  [...turn.frames.values()].flatMap((frame) =>
    openBatch(frame).flatMap((call) => {
      const wait = call.ended ? undefined : pendingWait(call);
      const index = (call.waits?.length ?? 1) - 1;
      return wait ? [{ frame: frame.id, call, wait, id: waitId(call.id, index) }] : [];
    }),
  );

/** Nothing when it was to decline what the turn waits for, and nothing waits, or something else does. */
function cancelled(turn: TurnState | undefined, row: InboxMessage): readonly SessionEvent[] {
  const asked = JSON.parse(row.body) as CancelMessage; // what was posted as one
  const cancel: SessionEvent = { type: 'cancel-requested', turn: row.turn };
  if (!turn || asked.declinedBy === undefined) return [cancel];
  const { declinedBy, waits } = asked;
  const waiting = waitingCalls(turn);
  if (!waiting.every(({ id }) => waits.includes(id))) return [];
  const declining = waiting.map((one) => answered(turn, one, declined(one, declinedBy)));
  return declining.length === 0 ? [] : [...declining, cancel];
}

function steered(turn: TurnState, row: InboxMessage): SessionEvent {
  const event = parseEvent({ seq: 0, at: 0, type: 'turn-started', turn: row.turn, body: row.body });
  if (event.type !== 'turn-started')
    throw new TypeError('A message that is steered is stored as the start of a turn.');
  const { seq: _, at: __, loopId: ___, base: ____, ...said } = event;
  return { ...said, type: 'turn-steered', turn: turn.id, as: row.turn };
}

/**
 * Returns the event of a late result; nothing if the outcome of its call is known. An invocation that cannot tell whether its append was
 * stored leaves a message as well.
 */
function lateEvents({ turn, inDoubt }: SessionState, message: LateMessage): readonly SessionEvent[] {
  const { call } = message;
  const found = turn && findOpenCall(turn, call);
  const isAwaited = found ? found.call.late === undefined : inDoubt.has(call);
  if (!turn || !isAwaited) return [];
  const at = found && { ...inFrame(found.frame.id), open: true as const };
  return [{ type: 'late-result-received', turn: turn.id, ...at, ...message }];
}

/** A wait was answered, or its time is over; nothing when nobody waits for it any more. */
function waitOver(turn: TurnState, row: InboxMessage): readonly SessionEvent[] {
  // An answer was posted as one; of a wait that expired, its id is.
  const message = row.kind === 'answer' ? (JSON.parse(row.body) as AnswerMessage) : undefined;
  const id = message?.wait ?? row.body;
  const waiting = waitingCalls(turn).find((one) => one.id === id);
  return waiting ? [answered(turn, waiting, message?.answer ?? expired(waiting))] : [];
}

const answered = (turn: TurnState, { frame, call }: WaitingCall, answer: JournaledAnswer): SessionEvent => ({
  type: 'tool-call-answered',
  turn: turn.id,
  ...inFrame(frame),
  call: call.id,
  answer,
});

function expired({ call, wait }: WaitingCall): JournaledAnswer {
  if (wait.for === 'decision') return { type: 'decision', decision: wait.onExpiry, expired: true };
  const result = failure('declined', `No result of '${call.name}' was sent in time. It may have run or not.`);
  return { type: 'result', result: { ...result }, expired: true };
}

function declined({ call, wait }: WaitingCall, by: string): JournaledAnswer {
  const reason = 'A new message came instead.';
  if (wait.for === 'decision') return { type: 'decision', decision: 'reject', reason, by };
  const message = `No result of '${call.name}' was sent: a new message came instead. It may have run or not.`;
  return { type: 'result', result: { ...failure('declined', message) }, by };
}
