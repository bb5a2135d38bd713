/** The queries and actions of an index, for the routes and for code of the app. */
import type { UsageTotals } from '../../journal/reply-data.ts';
import { addUsage } from '../../journal/spending.ts';
import { isSamePerson } from '../../session/new-message.ts';
import { recordFact } from '../../session/note-fact.ts';
import { parseSessionName, toSessionName } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { createWarningEntry } from '../../tool/log.ts';
import { toOwnerKey } from '../../tool/owner-name.ts';
import type { Caller, HostedApp } from '../../worker/host.ts';
import type {
  Inbox,
  IndexedOwner,
  ListedSession,
  OwnerList,
  ReadSession,
  SessionList,
  TitledSession,
  UsageReport,
  WaitingSession,
} from '../../worker/index-views.ts';
import { SessionError } from '../../worker/problem.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import { getOwner, getSessionPath, type Target } from '../../worker/target.ts';
import { listPendingViews } from '../../worker/turn-view.ts';
import { refreshIndex } from './look.ts';
import { createAskOwners, createOwnerIndex, getIndexPlace, type IndexPlace } from './owner-index.ts';
import {
  parseOwnerCursor,
  parseSessionCursor,
  type QueryParameters,
  readLimit,
  readSessionQuery,
  readUsageQuery,
  toOwnerCursor,
  toSessionCursor,
} from './queries.ts';
import type { IndexedSession, OwnerState } from './reports.ts';
import { INDEX_MODULE, TITLE_MEMORY, UNPRINTABLE_CHARACTER } from './titles.ts';

/** An app whose index is queried. */
export interface IndexApp extends HostedApp {
  readonly place: IndexPlace;
}

export const toIndexApp = ({ host, env, base }: HostedApp): IndexApp => ({
  ...{ host, env, base },
  place: getIndexPlace(env, host.modules.uses),
});

/** The owner and the agents whose sessions are listed. */
interface SessionScope {
  readonly owner: Owner;
  readonly agent?: string | undefined;
  /** Without it, the result has no session paths. */
  readonly caller?: Caller | undefined;
  /** The reader that `unread` refers to. Defaults to the caller in a list of its own sessions. */
  readonly reader?: string | undefined;
}

/** Returns a page of sessions. @throws SessionError if a parameter is invalid. */
export async function listSessions(
  app: IndexApp,
  { owner, agent, caller, reader }: SessionScope,
  asked: QueryParameters,
): Promise<SessionList> {
  const query = readSessionQuery(asked);
  const { ask } = createOwnerIndex(app.place, owner);
  const isOwn = caller !== undefined && toOwnerKey(getOwner(caller)) === toOwnerKey(owner);
  const wanted = { ...query, agent, limit: query.limit + 1, reader: isOwn ? caller.id : reader };
  const { page, next } = toPage(await ask(async (index) => index.sessions(wanted)), query.limit);
  return { sessions: page.map((one) => toListedSession(one, isOwn ? (app.base ?? '') : undefined)), next };
}

function toPage(found: readonly IndexedSession[], limit: number) {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last && found.length > limit ? toSessionCursor(last) : null };
}

function toListedSession(found: IndexedSession, base: string | undefined): ListedSession {
  const {
    session,
    agent,
    title,
    status,
    openedAt,
    lastActivity,
    outcome,
    turns,
    turn,
    forkOf,
    usage,
    seq,
    unread,
  } = found;
  return {
    ...{ session, agent, title, status, openedAt, lastActivity },
    ...(outcome && { outcome }),
    turns,
    ...(turn !== null && { turn }),
    ...(forkOf !== null && { forkOf }),
    ...{ usage, seq },
    ...(unread !== undefined && { unread }),
    ...(base !== undefined && { url: getSessionPath({ agent, session }, base) }),
  };
}

/** The maximum number of sessions that a page reads. Each requires a few requests to its object. */
const MAX_READ_SESSIONS = 20;

/**
 * Returns a page of the questions that wait for the caller. The index lists the waiting sessions, and each
 * session lists its questions. Recently answered questions are not included.
 *
 * @throws SessionError if a parameter is invalid.
 */
