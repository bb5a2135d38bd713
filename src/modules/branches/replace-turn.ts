/** Forks of a chat: its page gives one of its messages another answer, or other words, and keeps the id of the chat. For surfaces. */
import { parseEvent } from '../../journal/event-rows.ts';
import type { EventOf } from '../../journal/events.ts';
import { PAGE_BYTES, pagesFrom } from '../../session/fold-session.ts';
import { sha256Hex } from '../../tool/async.ts';
import type { Session } from '../../worker/session.ts';
import { inSession } from '../../worker/session-from-code.ts';
import { type SessionAccess, targetOf } from '../../worker/target.ts';
import { forkSession } from './fork-session.ts';
import { type Branch, NAME } from './noted.ts';

/** A message of a page that replaces an earlier turn. */
export interface Replacing {
  /** The surface, which follows no forks but its own. */
  readonly by: string;
  /** The session that the page names, if it is another than that of its chat. */
  readonly branch: string | undefined;
  /** The turn, if the page knows it. */
  readonly turn: string | undefined;
  /** What was answered before it, the last first. `isTurn`: the id is certainly that of a turn. */
  readonly before: readonly { readonly id: string; readonly isTurn: boolean }[];
  /** What the page asks for: the same again is the same fork. */
  readonly said: unknown;
  /** `false`: asked for again after the fork has its answer, it is another fork. */
  readonly isOnce: boolean;
}

/** Where a turn can be replaced. */
export interface Replaced {
  /** The last fork of the chat. */
  readonly session: string;
  /** `true` if the turn is the last one of it. */
  readonly isLast: boolean;
  /** The fork that an earlier request has made for the same, or makes one before the turn. @throws SessionError as `fork` does. */
  fork(): Promise<string>;
}

/** Returns the last fork that a surface has made of a session, or of a fork of it: the session itself if there is none. */
export const lastFork = (chat: Session, by: string): Promise<string> =>
  inSession(chat, async (at) => (await lastOf(at, by)).at.target.session);

/** Returns the last session, of a chat and the forks that a surface has made of it, that has a turn. */
export const forkWith = (chat: Session, by: string, turn: string): Promise<string | undefined> =>
  inSession(chat, async (at) => {
    const { passed } = await lastOf(at, by);
    return passed.findLast(({ starts }) => starts.some((one) => one.turn === turn))?.at.target.session;
  });

/**
 * Finds the turn that a message of a page replaces. `undefined`: nothing was said where the message is to be, and `unknown` that the page
 * shows what the chat does not have any more.
 */
export const findReplaced = (
  chat: Session,
  { branch, ...asked }: Replacing,
): Promise<Replaced | 'unknown' | undefined> =>
  inSession(chat, async (at) => {
    const places = branch === undefined ? [at] : [inFork(at, branch), at];
    for (const place of places) {
      const { passed } = await lastOf(place, asked.by);
      const last = passed.at(-1);
      const now = asked.turn === undefined ? undefined : await insteadOf(asked.turn, passed);
      const found = last ? await replacedIn(last, at.target.session, { ...asked, now }) : undefined;
      if (found !== 'unknown') return found;
    }
    return 'unknown';
  });

/** Returns the turn that stands in the place of one: a page that edits a message again names the turn that it has been loaded with. */
async function insteadOf(turn: string, passed: readonly Place[]): Promise<string> {
  let now = turn;
  for (const { at, own } of passed)
    if (own && at.target.session.endsWith(`.${await shortHash(now)}`)) now = own.turn;
  return now;
}

interface ReplacingIn extends Omit<Replacing, 'branch' | 'turn'> {
  readonly turn: string | undefined;
  /** The turn that stands in its place now. */
  readonly now: string | undefined;
}

async function replacedIn(
  place: Place,
  chat: string,
  { by, turn, now, before, said, isOnce }: ReplacingIn,
): Promise<Replaced | 'unknown' | undefined> {
  const { at, starts, own, isOpen } = place;
  const { session } = at.target;
  const mark = await markOf(said);
  const named = now === undefined ? startBehind(starts, before) : starts.find((one) => one.turn === now);
  const cut = named && named !== 'unknown' ? firstOf(starts, named) : named;
  const isOwn = cut === own && (turn === undefined ? isOnce || isOpen : now !== turn);
  const isSame = isOwn || (turn !== undefined && cut === undefined);
  if (isSame && session.includes(mark)) return { session, isLast: false, fork: async () => session };
  if (cut === 'unknown' || (cut === undefined && turn !== undefined)) return 'unknown';
  if (!cut) return undefined;
  return {
    session,
    isLast: starts.findLast(({ retries }) => retries === undefined) === cut,
    async fork() {
      const name = await nameInstead(chat, mark, cut.turn);
      return (await forkSession(at, { at: cut.seq - 1, name }, by)).session;
    },
  };
}

