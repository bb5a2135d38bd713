import { ROOT, type SessionEvent, type StoredEvent } from '../journal/events.ts';
import { parseEvent, progressBy, toRow } from '../journal/parse-event.ts';
import { reduce } from '../journal/reduce.ts';
import type {
  Appended,
  Change,
  Fenced,
  InboxMessage,
  NewRow,
  ScheduledTurn,
  SessionPort,
} from '../journal/session-port.ts';
import type { Snapshot } from '../journal/snapshot.ts';
import { openBatch, type SessionState, type TurnState, waitId } from '../journal/state.ts';
import { Interrupted } from '../loop/holder.ts';
import type { LoopJournal } from '../loop/loop.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { type Clock, soon } from './read-platform.ts';
import { toScheduledTurn } from './start-turn.ts';

/** What an outbox tells the invocation that owns it. */
export interface OutboxListener {
  /** These events are durable, in order; `sentAt` is when their append was sent, by the holder's clock. */
  stored(events: readonly StoredEvent[], sentAt: number): void;
  /** Rows that somebody left for the holder. The same row comes until it is read. */
  inbox(rows: readonly InboxMessage[]): void;
  /** Nothing can be stored any more. Called once. */
  lost(reason: Interrupted): void;
}

interface Options {
  readonly port: Pick<SessionPort, 'append'>;
  readonly epoch: number;
  readonly state: SessionState;
  readonly memories: readonly ToolMemory[];
  readonly now: () => number;
  readonly after: Clock['after'];
  readonly soon?: Clock['soon'] | undefined;
  /** Whether the lease still lasts, by this invocation's own deadline. */
  readonly isHeld: () => boolean;
  readonly listener: OutboxListener;
}

/** An inbox row, and the last event that was emitted when it was taken in. */
interface InboxRead {
  readonly id: number;
  readonly seq: number;
}

/** An event, as it is stored and as it was folded. */
interface Emitted {
  readonly row: NewRow;
  readonly seq: number;
  readonly event: SessionEvent;
  readonly expiry: NonNullable<Change['expiries']>[number] | undefined;
  readonly scheduled: readonly ScheduledTurn[];
}

/**
 * Characters of bodies in one append: two bytes each at the most, and an RPC message weighs at most 32 MiB.
 */
const MAX_APPEND = 8 * 1024 * 1024;

/** Between an append that failed and the next try, in ms. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 1_000;

/** When the wait of this event is over, which was just folded. */
function expiryOf(turn: TurnState | undefined, event: SessionEvent): Emitted['expiry'] {
  if (event.type !== 'tool-call-suspended' || typeof event.wait.expires !== 'number') return undefined;
  const call = openBatch(turn?.frames.get(event.frame ?? ROOT)).find(({ id }) => id === event.call);
  return { wait: waitId(event.call, (call?.waits?.length ?? 1) - 1), after: event.wait.expires };
}

/** The turns that a call of this turn has scheduled. */
const scheduledBy = (turn: TurnState | undefined, event: SessionEvent): readonly ScheduledTurn[] =>
  turn && event.type === 'tool-call-ended'
    ? (event.changes?.scheduled ?? []).map((one) => toScheduledTurn(one, turn))
    : [];

/** A reply, or the result of a call: it is counted from there how often the turn was taken over. */
const isResult = ({ type }: SessionEvent): boolean => progressBy(type) === 'result';

/**
 * The one way of an invocation to its session's journal (DESIGN 5, rule 0). At most one append is in
 * flight; what is emitted meanwhile leaves together in the next one. An event is folded as it is emitted,
 * in the form in which it comes back from the journal.
 */
export class Outbox implements LoopJournal {
  readonly state: SessionState;
  readonly #options: Options;
  readonly #pending: Emitted[] = [];
  #inboxRead: InboxRead[] = [];
  #ending: Pick<Change, 'release' | 'snapshot'> | undefined;
  #isReleased = false;
  #acknowledged: number;
  #sending: Promise<void> | undefined;
  #cancelSoon: (() => void) | undefined;
  #lost: Interrupted | undefined;
  readonly #givenUp = Promise.withResolvers<'given-up'>();
  /** Bytes of bodies emitted, for deciding on a snapshot. */
  bytes = 0;
  #hasProgressed = false;

  constructor(options: Options) {
    this.#options = options;
    this.state = options.state;
    this.#acknowledged = options.state.seq;
  }

  get nextSeq(): number {
    return this.state.seq + 1;
  }

  /** Everything up to here is durable. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The lease is being given back, or was. */
  get isReleasing(): boolean {
    return this.#ending !== undefined;
  }

  /** A reply or the result of a call was emitted here. */
  get hasProgressed(): boolean {
    return this.#hasProgressed;
  }

  get isSending(): boolean {
    return this.#sending !== undefined;
  }

  /** Why nothing can be stored any more. */
  get fencedBy(): Interrupted | undefined {
    return this.#lost;
  }

