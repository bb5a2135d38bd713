import { ConfigurationError } from '../model/configuration-error.ts';
import { HOOK_TIME, inTime } from '../tool/async.ts';
import type { Owner } from '../tool/call-origin.ts';
import { shorten } from '../tool/json.ts';
import { ownerProblem } from '../tool/owner.ts';
import { Secrets } from '../tool/secrets.ts';
import { type ContextValues, ToolCallContext, ToolCallContextError } from '../tool/tool-call-context.ts';
import type { Clock } from './read-platform.ts';

/** The credentials of one invocation by name, as an app mints them; those that are `undefined` are left out. */
export type MintedSecrets = Readonly<Record<string, string | undefined>>;

/**
 * The secrets that an app's hook answered, or `NONE` for no answer.
 *
 * @throws ConfigurationError naming one that is not text: it could be found in no result, and so not be taken out of it.
 */
export function readSecrets(minted: MintedSecrets | undefined): Secrets {
  const values: unknown = minted ?? {};
  if (typeof values !== 'object' || values === null) {
    throw new ConfigurationError('`secrets` must answer an object with a text for each name.');
  }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || typeof value === 'string') continue;
    throw new ConfigurationError(`\`secrets\` must answer texts, and '${shorten(name, 80)}' is none.`);
  }
  return Secrets.of(minted ?? {});
}

/**
 * What is being minted, waited for no longer than a hook may take.
 *
 * @throws ConfigurationError when it takes longer; the signal's reason as soon as that aborts.
 */
export const mintedInTime = <Minted>(
  clock: Pick<Clock, 'after'>,
  minting: Promise<Minted>,
  signal?: AbortSignal,
): Promise<Minted> => inTime(clock, minting, { ms: HOOK_TIME, signal, late: unminted });

const unminted = (ms: number): ConfigurationError =>
  new ConfigurationError(`\`secrets\` did not answer within ${ms} ms.`);

/** What an app declares as its context: values, or a context made of them. */
export type AppContext = ContextValues | ToolCallContext;

/** The tool-call context that an app declares. @throws ConfigurationError when it is not JSON. */
export function toAppContext(declared: AppContext): ToolCallContext {
  try {
    return ToolCallContext.of(declared);
  } catch (cause) {
    if (!(cause instanceof ToolCallContextError)) throw cause;
    throw new ConfigurationError(`\`context\` cannot be used: ${cause.message}`, { cause });
  }
}

/** What a client may call a session. */
export const SESSION_ID = /^[A-Za-z0-9_.:@-]{1,128}$/;

/** The rule for the ids of sessions, in words for whoever broke it. */
export const SESSION_ID_RULE = '1 to 128 of the characters A-Z a-z 0-9 _ . : @ -';

/** What names a session: two owners' `s1` never meet. */
export interface SessionAddress {
  readonly owner: Owner;
  readonly agent: string;
  readonly session: string;
}

/** The name of the session's object. A tenant stands in it as an object, which no id can be written as. */
export const toSessionName = ({ owner: { id, tenant }, agent, session }: SessionAddress): string =>
  JSON.stringify([tenant === undefined ? id : { tenant }, agent, session]);

/** The address that an object's name was made of. @throws Error when the name was not made by `toSessionName`. */
export function addressOfSession(name: string): SessionAddress {
  const parts: unknown = JSON.parse(name);
  const [named, agent, session] = Array.isArray(parts) ? parts : [];
  const owner = typeof named === 'string' ? { id: named } : named;
  // Any text is an id here: that of the session which `GET /health` looks at is empty, and an `auth` may have let in blank ones.
  const isOwner = typeof named === 'string' || ownerProblem(owner) === undefined;
  if (!isOwner || typeof agent !== 'string' || typeof session !== 'string') {
    throw new Error(`'${name}' does not name a session.`);
  }
  return { owner, agent, session };
}

/** The names of the agent and of the session alone. @throws Error as `addressOfSession` does. */
export function namesOfSession(name: string): Omit<SessionAddress, 'owner'> {
  const { agent, session } = addressOfSession(name);
  return { agent, session };
}

/** The name of the agent alone. @throws Error as `namesOfSession` does. */
export const agentOfSession = (name: string): string => namesOfSession(name).agent;