export async function readInbox(app: IndexApp, caller: Caller, asked: QueryParameters): Promise<Inbox> {
  const limit = Math.min(readLimit(asked), MAX_READ_SESSIONS);
  const { ask } = createOwnerIndex(app.place, getOwner(caller));
  const after = parseSessionCursor(asked.cursor);
  const { page, next } = toPage(
    await ask(async (index) => index.sessions({ status: 'waiting', after, limit: limit + 1 })),
    limit,
  );
  const waiting = await Promise.all(page.map((one) => readWaitingSession(app, caller, one)));
  return { waiting: waiting.flatMap((one) => one ?? []), next };
}

/** Returns the questions in a session for the caller, or `undefined`. Skips an unreadable session. */
async function readWaitingSession(
  { host, env, base }: IndexApp,
  caller: Caller,
  { agent, session, title, lastActivity }: IndexedSession,
): Promise<WaitingSession | undefined> {
  if (!host.agents.has(agent)) return undefined;
  const name = toSessionName({ owner: getOwner(caller), agent, session });
  const url = getSessionPath({ agent, session }, base);
  try {
    const port = host.session(env, name);
    const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
    if (openTurn?.state !== 'waiting') return undefined;
    const events = await readTurn(port, openTurn.id);
    const isRequester = events.some(
      (event) =>
        (event.type === 'turn-started' || event.type === 'turn-steered') &&
        isSamePerson(event.principal, caller),
    );
    const pending = listPendingViews({ host, target: { path: url } }, events).filter(
      ({ by, notBy }) =>
        (by === undefined || caller.roles?.includes(by)) && !(notBy !== undefined && isRequester),
    );
    if (pending.length === 0) return undefined;
    return { session, agent, title, turn: openTurn.id, lastActivity, url, pending };
  } catch (thrown) {
    host.log({
      ...createWarningEntry('a session that waits could not be read for an inbox', thrown),
      ...parseSessionName(name),
    });
    return undefined;
  }
}

/** The maximum length of a title in characters. */
const MAX_TITLE_LENGTH = 200;

/** Returns the problem of a title, or `undefined`. */
export const findTitleProblem = (given: unknown): string | undefined =>
  given === null ||
  (typeof given === 'string' &&
    given.trim() !== '' &&
    given.length <= MAX_TITLE_LENGTH &&
    !UNPRINTABLE_CHARACTER.test(given))
    ? undefined
    : `title: must be a line of 1 to ${MAX_TITLE_LENGTH} characters, or null`;

/**
 * Stores the title of a session in its journal. The index shows it at once, or when the running turn stops.
 *
 * @throws SessionError if the session does not exist or is full.
 */
export async function setTitle(app: IndexApp, target: Target, title: string | null): Promise<TitledSession> {
  const { port, owner, session } = target;
  const agent = target.agent.name;
  const types = { names: ['turn-started'], until: Number.MAX_SAFE_INTEGER };
  const [first] = (await port.read({ from: 1, limit: 1, types }))?.rows ?? [];
  if (!first) throw createUnknownSessionError(target);
  const fact = { title };
  const at = app.host.clock.now();
  const posted = await recordFact(port, INDEX_MODULE, { turn: first.turn, memory: TITLE_MEMORY, fact, at });
  if (posted === 'session-full')
    throw new SessionError('session-full', 'This session is full, so it accepts no title.');
  if (posted !== 'posted') throw createUnknownSessionError(target);
  await refreshIndex(createOwnerIndex(app.place, owner), port, { agent, session });
  return { session, agent, title };
}

interface MarkOptions {
  readonly reader: string;
  /** The last event that the reader has seen. Defaults to the last event. */
  readonly seq?: number | undefined;
}

/**
 * Marks a session as read up to an event. A mark beyond the last event is set to the last event. A mark
 * before the current mark has no effect.
 *
 * @throws SessionError if the session does not exist.
 */
