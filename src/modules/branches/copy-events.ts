/** Copies the events of a session into its fork, under a lease that this invocation holds. */
import type { KeptBlob } from '../../journal/blob.ts';
import {
  closeOpenCalls,
  findKnownResult,
  findOpenCall,
  findPendingWait,
  mayHaveHappened,
} from '../../journal/conversation.ts';
import type { EventPage, NewRow, Row } from '../../journal/event-page.ts';
import { parseEvent, toRow } from '../../journal/event-rows.ts';
import type { EventOf, SessionEvent, StoredEvent } from '../../journal/events.ts';
import { reduce } from '../../journal/reduce.ts';
import type { LeaseGrant, SessionPort } from '../../journal/session-port.ts';
import { createEmptyState, type SessionState, type TurnState } from '../../journal/state.ts';
import { MAX_PAGE_BYTES, readPages, TooLongError } from '../../session/fold-session.ts';
import { parseSessionName, parseSessionParts, toSessionName } from '../../session/read-secrets.ts';
import { type ContentPart, isFile, isStoredFile, type StoredFile } from '../../tool/content.ts';
import { createFailureResult, listResultParts } from '../../tool/tool-result.ts';
import type { ForkCopier } from '../../worker/host.ts';
import { FORK_MESSAGE_PREFIX } from './cut-off.ts';
import { noteBranch } from './noted.ts';

type App = Parameters<ForkCopier>[0];

/** The maximum size of one append, in bytes. A copy of a long session is stored in several appends. */
const APPEND_BYTES = 4 * 1024 * 1024;

/**
 * Copies the missing events into a leased fork, closes the calls that are open at its last event, and
 * releases the lease. A fork whose events differ from its source ends as failed. A fork is erased if its
 * source was erased during the copy. Resolves with `true`, even if the lease is lost.
 *
 * @throws NewerEventError if a newer version of this code wrote to the source.
 * @throws TooLongError if this invocation cannot read the whole source.
 */
export async function copyOn(app: App, leased: LeaseGrant): Promise<true> {
  const copy = new Copy(app, leased);
  await copy.run();
  return true;
}

class Copy {
  readonly #app: App;
  readonly #leased: LeaseGrant;
  readonly #forked: EventOf<'session-forked'>;
  readonly #name: string;
  readonly #sourceName: string;
  readonly #port: SessionPort;
  readonly #source: SessionPort;
  readonly #state: SessionState = createEmptyState();
  /** Rows that are not stored yet. Their files are in `#blobs`. */
  #rows: NewRow[] = [];
  #blobs: KeptBlob[] = [];
  #bytes = 0;
  /** The sequence number of the last stored event. */
  #head: number;
  readonly #copied = new Set<string>();
  #heard: number;

  constructor(app: App, leased: LeaseGrant) {
    this.#app = app;
    this.#leased = leased;
    const { host, env } = app;
    const [first] = leased.page.rows;
    const forked = first && parseEvent(first);
    if (forked?.type !== 'session-forked') throw new Error('The session is not a fork.');
    this.#forked = forked;
    this.#name = leased.name;
    this.#sourceName = toSessionName({ ...parseSessionName(leased.name), session: forked.from });
    this.#port = host.session(env, this.#name);
    this.#source = host.session(env, this.#sourceName);
    this.#head = leased.page.head;
    this.#heard = host.clock.now();
  }

