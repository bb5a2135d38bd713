/**
 * Lets operators read, cancel and erase single sessions of other owners. The journal of a session records
 * each access.
 */
import type { StoredEvent } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { recordFact } from '../../session/note-fact.ts';
import { toSessionName } from '../../session/read-secrets.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { createWarningEntry } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import { APP } from '../../worker/app-seam.ts';
import { getRequestedOwner } from '../../worker/operator.ts';
import { SessionError } from '../../worker/problem.ts';
import { type CallerRequest, type Gates, SESSION_PATH } from '../../worker/route.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import { createTarget, type Target } from '../../worker/target.ts';
import { assertDecidesByRole } from './decisions.ts';

/** The kind of an operator's access to a session. */
export type OperatorAction = 'read' | 'cancel' | 'erase' | 'delete-file' | 'answer';

/** The operator of an access. A type alias, because it must be JSON. */
type OperatorPrincipal = { readonly id: string; readonly tenant?: string };

/** One access of an operator to a session, from the journal of the session. */
export interface OperatorAccess {
  readonly by: OperatorPrincipal;
  readonly action: OperatorAction;
  /** The `x-request-id` of the request. */
  readonly request: string;
  /** The time of the access in milliseconds since the epoch. */
  readonly at: number;
}

/** The access as an event. A type alias, because it must be JSON. */
type AccessFact = {
  readonly by: OperatorPrincipal;
  readonly action: OperatorAction;
  readonly request: string;
};

/** Accesses are not folded, so that the session's state does not grow. Code reads them from the journal. */
const ACCESS_MEMORY: ToolMemory<null, AccessFact> = {
  name: 'operator-access',
  folding: FOLDING,
  initial: null,
  scope: 'session',
  isHidden: true,
};

/** The name of the module in journals. */
const OPERATORS = 'operators';

const OPERATORS_MODULE = createModule({ name: OPERATORS, state: [ACCESS_MEMORY] });

/** The actions of operators below the path of a session, in addition to reads. */
const ACTION_BY_ROUTE: Readonly<Record<string, OperatorAction>> = {
  [`DELETE ${SESSION_PATH}`]: 'erase',
  [`POST ${SESSION_PATH}/cancel`]: 'cancel',
  [`DELETE ${SESSION_PATH}/files/{file}`]: 'delete-file',
  [`POST ${SESSION_PATH}/answers`]: 'answer',
  [`POST ${SESSION_PATH}/approvals/{callId}`]: 'answer',
};

/** Returns the action of a route, or `undefined` if only the owner can use the route. */
export const findAction = (method: string, path: string): OperatorAction | undefined =>
  method === 'GET' ? 'read' : ACTION_BY_ROUTE[`${method} ${path}`];

/**
 * Lets operators use single sessions of other owners. Pass it in `use` of `createHoldfast`. Callers for whom
 * `auth` returns `operator: true` name the owner in `?owner=`. The journal of a session records each access
 * as `operator-access` before the response.
 *
 * @example
 * ```ts
 * const holdfast = createHoldfast({ agents: [clerk()], use: [operators()] });
 * ```
 */
export function operators(): ModuleUse {
  const use = createUse(OPERATORS_MODULE);
  APP.give(use, { owner: admitOperator });
  return use;
}

/**
 * Returns the operators' accesses among the events of a session, in journal order.
 *
 * @example
 * ```ts
 * const session = createTestSession(researcher, { replies: ['Done.'] });
 * const reads = operatorAccessIn(await session.events());
 * ```
 */
export function operatorAccessIn(events: readonly StoredEvent[]): readonly OperatorAccess[] {
  return events.flatMap((event) =>
    event.type === 'module-event' && event.module === OPERATORS
      ? event.facts.flatMap(({ slice, fact, at = event.at }) =>
          slice === ACCESS_MEMORY.name && isAccessFact(fact) ? [{ ...fact, at }] : [],
        )
      : [],
  );
}

const isAccessFact = (fact: Json): fact is AccessFact =>
  isJsonObject(fact) && typeof fact.action === 'string'; // `recordAccess` wrote it

/** An allowed access, before it is journaled. */
interface GrantedAccess {
  readonly asked: CallerRequest;
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
  readonly action: OperatorAction;
}

/** Records the access in the journal, and then returns the owner that the operator names. */
const admitOperator: NonNullable<Gates['owner']> = async (asked, { method, path }, named) => {
  if (!asked.request.url.includes('?')) return undefined;
  const names = new URL(asked.request.url).searchParams.getAll('owner');
  if (names.length > 1) throw new SessionError('invalid-query', 'The query can contain `owner` only once.');
  const owner = getRequestedOwner(asked.caller, names[0]);
  if (!owner) return undefined;
  const action = findAction(method, path);
  if (!action) throw createOwnerOnlyError();
  const { agent = '', session = '' } = named;
  const access = { asked, owner, agent, session, action };
  if (action === 'erase') await recordErasure(access);
  else {
    const target = createTarget(asked, asked.caller, { agent, session, owner });
    if (action === 'answer') await assertDecidesByRole(asked, target, named.callId);
    await recordAccess(access, target);
  }
  return owner;
};

const createOwnerOnlyError = (): SessionError =>
  new SessionError(
    'role-required',
    'Only the owner of this session can do this. Operators can read, cancel and erase the session, and decide calls for their roles.',
    { more: { role: 'owner' } },
  );

/**
 * The actions that a full session allows although it cannot store the event. They do not show its content.
 */
const ACTIONS_WITHOUT_EVENT: readonly OperatorAction[] = ['cancel', 'erase', 'delete-file'];

/**
 * Journals an access.
 *
 * @throws SessionError if the session does not exist or cannot store the access.
 */
async function recordAccess(access: GrantedAccess, target: Target): Promise<void> {
  const posted = await postAccess(access, target.port);
  if (posted === 'posted') return;
  if (posted !== 'session-full') throw createUnknownSessionError(target);
  if (!ACTIONS_WITHOUT_EVENT.includes(access.action))
    throw new SessionError(
      'session-full',
      'This session is full, so its journal cannot record the access of an operator. An operator can cancel or erase it.',
    );
  logAccess(access);
}

/**
 * Logs the access, since the journal is erased with the session. Works for sessions whose agent is no longer
 * deployed.
 */
async function recordErasure(access: GrantedAccess): Promise<void> {
  const { asked, owner, agent, session } = access;
  const { host, env, caller } = asked;
  if (host.agents.has(agent)) createTarget(asked, caller, { agent, session, owner });
  const posted = await postAccess(access, host.session(env, toSessionName({ owner, agent, session })));
  if (posted !== 'no-such-session') logAccess(access);
}

/** Adds the access to the journal, as an event of the first turn. */
async function postAccess({ asked, action }: GrantedAccess, port: SessionPort) {
  const { host, caller, requestId: request } = asked;
  const types = { names: ['turn-started'], until: Number.MAX_SAFE_INTEGER };
  const [first] = (await port.read({ from: 1, limit: 1, types }))?.rows ?? [];
  if (!first) return 'no-such-session';
  const { id, tenant } = caller;
  const fact: AccessFact = { by: { id, ...(tenant !== undefined && { tenant }) }, action, request };
  const at = host.clock.now();
  return recordFact(port, OPERATORS_MODULE, { turn: first.turn, memory: ACCESS_MEMORY, fact, at });
}

function logAccess({ asked, owner, agent, session, action }: GrantedAccess): void {
  const { host, caller, requestId } = asked;
  const message = `an operator accesses a session, and its journal cannot record it: ${action}`;
  host.log({ ...createWarningEntry(message), owner, agent, session, principal: caller.id, requestId });
}