/** The most of a chat's id in the name of a fork, which has two hashes behind it. */
const MOST_OF_CHAT = 90;

/** Returns the mark of what is said, in the name of a fork. */
export const markOf = async (said: unknown): Promise<string> => `.${await shortHash(said)}.`;

/** Returns the name of the fork of a chat in which something else is said in the place of a turn. */
export const nameInstead = async (chat: string, mark: string, turn: string): Promise<string> =>
  chat.slice(0, MOST_OF_CHAT) + mark + (await shortHash(turn));

const shortHash = async (of: unknown): Promise<string> => (await sha256Hex(JSON.stringify(of))).slice(0, 16);

/** The turn behind the last one that the page shows before its message. */
function startBehind(starts: readonly Start[], before: Replacing['before']): Start | 'unknown' | undefined {
  let from = 0;
  for (const { id, isTurn } of before) {
    from = starts.findIndex(({ turn }) => turn === id) + 1;
    if (from > 0) break;
    if (isTurn) return 'unknown';
  }
  return starts.slice(from).find(({ retries }) => retries === undefined);
}

/** The turn whose message a retry has tried again. */
function firstOf(starts: readonly Start[], one: Start): Start {
  const { retries } = one;
  const before = retries === undefined ? undefined : starts.find(({ turn }) => turn === retries);
  return before ? firstOf(starts, before) : one;
}

type Start = EventOf<'turn-started'> & { readonly seq: number };

/** A session of a chat, as far as its forks are concerned. */
interface Place {
  readonly at: SessionAccess;
  readonly starts: readonly Start[];
  /** Its first turn that is not copied. */
  readonly own: Start | undefined;
  /** A turn is open in it. */
  readonly isOpen: boolean;
  /** Its forks, the oldest first. */
  readonly forks: readonly Branch[];
}

/** Follows the forks of a session to the last one. `passed`: the session and its forks, without those that were erased. */
async function lastOf(at: SessionAccess, by: string): Promise<{ at: SessionAccess; passed: Place[] }> {
  const passed: Place[] = [];
  let next = await placeOf(at, by);
  while (next) {
    passed.push(next);
    const { forks } = next;
    next = undefined;
    for (const { session } of forks.toReversed()) {
      const fork = await placeOf(inFork(at, session), by);
      // Until a turn has begun in it, as if its message was refused, the chat is where it was.
      if (fork?.own) {
        next = fork;
        break;
      }
    }
  }
  return { at: passed.at(-1)?.at ?? at, passed };
}

/** Another session of the same agent and the same caller. */
function inFork(at: SessionAccess, session: string): SessionAccess {
  const { agent, caller, owner } = at.target;
  return { ...at, target: targetOf(at, caller, { agent: agent.name, session, owner }) };
}

/** Reads of a session what matters for its forks. `undefined`: there is none. */
async function placeOf(at: SessionAccess, by: string): Promise<Place | undefined> {
  const { port } = at.target;
  const types = { names: READ, until: Number.MAX_SAFE_INTEGER };
  const first = await port.read({ from: 1, types, maxBytes: PAGE_BYTES });
  if (!first) return undefined;
  const starts: Start[] = [];
  const forks: Branch[] = [];
  let upTo = 0;
  for await (const { rows } of pagesFrom(port, first, { types }))
    for (const row of rows) {
      const event = parseEvent(row);
      if (event.type === 'turn-started') starts.push(event);
      if (event.type === 'session-forked') upTo = event.upTo;
      if (event.type !== 'module-event' || event.module !== NAME) continue;
      forks.push(...event.facts.map(({ fact }) => fact as Branch)); // this module alone has written it
    }
  const own = starts.find(({ seq }) => seq > upTo);
  // A fork has the notes of its source too.
  const ours = forks.filter((fork) => fork.of === first.incarnation && fork.by === by);
  return { at, starts, own, isOpen: first.openTurn !== null, forks: ours };
}

const READ = ['turn-started', 'session-forked', 'module-event'];