  emit(...events: SessionEvent[]): void {
    for (const event of events) {
      const row = toRow(event);
      const stored = parseEvent({ ...row, seq: this.nextSeq, at: 0 });
      this.bytes += row.body.length;
      this.#hasProgressed ||= isResult(event);
      reduce(this.state, stored, this.#options.memories);
      const { turn } = this.state;
      const expiry = expiryOf(turn, stored.event);
      this.#pending.push({ row, ...stored, expiry, scheduled: scheduledBy(turn, stored.event) });
    }
    this.#schedule();
  }

  /** These inbox rows were taken in by what was emitted so far: they are deleted in the commit that stores the last of it. */
  read(ids: readonly number[]): void {
    const { seq } = this.state;
    this.#inboxRead.push(...ids.map((id) => ({ id, seq })));
  }

  async durable(): Promise<void> {
    const { seq } = this.state;
    await Promise.resolve(); // the calls of a batch start one right after another, and leave together
    while (this.#acknowledged < seq) {
      if (this.#lost) throw this.#lost;
      await this.#send();
    }
  }

  /** Stores what is left and gives the lease back in the same commit. @throws Interrupted when it cannot. */
  async release(release: NonNullable<Change['release']>, snapshot?: Snapshot): Promise<void> {
    this.#ending = { release, snapshot };
    while (!this.#isReleased) {
      if (this.#lost) throw this.#lost;
      await this.#send();
    }
  }

  /** Resolves when nothing is in flight: an RPC that nobody awaits is lost when the invocation returns. */
  async settled(): Promise<void> {
    while (this.#sending || (this.#pending.length > 0 && !this.#lost)) await this.#send();
    this.#cancelSoon?.();
  }

  /** Stores nothing more, and ends every wait for it, also for an append that will never be answered. */
  fence(reason: Interrupted): void {
    if (this.#lost) return;
    this.#lost = reason;
    this.#givenUp.resolve('given-up');
    this.#options.listener.lost(reason);
  }

  /**
   * Sends at the end of this turn of the event loop, unless somebody waits: a reply and the start of its
   * call, which follows at once, leave together.
   */
  #schedule(): void {
    if (this.#sending || this.#cancelSoon || this.#pending.length === 0 || this.#lost) return;
    this.#cancelSoon = soon(this.#options, () => void this.#send());
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
    if (this.#lost || (this.#pending.length === 0 && (!this.#ending || this.#isReleased))) return;
    const sent = this.#takePending();
    const isLast = this.#pending.length === 0;
    const inboxRead = this.#takeRead(this.#acknowledged + sent.length);
    // The lease is given back only with the last of the events.
    const ending = isLast && !this.#isReleased ? this.#ending : undefined;
    const sentAt = this.#options.now();
    const from = this.#acknowledged + 1;
    const expiries = sent.flatMap(({ expiry }) => expiry ?? []);
    const scheduled = sent.flatMap((one) => one.scheduled);
    const progress = sent.some(({ event }) => isResult(event));
    try {
      const answer = await this.#store(from, {
        events: sent.map(({ row }) => row),
        ...(inboxRead.length > 0 && { inboxRead }),
        ...(progress && { progress }),
        ...(expiries.length > 0 && { expiries }),
        ...(scheduled.length > 0 && { scheduled }),
        ...ending,
      });
      if (answer === 'given-up') return;
      if (answer.status !== 'appended') return this.#refused(`the append was refused as ${answer.status}`);
      this.#acknowledged += sent.length;
      this.#isReleased ||= ending !== undefined;
      const { at, inbox } = answer;
      this.#options.listener.stored(
        sent.map(({ seq, event }) => ({ seq, at, event })),
        sentAt,
      );
      this.#options.listener.inbox(inbox);
    } catch (failure) {
      this.#refused(failure instanceof Error ? failure.message : String(failure));
    }
  }

  /** The rows that the events up to this one took in: deleted before, they would be lost in a crash, and after, read twice. */
  #takeRead(until: number): number[] {
    const ids = this.#inboxRead.filter(({ seq }) => seq <= until).map(({ id }) => id);
    this.#inboxRead = this.#inboxRead.filter(({ seq }) => seq > until);
    return ids;
  }

  /** What fits into one message to the object, and at least one event. */
  #takePending(): Emitted[] {
    let size = 0;
    const end = this.#pending.findIndex(({ row }, index) => {
      size += row.body.length;
      return index > 0 && size > MAX_APPEND;
    });
    return this.#pending.splice(0, end === -1 ? this.#pending.length : end);
  }

  /** An append is idempotent: one that failed is sent again while the lease lasts. A refusal is for good. */
  async #store(from: number, change: Change): Promise<Appended | Fenced | 'given-up'> {
    const { port, epoch, after, isHeld } = this.#options;
    for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await Promise.race([port.append(epoch, from, change), this.#givenUp.promise]);
      } catch (failure) {
        if (!isHeld()) throw failure;
        const pause = Promise.withResolvers<'waited'>();
        const cancel = after(wait, () => pause.resolve('waited'));
        if ((await Promise.race([pause.promise, this.#givenUp.promise])) === 'waited') continue;
        cancel();
        return 'given-up';
      }
    }
  }

  #refused(detail: string): void {
    this.fence(new Interrupted('lost', `The session can no longer be written: ${detail}.`));
  }
}