export async function markRead(
  app: IndexApp,
  target: Target,
  { reader, seq }: MarkOptions,
): Promise<ReadSession> {
  const { port, owner, session } = target;
  const key = { agent: target.agent.name, session };
  const index = createOwnerIndex(app.place, owner);
  const markSession = (isCurrent: boolean) =>
    index.ask(async (object) => object.mark({ ...key, reader, upTo: seq, isCurrent }));
  let marked = await markSession(false);
  if (!marked) {
    // A page can show events that the index has not received yet.
    await refreshIndex(index, port, key);
    marked = await markSession(true);
  }
  if (!marked) throw createUnknownSessionError(target);
  const { upTo, unread } = marked;
  return { session, agent: key.agent, seq: upTo, unread };
}

/** Returns the problem of a mark's `seq`, or `undefined`. */
export const findMarkProblem = (seq: unknown): string | undefined =>
  seq === undefined || (typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0)
    ? undefined
    : 'seq: must be the whole number of an event';

/** Returns the usage of an owner. @throws SessionError if a parameter is invalid. */
export async function readUsage(
  { place }: IndexApp,
  owner: Owner,
  asked: QueryParameters,
): Promise<UsageReport> {
  const query = readUsageQuery(asked);
  const used = await createOwnerIndex(place, owner).ask(async (index) => index.usage(query));
  const usage: UsageTotals = { inputTokens: 0, outputTokens: 0 };
  for (const one of used) addUsage(usage, one.usage);
  return {
    owner: toOwnerKey(owner),
    by: query.by,
    usage: used.map(({ of, ...more }) => ({ of: of || null, ...more })),
    total: { turns: used.reduce((sum, { turns }) => sum + turns, 0), usage },
  };
}

export async function readIndexedOwner({ place }: IndexApp, owner: Owner): Promise<IndexedOwner> {
  const standing = await createOwnerIndex(place, owner).ask(async (index) => index.standing());
  return toIndexedOwner(owner, standing);
}

export async function eraseOwner({ place }: IndexApp, owner: Owner): Promise<IndexedOwner> {
  const { ask, ...of } = createOwnerIndex(place, owner);
  return toIndexedOwner(owner, await ask(async (index) => index.erase(of)));
}

function toIndexedOwner(owner: Owner, { sessions, erasure }: OwnerState): IndexedOwner {
  if (!erasure) return { owner: toOwnerKey(owner), sessions };
  const { at, ...more } = erasure;
  return { owner: toOwnerKey(owner), sessions, erasure: { ...more, ...(at !== undefined && { at }) } };
}

/** Returns a page of all owners. @throws SessionError if a parameter is invalid. */
export async function listOwners({ place }: IndexApp, asked: QueryParameters): Promise<OwnerList> {
  const limit = readLimit(asked);
  const after = parseOwnerCursor(asked.cursor);
  const found = await createAskOwners(place)(async (index) => index.owners(after, limit + 1));
  const owners = found.slice(0, limit);
  const last = owners.at(-1);
  return { owners, next: last !== undefined && found.length > limit ? toOwnerCursor(last) : null };
}

/** The result of checking one page with `reindex`. */
export interface ReindexPage {
  /** The number of sessions that were checked. */
  readonly looked: number;
  /** The `cursor` for the next page, or `null` after the last page. */
  readonly next: string | null;
}

/** Refreshes one page of the owner's sessions in the index. @throws the errors of `refreshIndex`. */
export async function reindexOwner(
  app: IndexApp,
  owner: Owner,
  asked: QueryParameters,
): Promise<ReindexPage> {
  const limit = readLimit(asked);
  const index = createOwnerIndex(app.place, owner);
  const after = parseSessionCursor(asked.cursor);
  const { ask: _, ...of } = index;
  if (!after && of.copy !== undefined) await index.ask(async (object) => object.copyAgain(of));
  const { page, next } = toPage(
    await index.ask(async (object) => object.sessions({ after, limit: limit + 1 })),
    limit,
  );
  for (const { agent, session } of page)
    await refreshIndex(index, app.host.session(app.env, toSessionName({ owner, agent, session })), {
      agent,
      session,
    });
  return { looked: page.length, next };
}
