import type { EventPage, NewRow } from '../../journal/event-page.ts';
import { parseEvent, toPrincipal, toRow } from '../../journal/event-rows.ts';
import type { LeaseGrant, TurnStart } from '../../journal/session-port.ts';
import { MAX_PAGE_BYTES, readPages, toReader } from '../../session/fold-session.ts';
import { foldFromSnapshot } from '../../session/read-session.ts';
import { runTurn } from '../../session/run-turn.ts';
import { listUnknownKeyProblems } from '../../tool/json.ts';
import { describeValue } from '../../tool/shown.ts';
import { START_KEY_TTL_MS } from '../../worker/background.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import type { Fork, ForkOptions } from '../../worker/fork-views.ts';
import { SessionError } from '../../worker/problem.ts';
import type { Session } from '../../worker/session.ts';
import { runInSession } from '../../worker/session-from-code.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import { createTarget, createTurnServices, type SessionAccess, type Target } from '../../worker/target.ts';
import { CutOff, type CutOffCall } from './cut-off.ts';
import { type Branch, listBranches } from './noted.ts';

/**
 * Creates a new session with the events of this one up to `at`, and their files. It has the same agent and
 * the same owner. The original session does not change. If a turn was open at `at`, the fork cancels it:
 * calls that had started end with an unknown outcome, calls that waited for an answer are declined, and calls
 * that had not started are skipped. The same request returns the same fork.
 *
 * @throws SessionError `unknown-session` if the session does not exist, `invalid-body` if it has no event
 * `at`, `session-exists` if another session has the name, and `would-repeat-effects` if the part that is cut
 * off contains calls with effects.
 *
 * @example
 * ```ts
 * const shorten = async (chat: Session) => (await fork(chat, { at: 12 })).session;
 * ```
 */
export const fork = (session: Session, options: ForkOptions = {}): Promise<Fork> =>
  runInSession(session, (at) => forkSession(at, options));

/** Returns the forks of a session, oldest first. @throws SessionError if the session does not exist. */
export async function readForks({ host, target }: SessionAccess): Promise<readonly Branch[]> {
  const folded = await foldFromSnapshot(target.port, host.modules);
  if (!folded) throw createUnknownSessionError(target);
  return listBranches(folded.state);
}

/** Works like `fork`, for a session that is already resolved. `by` is the surface that makes the fork. */
export async function forkSession(access: SessionAccess, options: ForkOptions, by?: string): Promise<Fork> {
  checkOptions(options);
  const source = access.target;
  const first = await source.port.read({ from: 1, maxBytes: MAX_PAGE_BYTES });
  if (!first) throw createUnknownSessionError(source);
  const { name = createName(access), repeatEffects = false } = options;
  const at = resolveLastEvent(first, options.at);
  const target = createTarget(access, source.caller, {
    agent: source.agent.name,
    session: name,
    owner: source.owner,
  });
  const cut = { first, at, isNamed: options.at !== undefined, by };
  const known = await findFork(access, target, cut);
  if (known) return known;
  const { calls, told } = await readCutOff(access, first, at);
  if (calls.length > 0 && !repeatEffects) throw createRepeatedEffectsError(calls);
  return openFork(access, target, { ...cut, told: told || undefined });
}

/** @throws SessionError with all problems of the options. */
function checkOptions(options: ForkOptions): void {
  const { at, name, repeatEffects }: { readonly [key in keyof ForkOptions]: unknown } = options;
  const problems = listUnknownKeyProblems(options, OPTION_KEYS);
  if (at !== undefined && !(Number.isSafeInteger(at) && Number(at) >= 1))
    problems.push(`at: must be the sequence number of an event, from 1, but is ${describeValue(at)}`);
  if (name !== undefined && typeof name !== 'string') problems.push('name: must be text');
  if (repeatEffects !== undefined && typeof repeatEffects !== 'boolean')
    problems.push('repeatEffects: must be true or false');
  if (problems.length > 0) throw createInvalidBodyError(problems);
}

const OPTION_KEYS: Readonly<Record<keyof ForkOptions, 1>> = { at: 1, name: 1, repeatEffects: 1 };

/** The maximum length of the source's id in a generated name. */
const MAX_NAME_LENGTH = 96;

const createName = ({ host, target }: SessionAccess): string =>
  `${target.session.slice(0, MAX_NAME_LENGTH)}.${host.newId()}`;

/**
 * Returns the sequence number of the fork's last event. @throws SessionError if the session has no such
 * event, or is itself a fork whose copy is not complete.
 */
function resolveLastEvent({ head, rows }: EventPage, at = head): number {
  const [row] = rows;
  const opened = row && parseEvent(row);
  if (opened?.type === 'session-forked' && opened.upTo > head)
    throw new SessionError(
      'session-busy',
      'The session is a fork that is still being copied. Send the request again.',
      {
        retryAfter: 1,
      },
    );
  if (at <= head) return at;
  throw createInvalidBodyError([`at: the last event of the session is ${head}, but ${at} is after it`]);
}

interface Cut {
  readonly first: EventPage;
  readonly at: number;
  /** `true` if the request names the event. */
  readonly isNamed: boolean;
  readonly by?: string | undefined;
  /** A description of the cut-off part for the fork's model. */
  readonly told?: string | undefined;
}

