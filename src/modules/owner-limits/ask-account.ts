/** Calls the object that counts an owner's usage from a Worker. */
import { ConfigurationError } from '../../model/configuration-error.ts';
import { DeploymentError } from '../../session/deployment.ts';
import { systemClock } from '../../session/read-platform.ts';
import { withTimeout } from '../../tool/async.ts';
import type { Owner } from '../../tool/call-origin.ts';
import { toOwnerKey } from '../../tool/owner-name.ts';
import { createObjectCaller, type ObjectCaller, type ObjectLocation } from '../../worker/asking-object.ts';
import type { Env } from '../../worker/host.ts';
import { SessionError } from '../../worker/problem.ts';
import type { AccountOwner, DrawRequest, DrawResult, GrantedAllowance, OverLimit } from './account.ts';
import type { LimitPolicy } from './limiting.ts';
import type { LimitName } from './limits.ts';
import type { OwnerLimits } from './owner-limits-object.ts';

/** The maximum time in milliseconds that a turn waits for its allowance. */
const DRAW_TIMEOUT_MS = 2_000;

/** Seconds until a turn can be sent again after its limits could not be read. */
const RETRY_AFTER_S = 5;

/** @throws DeploymentError if the binding is missing. */
export function assertOwnerLimitsBound(env: Env): void {
  if (typeof Object(env.OWNER_LIMITS).getByName !== 'function') throw new DeploymentError(NOT_BOUND_MESSAGE);
}

const NOT_BOUND_MESSAGE =
  'This Worker has no Durable Object binding OWNER_LIMITS, which ownerLimits() needs. In its main module: ' +
  'export { OwnerLimits } from \'holdfast/owner-limits\'. In wrangler.toml: [[durable_objects.bindings]] with name = "OWNER_LIMITS" and ' +
  'class_name = "OwnerLimits", and [[migrations]] with a tag of its own and new_sqlite_classes = ["OwnerLimits"].';

export interface AccountClient extends AccountOwner {
  readonly ask: ObjectCaller<OwnerLimits>;
}

export function createAccountClient({ env, jurisdiction }: ObjectLocation, owner: Owner): AccountClient {
  const namespace = env.OWNER_LIMITS as DurableObjectNamespace<OwnerLimits>; // checked by `assertOwnerLimitsBound`
  return { owner, jurisdiction, ask: createObjectCaller(namespace, jurisdiction, toOwnerKey(owner)) };
}

type AccountDraw = Omit<DrawRequest, keyof AccountOwner | 'limits'>;

/** The limits of one owner, from which turns draw their allowances. */
export interface Account extends AccountClient {
  /** Returns `undefined` if the turn is unlimited. @throws ConfigurationError if the limits are invalid. */
  draw(asked: AccountDraw): Promise<DrawResult | 'unavailable' | undefined>;
  /** Calls `draw`. @throws SessionError if the turn must not start. */
  drawOrRefuse(asked: AccountDraw): Promise<GrantedAllowance | undefined>;
}

export function createAccount(place: ObjectLocation, owner: Owner, limiting: LimitPolicy): Account {
  const account = createAccountClient(place, owner);
  const { jurisdiction, ask } = account;
  const drawNow = async (asked: AccountDraw): Promise<DrawResult> => {
    const limits = await limiting.limitsOf(owner, place.env);
    return ask(async (object) => object.draw({ ...asked, owner, jurisdiction, limits }));
  };
  const draw: Account['draw'] = async (asked) => {
    try {
      return await withTimeout(systemClock, drawNow(asked), DRAW_TIMEOUT);
    } catch (thrown) {
      if (thrown instanceof ConfigurationError) throw thrown;
      return limiting.onUnavailable === 'allow' ? undefined : 'unavailable';
    }
  };
  return {
    ...account,
    draw,
    async drawOrRefuse(asked) {
      const drawn = await draw(asked);
      if (drawn === 'unavailable') throw createUnavailableError();
      if (drawn?.status === 'over') throw createOverLimitError(drawn);
      return drawn;
    },
  };
}

const DRAW_TIMEOUT = { ms: DRAW_TIMEOUT_MS, late: () => new Error('the limits timed out') };

/** Resolves with `undefined` if the object fails or takes too long. Its alarm does the work later. */
export const withDrawTimeout = <T>(work: Promise<T>): Promise<T | undefined> =>
  withTimeout(systemClock, work, DRAW_TIMEOUT).catch(() => undefined);

const createUnavailableError = (): SessionError =>
  new SessionError(
    'session-unavailable',
    'The limits of this owner cannot be read now. Send the message again.',
    {
      retryAfter: RETRY_AFTER_S,
    },
  );

/** The names of limits in error messages. */
const LIMIT_LABELS: Readonly<Record<LimitName, string>> = {
  turns: 'turns a day',
  tokens: 'tokens a day',
  cost: 'USD a day',
  openSessions: 'sessions',
  running: 'open turns',
};

function createOverLimitError({ limit, most, used, resetAt, retryAfter }: OverLimit): SessionError {
  const until = resetAt === undefined ? undefined : new Date(resetAt).toISOString();
  const next =
    until !== undefined
      ? `The limit is reset at ${until}.`
      : limit === 'running'
        ? 'Send the message again when a turn has ended.'
        : 'Erase a session, or continue one.';
  return new SessionError('owner-limit', `The limit of ${most} ${LIMIT_LABELS[limit]} is reached. ${next}`, {
    retryAfter,
    more: { ownerLimit: limit, most, used, ...(until !== undefined && { resetAt: until }) },
  });
}