  async run(): Promise<void> {
    const { upTo: at, fromIncarnation } = this.#forked;
    const first = await this.#source.read({ from: 1, maxBytes: MAX_PAGE_BYTES });
    if (first?.incarnation !== fromIncarnation) return this.#erase();
    if (!this.#isOfSource(first)) return this.#fail();
    reduce(this.#state, { ...this.#forked, seq: 1 }, this.#app.host.modules.memories);
    const pages = readPages(this.#source, first, { keep: () => this.#keep() });
    for await (const { rows, incarnation } of pages) {
      if (incarnation !== fromIncarnation) return this.#erase();
      for (const { seq, at: _, ...row } of rows) {
        if (seq === 1 || seq > at) continue;
        const event = parseEvent({ ...row, seq, at: 0 });
        reduce(this.#state, event, this.#app.host.modules.memories);
        // The second row was stored when the fork was opened, without its files.
        if (seq === 2 || seq > this.#head) await this.#addFiles(event);
        if (seq > this.#head && !(await this.#add(row))) return;
      }
      if ((rows.at(-1)?.seq ?? at) >= at) break;
    }
    if (this.#state.seq < at) return this.#erase();
    await this.#note(first);
    await this.#end();
  }

  /**
   * Returns `false` if another invocation ended the fork's turn without copying. Later events are not copies.
   */
  #isOfSource({ rows }: EventPage): boolean {
    const { upTo: at, incarnation } = this.#forked;
    const { openTurn, rows: own } = this.#leased.page;
    return openTurn?.id === incarnation && (at === 1 || own[1]?.body === rows[1]?.body);
  }

  /** Adds a row to the next append. Returns `false` if the lease is lost. */
  async #add(row: NewRow): Promise<boolean> {
    this.#rows.push(row);
    this.#bytes += 2 * row.body.length;
    return this.#bytes < APPEND_BYTES || this.#store();
  }

  /** Adds the files that an event refers to, to the next append. */
  async #addFiles(event: StoredEvent): Promise<void> {
    for (const { id } of listStoredFiles(event)) {
      if (this.#copied.has(id)) continue;
      this.#copied.add(id);
      const blob = await this.#blobOf(id);
      if (!blob) continue;
      this.#blobs.push(blob);
      this.#bytes += blob.size;
    }
  }

  /**
   * Reads a file of the source from its Durable Object or its store. Returns `undefined` if the file is gone.
   * The fork then refers to a missing file, as the source does.
   */
  async #blobOf(id: string): Promise<KeptBlob | undefined> {
    const page = await this.#source.blob({ id });
    if (!page) return undefined;
    const { about, size, bytes } = page;
    const whole = new Uint8Array(size);
    const file = bytes
      ? undefined
      : await this.#app.host.files?.find(this.#filesAt(this.#sourceName), { id, ahead: 1 });
    if (!bytes && !file) return undefined;
    for (let from = 0; from < size; ) {
      await this.#keep();
      const part = file ? await file.read(from, size - from) : (await this.#source.blob({ id, from }))?.bytes;
      if (!part || part.byteLength === 0) return undefined;
      whole.set(part, from);
      from += part.byteLength;
    }
    return { id, about, size, bytes: whole };
  }

  #filesAt(name: string) {
    const { host, env } = this.#app;
    return { host, env, target: { name, port: host.session(env, name) } };
  }

  /** Stores the collected rows with their files. Returns `false` if the lease is lost. */
  async #store(release?: 'ended'): Promise<boolean> {
    const append = async (blobs: readonly KeptBlob[]): Promise<boolean> => {
      const answer = await this.#port.append(this.#leased.epoch, this.#head + 1, {
        events: this.#rows,
        progress: true,
        ...(blobs.length > 0 && { blobs }),
        ...(release && { release }),
      });
      if (answer.status === 'session-full') await this.#port.erase();
      return answer.status === 'appended';
    };
    const { files } = this.#app.host;
    let isStored = false;
    if (files && this.#blobs.length > 0) {
      const turn = this.#leased.page.openTurn?.id ?? '';
      const [opening, started] = this.#leased.page.rows as readonly [Row, Row]; // a fork begins with two events
      const start = { turn, opening, started, blobs: this.#blobs };
      await files.take(this.#filesAt(this.#name), start, async (placed) => {
        isStored = await append(placed.blobs ?? []);
        return { answer: { status: 'accepted', turn } };
      });
    } else isStored = await append(this.#blobs);
    this.#head += this.#rows.length;
    this.#rows = [];
    this.#blobs = [];
    this.#bytes = 0;
    this.#heard = this.#app.host.clock.now();
    return isStored;
  }

  /** Records the fork in its source before the fork accepts messages. */
  async #note({ rows }: EventPage): Promise<void> {
    const turn = rows.find(({ type }) => type === 'turn-started')?.turn;
    if (turn === undefined) return;
    const { session } = parseSessionParts(this.#name);
    const { upTo: at, by, fromIncarnation: of } = this.#forked;
    const branch = { session, at, of, ...(by !== undefined && { by }) };
    await noteBranch(this.#source, { branch, turn, at: this.#app.host.clock.now() });
  }

  /** Stores the last events with those that close open calls, and releases the lease, in one append. */
  async #end(): Promise<void> {
    const { turn } = this.#state;
    const { told, principal } = this.#forked;
    const id = turn?.id ?? this.#leased.page.openTurn?.id ?? '';
    const isOpen = turn !== undefined && turn.outcome === undefined;
    const ends: readonly SessionEvent[] = [
      ...(isOpen ? closeCallsAtCut(turn) : []),
      ...(told === undefined
        ? []
        : [
            {
              type: 'turn-steered',
              turn: id,
              as: FORK_MESSAGE_PREFIX + this.#forked.incarnation,
              message: told,
              principal,
            } as const,
          ]),
      ...(isOpen ? [{ type: 'turn-ended', turn: id, outcome: 'cancelled' } as const] : []),
    ];
    this.#rows.push(...ends.map(toRow));
    await this.#store('ended');
  }

  /**
   * Renews the lease if nothing was stored for a while. @throws TooLongError if the invocation is out of
   * requests.
   */
  async #keep(): Promise<void> {
    const { meter, clock } = this.#app.host;
    if (meter.outOfRequests) throw new TooLongError(meter.outOfRequests, meter.isFresh);
    if (clock.now() - this.#heard < this.#leased.leaseMs / 3) return;
    await this.#port.renew(this.#leased.epoch);
    this.#heard = clock.now();
  }

  async #erase(): Promise<void> {
    await this.#port.erase();
  }

  async #fail(): Promise<void> {
    const turn = this.#leased.page.openTurn?.id ?? '';
    const error = { type: 'misconfigured', message: INCOMPLETE_FORK_MESSAGE } as const;
    this.#rows = [toRow({ type: 'turn-ended', turn, outcome: 'failed', error })];
    await this.#store('ended');
  }
}

