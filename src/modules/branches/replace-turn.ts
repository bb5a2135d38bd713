/**
 * Forks chats for surfaces: a page can regenerate an answer or edit a message, and still use the id of the
 * chat.
 */
import { parseEvent } from '../../journal/event-rows.ts';
import type { EventOf } from '../../journal/events.ts';
import { MAX_PAGE_BYTES, readPages } from '../../session/fold-session.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import type { Session } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { createTarget, type SessionAccess } from '../../worker/target.ts';
import { forkSession } from './fork-session.ts';
import { type Branch, MODULE_NAME } from './noted.ts';

/** A message from a page that replaces an earlier turn. */
export interface ReplacementRequest {
  /** The surface. A surface follows only its own forks. */
  readonly by: string;
  /** The session that the page names, if it differs from the chat's. */
  readonly branch: string | undefined;
  /** The turn, if the page knows it. */
  readonly turn: string | undefined;
  /** The answers before the message, last first. `isTurn` is `true` if the id is known to be a turn id. */
  readonly before: readonly { readonly id: string; readonly isTurn: boolean }[];
  /** The content of the request. The same content returns the same fork. */
  readonly said: unknown;
  /** `false` if the same request creates another fork once the fork has its answer. */
  readonly isOnce: boolean;
}

/** The place where a turn can be replaced. */
export interface ReplacementPoint {
  readonly session: string;
  /** `true` if the turn is the session's last one. */
  readonly isLast: boolean;
  /**
   * Returns the fork of an earlier request for the same content, or creates one before the turn. @throws
   * SessionError as `fork` does.
   */
  fork(): Promise<string>;
}

/**
 * Returns the last fork that a surface has made of a session or of its forks. Returns the session itself if
 * it has no fork.
 */
export const findLastFork = (chat: Session, by: string): Promise<string> =>
  runInSession(chat, async (at) => (await followForks(at, by)).at.target.session);

/** Returns the last session that has a turn, among a chat and the forks that a surface has made of it. */
export const findForkWithTurn = (chat: Session, by: string, turn: string): Promise<string | undefined> =>
  runInSession(chat, async (at) => {
    const { passed } = await followForks(at, by);
    return passed.findLast(({ starts }) => starts.some((one) => one.turn === turn))?.at.target.session;
  });

/**
 * Finds the turn that a page's message replaces. Returns `undefined` if the chat has no turn at that place,
 * and `unknown` if the page shows messages that are no longer in the chat.
 */
export const findReplacementPoint = (
  chat: Session,
  { branch, ...asked }: ReplacementRequest,
): Promise<ReplacementPoint | 'unknown' | undefined> =>
  runInSession(chat, async (at) => {
    const places = branch === undefined ? [at] : [toForkAccess(at, branch), at];
    for (const place of places) {
      const { passed } = await followForks(place, asked.by);
      const last = passed.at(-1);
      const now = asked.turn === undefined ? undefined : await findReplacingTurn(asked.turn, passed);
      const found = last ? await findReplacement(last, at.target.session, { ...asked, now }) : undefined;
      if (found !== 'unknown') return found;
    }
    return 'unknown';
  });

/**
 * Returns the turn that replaced a turn. A page that edits a message twice still sends the id of the turn
 * that it loaded.
 */
async function findReplacingTurn(turn: string, passed: readonly ChatSession[]): Promise<string> {
  let now = turn;
  for (const { at, own } of passed)
    if (own && at.target.session.endsWith(`.${await hashShort(now)}`)) now = own.turn;
  return now;
}

interface ReplacementSearch extends Omit<ReplacementRequest, 'branch' | 'turn'> {
  readonly turn: string | undefined;
  /** The turn that has replaced `turn`. */
  readonly now: string | undefined;
}

async function findReplacement(
  place: ChatSession,
  chat: string,
  { by, turn, now, before, said, isOnce }: ReplacementSearch,
): Promise<ReplacementPoint | 'unknown' | undefined> {
  const { at, starts, own, isOpen } = place;
  const { session } = at.target;
  const mark = await toContentMark(said);
  const named = now === undefined ? findStartAfter(starts, before) : starts.find((one) => one.turn === now);
  const cut = named && named !== 'unknown' ? getOriginalTurn(starts, named) : named;
  const isOwn = cut === own && (turn === undefined ? isOnce || isOpen : now !== turn);
  const isSame = isOwn || (turn !== undefined && cut === undefined);
  if (isSame && session.includes(mark)) return { session, isLast: false, fork: async () => session };
  if (cut === 'unknown' || (cut === undefined && turn !== undefined)) return 'unknown';
  if (!cut) return undefined;
  return {
    session,
    isLast: starts.findLast(({ retries }) => retries === undefined) === cut,
    async fork() {
      const name = await toForkName(chat, mark, cut.turn);
      return (await forkSession(at, { at: cut.seq - 1, name }, by)).session;
    },
  };
}

