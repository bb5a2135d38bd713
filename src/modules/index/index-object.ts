import { DurableObject } from 'cloudflare:workers';
import type { SessionObject } from '../../../durable-objects/session-object.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import { toOwnerKey } from '../../tool/owner-name.ts';
import { COPY_BY_NAME, type CopySource, type IndexCopy } from './index-copy.ts';
import { IndexTables, type SessionToErase } from './index-tables.ts';
import {
  type IndexedSession,
  type IndexedState,
  type IndexOwner,
  type ListPosition,
  type NewMark,
  OWNER_LIST_NAME,
  type OwnerState,
  type ReadMark,
  type SessionKey,
  type SessionQuery,
  type SessionReport,
  type UsageEntry,
  type UsageQuery,
} from './reports.ts';

export interface IndexEnv {
  readonly INDEX: DurableObjectNamespace<IndexObject>;
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
}

/**
 * The number of sessions that one alarm erases. Each needs a request, and an invocation on the free plan can
 * make 50.
 */
const ERASURES_PER_ALARM = 40;

/**
 * The minimum duration of an erasure in milliseconds. Sessions that began just before it are reported within
 * a second. Sessions that are reported later are erased when the report arrives.
 */
const MIN_ERASURE_MS = 5_000;

/** Milliseconds until failed work is retried. */
const RETRY_MS = 5_000;

/** Milliseconds during which rows for a copy are collected into one batch. */
const BATCH_DELAY_MS = 1_000;

/** The maximum pause before a copy is retried, in milliseconds. */
const MAX_PAUSE_MS = 5 * 60_000;

/**
 * Milliseconds for which an erasure is remembered. Reports of sessions from before the erasure arrive within
 * this time.
 */
const ERASURE_MEMORY_MS = 7 * 24 * 60 * 60_000;

/**
 * The index of one owner's sessions. The object with the name `owners` is the list of all owners. It stores
 * the reports of Workers and does not read sessions. Its alarm erases the sessions of an owner, and adds the
 * owner to that list.
 */
export class IndexObject extends DurableObject<IndexEnv> {
  readonly #tables: IndexTables;
  /** The time at which to send rows to the copy, or `undefined` if it is not known to lack rows. */
  #copyAt: number | undefined;
  #copyFailures = 0;

  constructor(ctx: DurableObjectState, env: IndexEnv) {
    super(ctx, env);
    this.#tables = new IndexTables(ctx.storage);
  }

  known(session: SessionKey): IndexedState {
    return this.#tables.known(session);
  }