const INCOMPLETE_FORK_MESSAGE = 'This fork ended before it had all events. Erase it, and fork again.';

/** Returns the end events for the calls that are open at the cut. */
export const closeCallsAtCut = (turn: TurnState): readonly EventOf<'tool-call-ended'>[] =>
  closeOpenCalls(turn, 'failed').map((end) => {
    const call = findOpenCall(turn, end.call)?.call;
    // The call's work before the question can already have had an effect.
    if (!call || !findPendingWait(call) || mayHaveHappened(call) || findKnownResult(call)) return end;
    const words = `This call of '${call.name}' was declined and did not run. Reason: branched`;
    return { ...end, result: createFailureResult('declined', words) };
  });

/** Returns the stored files that an event refers to. */
const listStoredFiles = (event: StoredEvent): readonly StoredFile[] =>
  getParts(event).filter(isFile).filter(isStoredFile);

function getParts(event: StoredEvent): readonly ContentPart[] {
  switch (event.type) {
    case 'turn-started':
    case 'turn-steered':
      return event.parts ?? [];
    case 'tool-call-ended':
    case 'late-result-received':
      return listResultParts(event.result);
    case 'tool-call-answered':
      return event.answer.type === 'result' ? listResultParts(event.answer.result) : [];
    default:
      return [];
  }
}