/** Returns the fork if it already exists. @throws SessionError if another session has its name. */
async function findFork(access: SessionAccess, target: Target, cut: Cut): Promise<Fork | undefined> {
  const page = await target.port.read({ from: 1, limit: 1 });
  if (!page) return undefined;
  const [row] = page.rows;
  const opened = row && parseEvent(row);
  const isOfSource =
    opened?.type === 'session-forked' &&
    opened.from === access.target.session &&
    opened.fromIncarnation === cut.first.incarnation;
  // Without `at`, the request means the whole source, whose last event changes with each fork.
  if (!isOfSource || (cut.isNamed && opened.upTo !== cut.at)) throw createSessionExistsError(target);
  if (page.openTurn?.id === opened.incarnation) await resumeCopy(access, target, opened.incarnation);
  return toFork(access.target, target, { at: opened.upTo });
}

/** Continues the copy if the invocation that made it has stopped. */
async function resumeCopy(access: SessionAccess, target: Target, turn: string): Promise<void> {
  const { host } = access;
  const sentAt = host.clock.now();
  const lease = await target.port.resume({ turn, nonce: host.newId(), reader: toReader(host.modules) });
  if (lease.status === 'leased') await runCopy(access, target, { lease, sentAt });
}

/**
 * Reads the whole journal, because any turn can have had effects. @throws NewerEventError if a newer version
 * of this code wrote to it.
 */
async function readCutOff(
  { target: { port } }: SessionAccess,
  first: EventPage,
  at: number,
): Promise<CutOff> {
  const cutOff = new CutOff(at);
  for await (const { rows } of readPages(port, first, {}))
    for (const row of rows) cutOff.read(parseEvent(row));
  return cutOff;
}

/** Opens the fork under a lease, and copies the events. */
async function openFork(access: SessionAccess, target: Target, cut: Cut): Promise<Fork> {
  const { host, target: source } = access;
  const incarnation = host.newId();
  const opening = toOpeningRow(access, cut, incarnation);
  const sentAt = host.clock.now();
  const lease = await target.port.begin({
    start: toTurnStart(access, cut, opening),
    nonce: host.newId(),
    reader: toReader(host.modules),
  });
  if (lease.status !== 'leased') {
    // The same request may have created the fork at the same time.
    const known = await findFork(access, target, cut);
    if (known) return known;
    throw createSessionExistsError(target);
  }
  if (lease.page.rows[0]?.body !== opening.body) {
    await endStoredTurn(target, lease);
    throw createSessionExistsError(target);
  }
  await runCopy(access, target, { lease, sentAt });
  return toFork(source, target, cut);
}

/**
 * Returns the opening row. Its turn id belongs to the lease of the copy, not to a turn of the conversation.
 */
const toOpeningRow = (
  { target: { session, agent, caller } }: SessionAccess,
  { first, at, by, told }: Cut,
  incarnation: string,
): NewRow => ({
  ...toRow({
    type: 'session-forked',
    incarnation,
    agent: agent.name,
    from: session,
    fromIncarnation: first.incarnation ?? '',
    upTo: at,
    principal: toPrincipal(caller),
    ...(by !== undefined && { by }),
    ...(told !== undefined && { told }),
  }),
  turn: incarnation,
});

/**
 * Returns the start of the fork. Its second row is the source's second row. For a cut at the first event, an
 * event without facts replaces it.
 */
function toTurnStart({ target }: SessionAccess, { first, at, told }: Cut, opening: NewRow): TurnStart {
  const second = at > 1 ? first.rows[1] : undefined;
  const { type, turn, body } =
    second ?? toRow({ type: 'module-event', turn: opening.turn, module: 'branches', facts: [] });
  const bodyHash = JSON.stringify([target.session, first.incarnation, at, told]);
  return {
    turn: opening.turn,
    opening,
    started: { type, turn, body },
    request: { key: FORK_KEY_PREFIX, bodyHash, ttl: START_KEY_TTL_MS },
  };
}

/** A client cannot send this key, because it contains a space. */
const FORK_KEY_PREFIX = 'fork ';

interface HeldLease {
  readonly lease: LeaseGrant;
  readonly sentAt: number;
}

/** Copies the events. @throws SessionError if the source was erased during the copy. */
async function runCopy(access: SessionAccess, target: Target, { lease, sentAt }: HeldLease): Promise<void> {
  const { port, owner, agent, session } = target;
  const services = createTurnServices(access, { port, owner, agent: agent.name, session });
  // Copying calls every getter, so missing configuration for turns does not matter.
  await runTurn(services, lease, sentAt);
  if (!(await port.read({ from: 1, limit: 1 }))) throw createUnknownSessionError(access.target);
}

/** Ends the turn that was just stored, because another request started the session at the same time. */
async function endStoredTurn({ port }: Target, { epoch, page }: LeaseGrant): Promise<void> {
  const turn = page.openTurn?.id ?? '';
  const events = [toRow({ type: 'turn-ended', turn, outcome: 'cancelled' })];
  await port.append(epoch, page.head + 1, { events, release: 'ended' });
}

const toFork = (
  { session: from, agent }: Target,
  { session, path: url }: Target,
  { at }: Pick<Cut, 'at'>,
): Fork => ({
  session,
  agent: agent.name,
  from,
  at,
  url,
});

const createSessionExistsError = ({ session, path }: Target): SessionError =>
  new SessionError(
    'session-exists',
    `The session '${session}' exists and is not a fork at this event. GET ${path} shows it. Use another name.`,
  );

function createRepeatedEffectsError(calls: readonly CutOffCall[]): SessionError {
  const named = calls.map(({ call, tool }) => `'${tool}' (${call})`).join(', ');
  const detail =
    `The part that the fork leaves out contains calls that had effects, which its model could repeat: ${named}. ` +
    'Fork after them, or send repeatEffects: true.';
  return new SessionError('would-repeat-effects', detail, {
    more: { calls: calls.map(({ call, tool }) => ({ call, tool })) },
  });
}
