import { ConfigurationError } from '../model/configuration-error.ts';
import { HOOK_TIMEOUT_MS, withTimeout } from '../tool/async.ts';
import type { Owner } from '../tool/call-origin.ts';
import { shorten } from '../tool/json.ts';
import { findOwnerProblem } from '../tool/owner.ts';
import { Secrets } from '../tool/secrets.ts';
import { type ContextValues, ToolCallContext, ToolCallContextError } from '../tool/tool-call-context.ts';
import type { Clock } from './read-platform.ts';

/** The credentials of one invocation by name, as the app mints them. `undefined` values are omitted. */
export type MintedSecrets = Readonly<Record<string, string | undefined>>;

/**
 * Returns the secrets that an app's hook returned, or `NONE` for none.
 *
 * @throws ConfigurationError if a secret is not a string, since it could not be redacted. The message names
 * it.
 */
export function readSecrets(minted: MintedSecrets | undefined): Secrets {
  const values: unknown = minted ?? {};
  if (typeof values !== 'object' || values === null) {
    throw new ConfigurationError('`secrets` must return an object of strings.');
  }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || typeof value === 'string') continue;
    throw new ConfigurationError(`\`secrets\` must return strings, but '${shorten(name, 80)}' is not one.`);
  }
  return Secrets.of(minted ?? {});
}

/**
 * Awaits the minting of secrets within the time limit of hooks.
 *
 * @throws ConfigurationError if it takes longer.
 * @throws the signal's reason as soon as it aborts.
 */
export const awaitSecrets = <Minted>(
  clock: Pick<Clock, 'after'>,
  minting: Promise<Minted>,
  signal?: AbortSignal,
): Promise<Minted> =>
  withTimeout(clock, minting, { ms: HOOK_TIMEOUT_MS, signal, late: createSecretsTimeoutError });

const createSecretsTimeoutError = (ms: number): ConfigurationError =>
  new ConfigurationError(`\`secrets\` did not return within ${ms} ms.`);

/** The context that an app declares: values, or a context made of them. */
export type AppContext = ContextValues | ToolCallContext;

/**
 * Returns the tool-call context that an app declares.
 *
 * @throws ConfigurationError if it is not JSON.
 */
export function toAppContext(declared: AppContext): ToolCallContext {
  try {
    return ToolCallContext.of(declared);
  } catch (cause) {
    if (!(cause instanceof ToolCallContextError)) throw cause;
    throw new ConfigurationError(`\`context\` cannot be used: ${cause.message}`, { cause });
  }
}

/** The valid ids of sessions. */
export const SESSION_ID = /^[A-Za-z0-9_.:@-]{1,128}$/;

/** The text for errors that states the rule for session ids. */
export const SESSION_ID_RULE = '1 to 128 of the characters A-Z a-z 0-9 _ . : @ -';

/** The identity of a session. Equal ids of two owners are different sessions. */
export interface SessionAddress {
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
}

/**
 * Returns the name of the session's object. A tenant is written as an object, so that it cannot equal an id.
 */
export const toSessionName = ({ owner: { id, tenant }, agent, session }: SessionAddress): string =>
  JSON.stringify([tenant === undefined ? id : { tenant }, agent, session]);

/**
 * Returns the address in an object's name.
 *
 * @throws Error if `toSessionName` did not make the name.
 */
export function parseSessionName(name: string): SessionAddress {
  const parts: unknown = JSON.parse(name);
  const [named, agent, session] = Array.isArray(parts) ? parts : [];
  const owner = typeof named === 'string' ? { id: named } : named;
  // Any string is a valid id here. The session that `GET /health` checks has an empty one, and an `auth` may
  // accept blank ones.
  const isOwner = typeof named === 'string' || findOwnerProblem(owner) === undefined;
  if (!isOwner || typeof agent !== 'string' || typeof session !== 'string') {
    throw new Error(`'${name}' does not name a session.`);
  }
  return { owner, agent, session };
}

/**
 * Returns only the names of the agent and the session.
 *
 * @throws Error as `parseSessionName` does.
 */
export function parseSessionParts(name: string): Omit<SessionAddress, 'owner'> {
  const { agent, session } = parseSessionName(name);
  return { agent, session };
}

/**
 * Returns only the name of the agent.
 *
 * @throws Error as `parseSessionParts` does.
 */
export const getSessionAgent = (name: string): string => parseSessionParts(name).agent;
