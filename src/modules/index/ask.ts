/** What an index answers: for the routes, and for code of the app. */
import type { Totals } from '../../journal/reply-data.ts';
import { addUsage } from '../../journal/spending.ts';
import { isSamePerson } from '../../session/new-message.ts';
import { noteFact } from '../../session/note-fact.ts';
import { addressOfSession, toSessionName } from '../../session/read-secrets.ts';
import { readTurn } from '../../session/read-session.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { warning } from '../../tool/log.ts';
import { keyOfOwner } from '../../tool/owner-name.ts';
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
import { unknownSession } from '../../worker/session-view.ts';
import { ownerOf, sessionPath, type Target } from '../../worker/target.ts';
import { pendingViews } from '../../worker/turn-view.ts';
import { look } from './look.ts';
import { type IndexPlace, indexOfOwner, indexPlaceIn, ownersIn } from './owner-index.ts';
import {
  type Asked,
  cursorOf,
  limitOf,
  ownerBehind,
  ownersCursorOf,
  placeOf,
  readSessionQuery,
  readUsageQuery,
} from './queries.ts';
import type { IndexedSession, OwnerStanding } from './reports.ts';
import { INDEX_MODULE, NO_TITLE, TITLE_MEMORY } from './titles.ts';

/** An app, whose index is asked. */
export interface AskingApp extends HostedApp {
  readonly place: IndexPlace;
}

export const askingApp = ({ host, env, base }: HostedApp): AskingApp => ({
  ...{ host, env, base },
  place: indexPlaceIn(env, host.modules.uses),
});

/** Whose sessions are listed, and of which agent. */
interface Listing {
  readonly owner: Owner;
  readonly agent?: string | undefined;
  /** Absent: their paths are not shown. */
  readonly caller?: Caller | undefined;
  /** Who reads the list, for `unread`. Defaults to the caller in a list of its own. */
  readonly reader?: string | undefined;
}

/** Returns a page of sessions. @throws SessionError if it is asked for with something else. */
export async function listSessions(
  app: AskingApp,
  { owner, agent, caller, reader }: Listing,
  asked: Asked,
): Promise<SessionList> {
  const query = readSessionQuery(asked);
  const { ask } = indexOfOwner(app.place, owner);
  const isOwn = caller !== undefined && keyOfOwner(ownerOf(caller)) === keyOfOwner(owner);
  const wanted = { ...query, agent, limit: query.limit + 1, reader: isOwn ? caller.id : reader };
  const { page, next } = paged(await ask(async (index) => index.sessions(wanted)), query.limit);
  return { sessions: page.map((one) => toListed(one, isOwn ? (app.base ?? '') : undefined)), next };
}

function paged(found: readonly IndexedSession[], limit: number) {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last && found.length > limit ? cursorOf(last) : null };
}

function toListed(found: IndexedSession, base: string | undefined): ListedSession {
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
    ...(base !== undefined && { url: sessionPath({ agent, session }, base) }),
  };
}

/** How many sessions of a page are looked into: each takes a few messages to its object. */
const MOST_INSIDE = 20;

/**
 * Returns a page of what waits for the caller. The index says which sessions wait, and each says for what: what was answered a moment ago
 * is not among it.
 *
 * @throws SessionError if it is asked for with something else.
 */
export async function readInbox(app: AskingApp, caller: Caller, asked: Asked): Promise<Inbox> {
  const limit = Math.min(limitOf(asked), MOST_INSIDE);
  const { ask } = indexOfOwner(app.place, ownerOf(caller));
  const after = placeOf(asked.cursor);
  const { page, next } = paged(
    await ask(async (index) => index.sessions({ status: 'waiting', after, limit: limit + 1 })),
    limit,
  );
  const waiting = await Promise.all(page.map((one) => waitingFor(app, caller, one)));
  return { waiting: waiting.flatMap((one) => one ?? []), next };
}

/** Returns what in a session waits for the caller, or `undefined`. One that cannot be read hides no other. */
async function waitingFor(
  { host, env, base }: AskingApp,
  caller: Caller,
  { agent, session, title, lastActivity }: IndexedSession,
): Promise<WaitingSession | undefined> {
  if (!host.agents.has(agent)) return undefined;
  const name = toSessionName({ owner: ownerOf(caller), agent, session });
  const url = sessionPath({ agent, session }, base);
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
    const pending = pendingViews({ host, target: { path: url } }, events).filter(
      ({ by, notBy }) =>
        (by === undefined || caller.roles?.includes(by)) && !(notBy !== undefined && isRequester),
    );
    if (pending.length === 0) return undefined;
    return { session, agent, title, turn: openTurn.id, lastActivity, url, pending };
  } catch (thrown) {
    host.log({
      ...warning('a session that waits could not be read for an inbox', thrown),
      ...addressOfSession(name),
    });
    return undefined;
  }
}

/** The most characters of a title. */
const MOST_OF_TITLE = 200;

/** Returns the problem of a title, or `undefined`. */
export const titleProblem = (given: unknown): string | undefined =>
  given === null ||
  (typeof given === 'string' && given.trim() !== '' && given.length <= MOST_OF_TITLE && !NO_TITLE.test(given))
    ? undefined
    : `title: must be a line of 1 to ${MOST_OF_TITLE} characters, or null`;

/**
 * Gives a session a title, which its journal keeps: the index shows it at once, or, while a turn runs, as soon as that has stopped.
 *
 * @throws SessionError if there is no such session, or it is full.
 */