  /**
   * Stores a report. Returns `false` if the report is based on outdated data, so the caller must create a new
   * report.
   */
  async report(report: SessionReport): Promise<boolean> {
    const isTaken = this.#tables.change(() => {
      this.#tables.belongTo(report);
      const isTaken = this.#tables.report(report, Date.now());
      if (isTaken) this.#copy()?.note(this.ctx.storage, report);
      return isTaken;
    });
    await this.#schedule();
    return isTaken;
  }

  /** Sends all rows of the owner to the copy again, if there is a copy. */
  async copyAgain(owner: IndexOwner): Promise<void> {
    this.#tables.change(() => this.#tables.belongTo(owner));
    this.#copy()?.noteAll(this.ctx.storage);
    await this.#schedule();
  }

  sessions(query: SessionQuery): IndexedSession[] {
    return this.#tables.sessions(query);
  }

  /**
   * Returns a page of the sessions of these agents. Queries each agent separately, so that the database index
   * covers the query.
   */
  sessionsOf(agents: readonly string[], query: Omit<SessionQuery, 'agent'>): IndexedSession[] {
    const found = agents.flatMap((agent) => this.#tables.sessions({ ...query, agent }));
    const sign = query.oldestFirst ? -1 : 1;
    return found.toSorted((one, other) => sign * compareActivity(one, other)).slice(0, query.limit);
  }

  /** Returns the sessions with this id, at most one per agent. */
  named(agents: readonly string[], session: string): IndexedSession[] {
    return this.#tables.named(agents, session);
  }

  /** Sets a reader's mark. A repeated call has no effect. */
  mark(mark: NewMark): ReadMark | undefined {
    return this.#tables.mark(mark, Date.now());
  }

  usage(query: UsageQuery): UsageEntry[] {
    return this.#tables.usage(query);
  }

  standing(): OwnerState {
    return this.#tables.standing();
  }

  /** Marks the owner for erasure. Its sessions are erased in the background. */
  async erase(owner: IndexOwner): Promise<OwnerState> {
    this.#tables.change(() => {
      this.#tables.belongTo(owner);
      this.#tables.beginErasure(Date.now());
    });
    await this.#schedule();
    return this.#tables.standing();
  }

  isErasing(): boolean {
    return typeof this.#tables.about()?.erasing === 'number';
  }

  /** Schedules the erasure of a new session. Returns `false` if no erasure is in progress. */
  async eraseToo(session: SessionKey): Promise<boolean> {
    if (!this.isErasing()) return false;
    this.#tables.change(() => this.#tables.eraseToo(session));
    await this.#schedule();
    return true;
  }

  addOwner(owner: string): void {
    this.#tables.change(() => this.#tables.addOwner(owner));
  }

  removeOwner(owner: string): void {
    this.#tables.change(() => this.#tables.removeOwner(owner));
  }

  owners(after: string, limit: number): string[] {
    return this.#tables.owners(after, limit);
  }

  override async alarm(): Promise<void> {
    let pause = 0;
    try {
      if (!(await this.#work())) pause = RETRY_MS;
    } catch (thrown) {
      pause = RETRY_MS;
      logFailure('the index of an owner could not do all of its work, and tries again', thrown);
    }
    await this.#sendCopy();
    await this.#schedule(pause);
  }

  /**
   * Sends the rows that the copy lacks, and retries later if the store is unavailable. A failure of the copy
   * does not affect the index.
   */
  async #sendCopy(): Promise<void> {
    const now = Date.now();
    const due = this.#copyDue();
    const about = this.#tables.about();
    if (!about || due === undefined || due > now) return;
    try {
      await this.#copy()?.send(this.#source(about.owner));
      this.#copyFailures = 0;
      this.#copyAt = undefined;
    } catch (thrown) {
      this.#copyAt = Date.now() + Math.min(RETRY_MS * 2 ** this.#copyFailures, MAX_PAUSE_MS);
      this.#copyFailures += 1;
      logFailure('the copy of the index of an owner could not be written, and is tried again', thrown);
    }
  }

  /**
   * Returns the time at which to send rows to the copy, or `undefined` if it lacks no rows. Rows are not sent
   * while the owner is being erased.
   */
  #copyDue(): number | undefined {
    const copy = this.#tables.about()?.erasing === null ? this.#copy() : undefined;
    if (!copy?.isBehind(this.ctx.storage)) return undefined;
    this.#copyAt ??= Date.now() + BATCH_DELAY_MS;
    return this.#copyAt;
  }

  #copy(): IndexCopy | undefined {
    return COPY_BY_NAME.get(this.#tables.about()?.owner.copy ?? '');
  }

  #source({ owner }: IndexOwner): CopySource {
    return { owner: toOwnerKey(owner), env: this.env, storage: this.ctx.storage };
  }

  /** Does the due work. Returns `false` if a part of it failed. */
  async #work(): Promise<boolean> {
    const about = this.#tables.about();
    if (!about) return true;
    const now = Date.now();
    const left = this.#tables.left(ERASURES_PER_ALARM);
    const erased = await Promise.all(left.map((one) => this.#eraseSession(one, about.owner)));
    if (erased.includes(false)) return false;
    if (about.erasing !== null) {
      if (left.length === 0 && now >= about.erasing + MIN_ERASURE_MS) await this.#endErasure(about.owner);
      return true;
    }
    if (about.erased !== null && now >= about.erased + ERASURE_MEMORY_MS)
      await this.#forgetErasure(about.owner);
    else if (!about.isListed && this.#tables.hasSessions()) {
      await this.#owners(about.owner).addOwner(toOwnerKey(about.owner.owner));
      this.#tables.change(() => this.#tables.markListed());
    }
    return true;
  }

  async #eraseSession(left: SessionToErase, { owner, jurisdiction }: IndexOwner): Promise<boolean> {
    try {
      const { SESSIONS } = this.env;
      const objects = jurisdiction === undefined ? SESSIONS : SESSIONS.jurisdiction(jurisdiction);
      await objects.getByName(toSessionName({ owner, ...left })).erase();
    } catch {
      return false;
    }
    this.#tables.change(() => this.#tables.removeLeft(left, Date.now()));
    return true;
  }

  async #endErasure(owner: IndexOwner): Promise<void> {
    await this.#owners(owner).removeOwner(toOwnerKey(owner.owner));
    // If the app no longer has the copy, its rows cannot be removed.
    const copy = this.#copy();
    if (!copy && owner.copy !== undefined)
      throw new Error(`this Worker has no copy '${owner.copy}' of an index`);
    await copy?.erase(this.#source(owner));
    // A report may have added a session during the work.
    if (!this.#tables.hasSessions()) this.#tables.change(() => this.#tables.endErasure(Date.now()));
  }

  async #forgetErasure(owner: IndexOwner): Promise<void> {
    // The owner can have new usage even without sessions, because usage outlives them.
    const isInUse = this.#tables.isInUse();
    await this.#copy()?.forget(this.#source(owner), isInUse);
    if (isInUse) this.#tables.change(() => this.#tables.forgetErasure());
    else await this.#forgetAll();
  }

  async #forgetAll(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#tables.forget();
  }

  #owners({ jurisdiction }: IndexOwner): DurableObjectStub<IndexObject> {
    const { INDEX } = this.env;
    const objects = jurisdiction === undefined ? INDEX : INDEX.jurisdiction(jurisdiction);
    return objects.getByName(OWNER_LIST_NAME);
  }

  /** Sets the alarm for the next due work. The work of the index itself waits at least `pause` ms. */
  async #schedule(pause = 0): Promise<void> {
    const own = this.#due();
    const due = Math.min(
      own === undefined ? Infinity : Math.max(own, Date.now() + pause),
      this.#copyDue() ?? Infinity,
    );
    if (due < Infinity) await this.ctx.storage.setAlarm(due);
  }

  #due(): number | undefined {
    const about = this.#tables.about();
    if (!about) return undefined;
    const isListed = about.isListed || !this.#tables.hasSessions();
    if (this.#tables.left(1).length > 0 || (about.erasing === null && !isListed)) return 0;
    if (about.erasing !== null) return about.erasing + MIN_ERASURE_MS;
    return about.erased === null ? undefined : about.erased + ERASURE_MEMORY_MS;
  }
}

/** Sorts the latest first. Sessions of the same time keep the order of their rows. */
const compareActivity = (one: ListPosition, other: ListPosition): number =>
  other.lastActivity - one.lastActivity ||
  compareText(one.agent, other.agent) ||
  compareText(one.session, other.session);

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function logFailure(what: string, thrown: unknown): void {
  console.error(JSON.stringify({ level: 'error', event: 'other', message: `${what}: ${String(thrown)}` }));
}