/** The maximum length of the chat's id in the name of a fork. Two hashes follow it. */
const MAX_CHAT_ID_LENGTH = 90;

/** Returns the hash that identifies a request's content in a fork's name. */
export const toContentMark = async (said: unknown): Promise<string> => `.${await hashShort(said)}.`;

/** Returns the name of the chat's fork in which this content replaces a turn. */
export const toForkName = async (chat: string, mark: string, turn: string): Promise<string> =>
  chat.slice(0, MAX_CHAT_ID_LENGTH) + mark + (await hashShort(turn));

const hashShort = async (of: unknown): Promise<string> =>
  (await computeSha256Hex(JSON.stringify(of))).slice(0, 16);

/** Returns the turn after the last one that the page shows before its message. */
function findStartAfter(
  starts: readonly TurnStart[],
  before: ReplacementRequest['before'],
): TurnStart | 'unknown' | undefined {
  let from = 0;
  for (const { id, isTurn } of before) {
    from = starts.findIndex(({ turn }) => turn === id) + 1;
    if (from > 0) break;
    if (isTurn) return 'unknown';
  }
  return starts.slice(from).find(({ retries }) => retries === undefined);
}

/** Returns the original turn of a chain of retries. */
function getOriginalTurn(starts: readonly TurnStart[], one: TurnStart): TurnStart {
  const { retries } = one;
  const before = retries === undefined ? undefined : starts.find(({ turn }) => turn === retries);
  return before ? getOriginalTurn(starts, before) : one;
}

type TurnStart = EventOf<'turn-started'> & { readonly seq: number };

/** A session of a chat, with the data that its forks need. */
interface ChatSession {
  readonly at: SessionAccess;
  readonly starts: readonly TurnStart[];
  /** The session's first turn that is not copied. */
  readonly own: TurnStart | undefined;
  /** `true` if the session has an open turn. */
  readonly isOpen: boolean;
  readonly forks: readonly Branch[];
}

/**
 * Follows the forks of a session to the last one. `passed` holds the session and its forks, without erased
 * ones.
 */
async function followForks(
  at: SessionAccess,
  by: string,
): Promise<{ at: SessionAccess; passed: ChatSession[] }> {
  const passed: ChatSession[] = [];
  let next = await readChatSession(at, by);
  while (next) {
    passed.push(next);
    const { forks } = next;
    next = undefined;
    for (const { session } of forks.toReversed()) {
      const fork = await readChatSession(toForkAccess(at, session), by);
      // If no turn has started in the fork, for example because its message was refused, the chat stays in
      // the earlier session.
      if (fork?.own) {
        next = fork;
        break;
      }
    }
  }
  return { at: passed.at(-1)?.at ?? at, passed };
}

/** Returns access to another session of the same agent and caller. */
function toForkAccess(at: SessionAccess, session: string): SessionAccess {
  const { agent, caller, owner } = at.target;
  return { ...at, target: createTarget(at, caller, { agent: agent.name, session, owner }) };
}

/** Reads the data of a session that its forks need. Returns `undefined` if the session does not exist. */
async function readChatSession(at: SessionAccess, by: string): Promise<ChatSession | undefined> {
  const { port } = at.target;
  const types = { names: READ_EVENT_TYPES, until: Number.MAX_SAFE_INTEGER };
  const first = await port.read({ from: 1, types, maxBytes: MAX_PAGE_BYTES });
  if (!first) return undefined;
  const starts: TurnStart[] = [];
  const forks: Branch[] = [];
  let upTo = 0;
  for await (const { rows } of readPages(port, first, { types }))
    for (const row of rows) {
      const event = parseEvent(row);
      if (event.type === 'turn-started') starts.push(event);
      if (event.type === 'session-forked') upTo = event.upTo;
      if (event.type !== 'module-event' || event.module !== MODULE_NAME) continue;
      forks.push(...event.facts.map(({ fact }) => fact as Branch)); // only this module writes these facts
    }
  const own = starts.find(({ seq }) => seq > upTo);
  // A fork also has its source's records.
  const ours = forks.filter((fork) => fork.of === first.incarnation && fork.by === by);
  return { at, starts, own, isOpen: first.openTurn !== null, forks: ours };
}

const READ_EVENT_TYPES = ['turn-started', 'session-forked', 'module-event'];