export async function setTitle(app: AskingApp, target: Target, title: string | null): Promise<TitledSession> {
  const { port, owner, session } = target;
  const agent = target.agent.name;
  const types = { names: ['turn-started'], until: Number.MAX_SAFE_INTEGER };
  const [first] = (await port.read({ from: 1, limit: 1, types }))?.rows ?? [];
  if (!first) throw unknownSession(target);
  const fact = { title };
  const at = app.host.clock.now();
  const posted = await noteFact(port, INDEX_MODULE, { turn: first.turn, memory: TITLE_MEMORY, fact, at });
  if (posted === 'session-full')
    throw new SessionError('session-full', 'This session is full, and takes no title.');
  if (posted !== 'posted') throw unknownSession(target);
  await look(indexOfOwner(app.place, owner), port, { agent, session });
  return { session, agent, title };
}

/** A mark of a reader, as it is asked for. */
interface AskedMark {
  /** The id of the reader. */
  readonly reader: string;
  /** The last event that was seen. Defaults to the last one that there is. */
  readonly seq?: number | undefined;
}

/**
 * Marks a session as read, up to an event of it: a mark beyond the last event is at the last event, and one behind an earlier mark changes nothing.
 *
 * @throws SessionError if there is no such session.
 */
export async function markRead(
  app: AskingApp,
  target: Target,
  { reader, seq }: AskedMark,
): Promise<ReadSession> {
  const { port, owner, session } = target;
  const key = { agent: target.agent.name, session };
  const index = indexOfOwner(app.place, owner);
  const mark = (isCurrent: boolean) =>
    index.ask(async (object) => object.mark({ ...key, reader, upTo: seq, isCurrent }));
  let marked = await mark(false);
  if (!marked) {
    // What a page has seen may not have been reported yet.
    await look(index, port, key);
    marked = await mark(true);
  }
  if (!marked) throw unknownSession(target);
  const { upTo, unread } = marked;
  return { session, agent: key.agent, seq: upTo, unread };
}

/** Returns the problem of the `seq` of a mark, or `undefined`. */
export const markProblem = (seq: unknown): string | undefined =>
  seq === undefined || (typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0)
    ? undefined
    : 'seq: must be the whole number of an event';

/** Returns what an owner has used. @throws SessionError if it is asked for with something else. */
export async function readUsage({ place }: AskingApp, owner: Owner, asked: Asked): Promise<UsageReport> {
  const query = readUsageQuery(asked);
  const used = await indexOfOwner(place, owner).ask(async (index) => index.usage(query));
  const usage: Totals = { inputTokens: 0, outputTokens: 0 };
  for (const one of used) addUsage(usage, one.usage);
  return {
    owner: keyOfOwner(owner),
    by: query.by,
    usage: used.map(({ of, ...more }) => ({ of: of || null, ...more })),
    total: { turns: used.reduce((sum, { turns }) => sum + turns, 0), usage },
  };
}

/** Returns how an owner stands. */
export async function readStanding({ place }: AskingApp, owner: Owner): Promise<IndexedOwner> {
  const standing = await indexOfOwner(place, owner).ask(async (index) => index.standing());
  return toIndexedOwner(owner, standing);
}

/** Has all sessions of an owner erased in the background. */
export async function eraseOwner({ place }: AskingApp, owner: Owner): Promise<IndexedOwner> {
  const { ask, ...of } = indexOfOwner(place, owner);
  return toIndexedOwner(owner, await ask(async (index) => index.erase(of)));
}

function toIndexedOwner(owner: Owner, { sessions, erasure }: OwnerStanding): IndexedOwner {
  if (!erasure) return { owner: keyOfOwner(owner), sessions };
  const { at, ...more } = erasure;
  return { owner: keyOfOwner(owner), sessions, erasure: { ...more, ...(at !== undefined && { at }) } };
}

/** Returns a page of all owners. @throws SessionError if it is asked for with something else. */
export async function listOwners({ place }: AskingApp, asked: Asked): Promise<OwnerList> {
  const limit = limitOf(asked);
  const after = ownerBehind(asked.cursor);
  const found = await ownersIn(place)(async (index) => index.owners(after, limit + 1));
  const owners = found.slice(0, limit);
  const last = owners.at(-1);
  return { owners, next: last !== undefined && found.length > limit ? ownersCursorOf(last) : null };
}

/** What a look at all sessions has looked at. */
export interface Reindexed {
  /** How many sessions were looked at. */
  readonly looked: number;
  /** The `cursor` with which it goes on, or `null` at the end. */
  readonly next: string | null;
}

/** Looks at a page of the sessions of an owner that the index knows. @throws what a look does. */
export async function reindexOwner(app: AskingApp, owner: Owner, asked: Asked): Promise<Reindexed> {
  const limit = limitOf(asked);
  const index = indexOfOwner(app.place, owner);
  const after = placeOf(asked.cursor);
  const { ask: _, ...of } = index;
  if (!after && of.copy !== undefined) await index.ask(async (object) => object.copyAgain(of));
  const { page, next } = paged(
    await index.ask(async (object) => object.sessions({ after, limit: limit + 1 })),
    limit,
  );
  for (const { agent, session } of page)
    await look(index, app.host.session(app.env, toSessionName({ owner, agent, session })), {
      agent,
      session,
    });
  return { looked: page.length, next };
}
