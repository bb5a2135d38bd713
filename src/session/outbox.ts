import type { KeptBlob } from '../journal/blob.ts';
import { createWaitId, openBatch } from '../journal/conversation.ts';
import type { NewRow } from '../journal/event-page.ts';
import { getProgress, parseEvent, toRow, toScheduledTurn } from '../journal/event-rows.ts';
import { ROOT, type SessionEvent, type StoredEvent } from '../journal/events.ts';
import type { WaitingLoad } from '../journal/inbox-message.ts';
import { reduce } from '../journal/reduce.ts';
import type {
  AppendData,
  AppendReceipt,
  HolderUpdate,
  LeaseLoss,
  ScheduledTurn,
  SessionFull,
  SessionPort,
} from '../journal/session-port.ts';
import type { SessionState, TurnState } from '../journal/state.ts';
import { InterruptionError } from '../loop/holder.ts';
import type { LoopJournal } from '../loop/loop.ts';
import type { HeldSessionFiles } from '../loop/loop-files.ts';
import { ChangeNotifier, ENCODER, getErrorMessage } from '../tool/async.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { type Clock, runSoon } from './read-platform.ts';

/** The callbacks of an outbox to its invocation. */
export interface OutboxListener {
  /**
   * Called when these events are durable, in order. `sentAt` is when their append was sent, by the holder's
   * clock.
   */
  stored(events: readonly StoredEvent[], sentAt: number): void;
  /**
   * Receives the parts of a reply that are for the holder: inbox rows, each until it is read, and the readers
   * of the session.
   */
  inbox(told: HolderUpdate): void;
  /**
   * Called before the emitted events are sent. Returns the inbox rows that are known and stay in the inbox.
   */
  sending(): readonly number[];
  /** Called once, when this invocation can no longer store data. */
  lost(reason: InterruptionError): void;
}

interface Options {
  readonly port: Pick<SessionPort, 'append'>;
  readonly epoch: number;
  readonly state: SessionState;
  readonly memories: readonly ToolMemory[];
  readonly now: () => number;
  readonly after: Clock['after'];
  readonly soon?: Clock['soon'] | undefined;
  /** Returns whether the lease still lasts, by this invocation's own deadline. */
  readonly isHeld: () => boolean;
  readonly listener: OutboxListener;
  /** The load that waits in the session, as reported with the lease. Defaults to none. */
  readonly waiting?: WaitingLoad | undefined;
  /** Returns the files to store with an event. */
  readonly files?: Pick<HeldSessionFiles, 'blobsOfEvent'> | undefined;
}

/** Data to store with the last events of an invocation. */
type ReleaseData = Pick<AppendData, 'resumeAfter' | 'snapshot' | 'agenda'>;

const NO_WAITING_LOAD: WaitingLoad = { turns: 0, bytes: 0 };

/** An inbox row, and the last event that was emitted when it was journaled. */
interface InboxReceipt {
  readonly id: number;
  readonly seq: number;
}

/**
 * An invocation's only way to write to its session's journal. Every event is folded when it is emitted, in
 * the form in which the journal returns it, and stored in that order. At most one append is in flight. Events
 * emitted meanwhile are sent together in the next one.
 */
export class Outbox implements LoopJournal {
  readonly state: SessionState;
  /** The last durable event. */
  acknowledged: number;
  /** The size of the emitted bodies, which decides on a snapshot. */
  bytes = 0;
  /** `true` if a reply or the result of a call was emitted. */
  hasProgressed = false;
  /** `true` if the lease is being or was released. */
  isReleasing = false;
  /** Why storing is no longer possible. */
  fencedBy: InterruptionError | undefined;
  /** The refusal of a full session, if there was one. */
  full: SessionFull | undefined;
  readonly #options: Options & AppendOptions;
  readonly #pending: EmittedEvent[] = [];
  /** The events in the pending append. */
  #sent: readonly EmittedEvent[] = [];
  #waiting: WaitingLoad;
  readonly #changes = new ChangeNotifier();
  #inboxRead: InboxReceipt[] = [];
  #ending: Pick<AppendData, 'release' | keyof ReleaseData> | undefined;
  #isReleased = false;
  #sending: Promise<void> | undefined;
  #cancelSoon: (() => void) | undefined;
  readonly #abandoned = Promise.withResolvers<never>();

  constructor(options: Options) {
    this.#options = { ...options, abandoned: this.#abandoned.promise };
    this.#abandoned.promise.catch(() => {}); // Only an append awaits it.
    this.state = options.state;
    this.acknowledged = options.state.seq;
    this.#waiting = options.waiting ?? NO_WAITING_LOAD;
  }

  get changed(): Promise<void> {
    return this.#changes.next;
  }

  /** The load that waits in the session: as last reported by the object, plus turns scheduled here since. */
  get waiting(): WaitingLoad {
    return [...this.#sent, ...this.#pending]
      .flatMap(({ scheduled }) => scheduled)
      .reduce(({ turns, bytes }, { started: { body } }) => {
        return { turns: turns + 1, bytes: bytes + ENCODER.encode(body).length };
      }, this.#waiting);
  }

  /** `true` while an append is in flight. */
  get isSending(): boolean {
    return this.#sending !== undefined;
  }

  emit(...events: SessionEvent[]): void {
    for (const event of events) {
      const row = toRow(event);
      const stored = parseEvent({ ...row, seq: this.state.seq + 1, at: 0 });
      this.bytes += row.body.length;
      // Take-overs without progress are counted from the last such event.
      const progress = getProgress(event.type) === 'result';
      this.hasProgressed ||= progress;
      reduce(this.state, stored, this.#options.memories);
      const blobs = this.#options.files?.blobsOfEvent(event);
      this.#pending.push({ row, event: stored, blobs, progress, ...getLaterWork(this.state.turn, stored) });
    }
    this.#changes.notify();
    this.#schedule();
  }

  /**
   * Marks inbox rows as journaled by the events emitted so far. The commit that stores the last of those
   * events deletes the rows.
   */
  read(ids: readonly number[]): void {
    const { seq } = this.state;
    this.#inboxRead.push(...ids.map((id) => ({ id, seq })));
  }

  async durable(): Promise<void> {
    const { seq } = this.state;
    await Promise.resolve(); // The calls of a batch start in quick succession and are sent together.
    while (this.acknowledged < seq) {
      if (this.fencedBy) throw this.fencedBy;
      await this.#send();
    }
  }

  /**
   * Stores the remaining events and releases the lease in the same commit.
   *
   * @throws InterruptionError if it cannot.
   */
  async release(release: NonNullable<AppendData['release']>, more?: ReleaseData): Promise<void> {
    this.isReleasing = true;
    this.#ending = { release, ...more };
    while (!this.#isReleased) {
      if (this.fencedBy) throw this.fencedBy;
      await this.#send();
    }
  }

  /**
   * Resolves when no request is in flight, since an RPC that is not awaited is lost when the invocation
   * returns.
   */
  async settled(): Promise<void> {
    while (this.#sending || (this.#pending.length > 0 && !this.fencedBy)) await this.#send();
    this.#cancelSoon?.();
  }

  /** Stops storing events, and ends every wait for storage, including for an append without a reply. */
  fence(reason: InterruptionError): void {
    if (this.fencedBy) return;
    this.fencedBy = reason;
    this.#abandoned.reject(reason);
    this.#options.listener.lost(reason);
  }

  /**
   * Sends at the end of this turn of the event loop, or earlier if `durable` is called. A reply and the start
   * of its call, which follows at once, are then sent together.
   */
  #schedule(): void {
    if (this.#sending || this.#cancelSoon || this.#pending.length === 0 || this.fencedBy) return;
    this.#cancelSoon = runSoon(this.#options, () => void this.#send());
  }

  #send(): Promise<void> {
    this.#cancelSoon?.();
    this.#cancelSoon = undefined;
    this.#sending ??= this.#append().finally(() => {
      this.#sending = undefined;
      this.#schedule();
    });
    return this.#sending;
  }

  async #append(): Promise<void> {
    if (this.fencedBy || (this.#pending.length === 0 && (!this.#ending || this.#isReleased))) return;
    const sent = takeFitting(this.#pending);
    this.#sent = sent;
    const isLast = this.#pending.length === 0;
    const inboxRead = this.#inboxRead.length > 0 ? this.#takeRead(this.acknowledged + sent.length) : [];
    // The lease is released only with the last events.
    const ending = isLast && !this.#isReleased ? this.#ending : undefined;
    const inboxHeld = this.#options.listener.sending();
    const sentAt = this.#options.now();
    const change: AppendData = { ...toChange(sent, inboxRead, inboxHeld), ...ending };
    try {
      const answer = await appendWithRetries(this.#options, this.acknowledged + 1, change);
      if (answer.status === 'session-full') this.full = answer;
      if (answer.status !== 'appended') return this.#refused(`the append was refused as ${answer.status}`);
      this.acknowledged += sent.length;
      this.#isReleased ||= ending !== undefined;
      const { at, waiting = NO_WAITING_LOAD } = answer;
      this.#waiting = waiting;
      this.#sent = [];
      this.#options.listener.stored(
        sent.map(({ event }) => ({ ...event, at })),
        sentAt,
      );
      this.#options.listener.inbox(answer);
    } catch (failure) {
      this.#refused(getErrorMessage(failure));
    }
  }

  /**
   * Returns the rows that the events up to this one have journaled. Deleting them earlier would lose them in
   * a crash, and deleting them later would read them twice.
   */
  #takeRead(until: number): number[] {
    const ids = this.#inboxRead.filter(({ seq }) => seq <= until).map(({ id }) => id);
    this.#inboxRead = this.#inboxRead.filter(({ seq }) => seq > until);
    return ids;
  }

  #refused(detail: string): void {
    this.fence(new InterruptionError('lost', `The session can no longer be written: ${detail}.`));
  }
}

/** An event, in its stored and its folded form. */
export interface EmittedEvent extends LaterWork {
  readonly row: NewRow;
  readonly event: StoredEvent;
  /** Blobs that are stored in the same commit. Absent if empty. */
  readonly blobs: readonly KeptBlob[] | undefined;
  /** `true` for a reply or the result of a call. */
  readonly progress: boolean;
}

/** Later work of the object for an event: to expire a wait, or to start turns. */
interface LaterWork {
  readonly expiry: NonNullable<AppendData['expiries']>[number] | undefined;
  readonly scheduled: readonly ScheduledTurn[];
}

const NO_LATER_WORK: LaterWork = { expiry: undefined, scheduled: [] };

/**
 * Returns the later work of an event that was just folded: the expiry of a call's wait, or scheduled turns.
 */
export function getLaterWork(turn: TurnState | undefined, event: SessionEvent): LaterWork {
  if (event.type === 'tool-call-suspended' && typeof event.wait.expires === 'number') {
    const call = openBatch(turn?.frames.get(event.frame ?? ROOT)).find(({ id }) => id === event.call);
    const wait = createWaitId(event.call, (call?.waits?.length ?? 1) - 1);
    return { ...NO_LATER_WORK, expiry: { wait, after: event.wait.expires } };
  }
  if (turn && event.type === 'tool-call-ended' && event.changes?.scheduled)
    return { ...NO_LATER_WORK, scheduled: event.changes.scheduled.map((one) => toScheduledTurn(one, turn)) };
  return NO_LATER_WORK;
}

/**
 * The maximum size of an append: bodies, at two bytes per character, and blobs. An RPC message can be 32 MiB.
 */
const MAX_APPEND_BYTES = 16 * 1024 * 1024;

/**
 * Removes the pending events that fit into one message to the object. Takes at least one if there are any.
 */
export function takeFitting(pending: EmittedEvent[]): EmittedEvent[] {
  let size = 0;
  let taken = 0;
  for (const { row, blobs } of pending) {
    size += 2 * row.body.length;
    for (const blob of blobs ?? []) size += blob.size;
    if (taken > 0 && size > MAX_APPEND_BYTES) break;
    taken += 1;
  }
  return pending.splice(0, taken);
}

/**
 * Returns the append of these events. It deletes the inbox rows that they journaled, and lists the other
 * known rows.
 */
export function toChange(
  sent: readonly EmittedEvent[],
  inboxRead: readonly number[],
  inboxHeld: readonly number[],
): AppendData {
  const events: NewRow[] = [];
  const blobs: KeptBlob[] = [];
  const expiries: NonNullable<LaterWork['expiry']>[] = [];
  const scheduled: ScheduledTurn[] = [];
  let progress = false;
  for (const one of sent) {
    events.push(one.row);
    if (one.blobs) blobs.push(...one.blobs);
    if (one.expiry) expiries.push(one.expiry);
    scheduled.push(...one.scheduled);
    progress ||= one.progress;
  }
  return {
    events,
    ...(blobs.length > 0 && { blobs }),
    ...(inboxRead.length > 0 && { inboxRead }),
    ...(inboxHeld.length > 0 && { inboxHeld }),
    ...(progress && { progress }),
    ...(expiries.length > 0 && { expiries }),
    ...(scheduled.length > 0 && { scheduled }),
  };
}

export interface AppendOptions {
  readonly port: Pick<SessionPort, 'append'>;
  readonly epoch: number;
  readonly after: Clock['after'];
  /** Returns whether the lease still lasts, by this invocation's own deadline. */
  readonly isHeld: () => boolean;
  /** Rejects when the reply is no longer awaited. */
  readonly abandoned: Promise<never>;
}

/** The pauses between attempts of a failed append, in ms. */
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_000;

/**
 * Appends until the object replies. An append is idempotent, so a failed one is sent again while the lease
 * lasts. A refusal is final.
 *
 * @throws the error of the last attempt once the lease has expired, or the reason of `abandoned` as soon as it
 * rejects.
 */
export async function appendWithRetries(
  { port, epoch, after, isHeld, abandoned }: AppendOptions,
  from: number,
  change: AppendData,
): Promise<AppendReceipt | LeaseLoss | SessionFull> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
    try {
      return await Promise.race([port.append(epoch, from, change), abandoned]);
    } catch (failure) {
      if (!isHeld()) throw failure;
      const paused = Promise.withResolvers<void>();
      const cancel = after(wait, paused.resolve);
      await Promise.race([paused.promise, abandoned]).finally(cancel);
    }
  }
}
