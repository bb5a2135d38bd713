import type { Wait } from '../journal/wait.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { ENCODER } from '../tool/async.ts';
import type { Owner } from '../tool/call-origin.ts';
import { isSecretSource, readSecrets, SECRET_RULE, type SecretSource } from '../tool/env.ts';
import { literals } from '../tool/literals.ts';
import { type Log, logOnce, warning } from '../tool/log.ts';
import type { Caller, Env, SpeakerOf } from './host.ts';
import { Problem, SessionError } from './problem.ts';

/** Tells who a request comes from; `null` refuses it. `env` holds the Worker's vars and secrets. */
export interface Authenticate<AppEnv extends object = Env> {
  (request: Request, env: AppEnv): Caller | null | Promise<Caller | null>;
  /** What a refused client is told to send: a bearer token. Absent: it has to know. */
  readonly scheme?: 'Bearer' | undefined;
  /** Whose the sessions are that nobody has asked for, such as those of a webhook. Absent: each says it itself. */
  readonly owner?: ((env: AppEnv) => Owner) | undefined;
  /** Returns what the log says, once, of a request that was let in, or `undefined`. */
  readonly remark?: ((request: Request, env: AppEnv) => string | undefined) | undefined;
  /** Throws, or rejects with, a ConfigurationError if an environment lets nobody in: for `GET /health`. */
  readonly check?: ((env: AppEnv) => unknown) | undefined;
}

/** A request, and what of its app tells who may come in. */
interface Entrance {
  readonly host: {
    readonly auth: Authenticate;
    readonly gates: { readonly caller?: SpeakerOf | undefined };
    readonly log: Log;
  };
  readonly env: Env;
  readonly request: Request;
  readonly isOwnPage?: true | undefined;
}

/**
 * Returns who the request comes from, or for whom a module says that it is sent.
 *
 * @throws Problem 401 or 403, or what a module refuses it with; Error if `auth` or a module returns something else than it may.
 */
export async function callerOf({ host, env, request, isOwnPage }: Entrance): Promise<Caller> {
  const { auth, gates, log } = host;
  if (!isOwnPage) mustNotBeCrossSite(request);
  const caller = await auth(request, env);
  if (!caller) throw unauthorized(auth.scheme);
  mustBeCaller(caller, '`auth` answered');
  const message = auth.remark?.(request, env);
  if (message !== undefined) logOnce(log, warning(message));
  if (gates.caller) {
    const speaker = await gates.caller(caller, request);
    mustBeCaller(speaker, 'A module answered');
    return speaker;
  }
  if (caller.delegates)
    throw new Error(
      `\`auth\` returned a caller with \`delegates: true\`${literals?.mending.delegates ?? '.'}`,
    );
  return caller;
}

/** Methods that change nothing. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps pages of other sites from acting for whoever looks at them: a browser sends some requests without asking first, and
 * with what it knows of the user, or from the one machine that needs no token. Programs send neither header.
 *
 * @throws Problem 403 `cross-site`.
 */
function mustNotBeCrossSite({ method, url, headers }: Request): void {
  if (SAFE.includes(method)) return;
  const origin = headers.get('origin');
  const isForeign = origin !== null && URL.parse(origin)?.host !== new URL(url).host;
  if (!isForeign && headers.get('sec-fetch-site') !== 'cross-site') return;
  throw new Problem(
    'cross-site',
    "A page of another site sent this request. If it is yours, add cors({ origins }) of 'holdfast/http' to `use`.",
  );
}

/** @throws Error if it is none. */
function mustBeCaller(caller: Caller, who: string): void {
  const problem = callerProblem(caller);
  if (problem !== undefined) throw new Error(`${who} a caller ${problem}.`);
}

/**
 * Answers what keeps a value from being a caller, as a sentence goes on after "a caller "; `undefined` when it is one. Code that
 * reads a claim which is not there would give everybody the same sessions.
 */
export function callerProblem({ id, tenant, roles, delegates }: Caller): string | undefined {
  if (!isName(id) || (tenant !== undefined && !isName(tenant))) {
    return 'whose id or tenant is no text, or is empty';
  }
  if (roles !== undefined && !(Array.isArray(roles) && roles.every(isName))) {
    return 'whose roles are no list of texts';
  }
  if (delegates !== undefined && typeof delegates !== 'boolean') {
    return 'whose `delegates` is neither true nor false';
  }
  return NOBODYS.test(id) ? `with the id '${id}', by which nobody is called` : undefined;
}

const unauthorized = (scheme: Authenticate['scheme']): Problem =>
  scheme === 'Bearer'
    ? new Problem('unauthorized', 'Send a valid token as "Authorization: Bearer ...".', {
        headers: { 'www-authenticate': scheme },
      })
    : new Problem('unauthorized', 'Send valid credentials.');

/** The principals of what nobody sent. */
const NOBODYS = /^(webhook:|schedule:|code$)/;

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** The ids of the callers whom the built-in authentication knows. */
const TOKEN = 'token';
const LOCAL = { id: 'local' };

/** The secret that is asked for when an app declares no `auth` of its own. */
const TOKEN_SETTING = 'HOLDFAST_TOKEN';

/**
 * Lets in requests with `Authorization: Bearer {token}`, as one owner. The token is `(env) => env.MY_TOKEN`, or in the var of
 * this name, and may be a binding of the Secrets Store. Of several, each is let in. One that is not set lets no request in.
 *
 * @throws TypeError when it is neither; the text is not repeated, since a token may be given in place of its name.
 */
export function bearerToken(source: SecretSource): Authenticate<object> {
  if (!isSecretSource(source)) throw new TypeError(`bearerToken ${SECRET_RULE}.`);
  return byTokenOf(source);
}

const byTokenOf = (source: SecretSource): Authenticate<object> =>
  asking(
    () => ({ id: TOKEN }),
    async (request, env) => {
      const expected = await tokensOf(env, source);
      const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
      if (token === undefined) return null;
      const matches = await Promise.all(expected.map((one) => sameText(token, one)));
      return matches.includes(true) ? { id: TOKEN } : null;
    },
    { check: (env) => tokensOf(env, source) },
  );

/**
 * Lets in whoever asks this machine by its own name, as one owner and without a token: for development, never behind a proxy
 * or a tunnel. A request that says it was passed on is refused; one that a proxy passes on without saying so cannot be told from
 * the developer's own.
 */
export const openOnLocalhost = (): Authenticate<object> =>
  asking(
    () => LOCAL,
    ({ url, headers }) => {
      const sign = signOfElsewhere(new URL(url).hostname, headers);
      if (sign !== undefined) throw onlyLocal(sign);
      return LOCAL;
    },
    // What calls the Worker without a connection comes from no network.
    { remark: ({ headers }) => (headers.has(FROM) ? LOCAL_MODE : undefined) },
  );

/** Absent in production: no var opens what is deployed, and a bundle carries nothing of it. */
let localhost: Authenticate<object> | undefined;
let onOwnMachine = '';
try {
  if (process.env.NODE_ENV !== 'production') {
    localhost = openOnLocalhost();
    onOwnMachine = ' On your own machine, HOLDFAST_AUTH=localhost in .dev.vars lets you in without a token.';
  }
} catch {
  // There is no `process`, so it is not known to be development.
}

const byToken = byTokenOf(TOKEN_SETTING);

/** Somebody has to write it down: an environment that says nothing lets nobody in. @throws Problem if it says nothing. */
function authOf(env: Env): Authenticate<object> {
  if (env[TOKEN_SETTING]) return byToken;
  if (localhost && env.HOLDFAST_AUTH === 'localhost') return localhost;
  throw noAuth();
}

/** What the environment says where an app declares no `auth`: the token where one is set, else localhost where that is written down. */
export const defaultAuth: Authenticate<object> = asking(
  (env) => authOf(env).owner?.(env) ?? { id: TOKEN },
  (request, env) => authOf(env)(request, env),
  {
    remark: (request, env) => authOf(env).remark?.(request, env),
    check: (env) => authOf(env).check?.(env),
  },
);

function asking(
  owner: NonNullable<Authenticate['owner']>,
  auth: Authenticate,
  more: Pick<Authenticate, 'remark' | 'check'> = {},
): Authenticate<object> {
  const asked: Authenticate = Object.assign(auth, { scheme: 'Bearer' as const, owner, ...more });
  return asked as Authenticate<object>; // each value of the environment is looked at when it is read
}

/**
 * What proxies and tunnels add to a request that they pass on. miniflare reads `MF-Original-*` and takes them off, so that those which
 * come this far were made up by the client.
 */
const PASSED_ON = /^(forwarded|x-forwarded-.+|x-real-ip|via|mf-original-.+)$/;

/** The runtime of `wrangler dev` sets it to the address that the connection comes from, unless the client has set it. */
const FROM = 'cf-connecting-ip';

const LOCAL_MODE =
  'This machine is let in without a token. With wrangler dev --ip, use a token: two headers make any request look local.';

/** Answers what in a request shows that it is not this machine's own; `undefined` when nothing does. */
export function signOfElsewhere(hostname: string, headers: Headers): string | undefined {
  if (!LOCAL_NAMES.has(hostname)) return `it was sent to '${hostname.slice(0, 80)}'`;
  for (const [name] of headers)
    if (PASSED_ON.test(name)) return `it was passed on, as its header ${name} says`;
  const from = headers.get(FROM);
  if (from !== null && !LOOPBACK.test(from)) return `it comes from ${from.slice(0, 80)}`;
  return undefined;
}

const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const LOOPBACK = /^(::1|(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;

const SET_IT = `Set the secret ${TOKEN_SETTING} and send it as a bearer token, or pass \`auth\` to createHoldfast`;

/** A stranger reads it, so that it names no var but our own: a token may be given in place of its name. */
const notSet = (source: SecretSource): Problem =>
  new Problem(
    'not-configured',
    `This Worker has no token yet. ${source === TOKEN_SETTING ? SET_IT : 'Set the secret that its bearerToken reads'}.`,
  );

const noAuth = (): Problem =>
  new Problem('not-configured', `This Worker has no authentication yet. ${SET_IT}.${onOwnMachine}`);

const onlyLocal = (sign: string): Problem =>
  new Problem(
    'only-localhost',
    `This Worker answers its own machine alone, and this request is not from there: ${sign}. ${SET_IT}.`,
  );

/** The tokens that are set. @throws Problem if none is, ConfigurationError if the Secrets Store does not give one. */
async function tokensOf(env: Env, source: SecretSource): Promise<readonly string[]> {
  let tokens: readonly string[];
  try {
    tokens = await readSecrets(env, source);
  } catch (cause) {
    const which = source === TOKEN_SETTING ? TOKEN_SETTING : 'the bearer token';
    throw new ConfigurationError(`The Secrets Store did not give ${which}.`, { cause });
  }
  if (tokens.length === 0) throw notSet(source);
  return tokens;
}

/** Compares in constant time: each is signed with a key of this moment, and a signature is as long for any text. */
async function sameText(a: string, b: string): Promise<boolean> {
  const { subtle } = crypto;
  const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  if (!('type' in key)) return false; // a pair of keys, which no HMAC has
  const signature = await subtle.sign('HMAC', key, ENCODER.encode(a));
  return subtle.verify('HMAC', key, signature, ENCODER.encode(b));
}

/** A call, and what it waits for. */
interface AskingCall {
  readonly call: string;
  readonly wait: Wait;
}

/** @throws SessionError if a question is for a role that the caller does not have. */
export function mustHaveRole(caller: Caller, { call, wait }: AskingCall): void {
  const role = lackedRole(caller, wait);
  if (role === undefined) return;
  throw roleRequired(`Call ${call} is answered by somebody with the role '${role}'.`, { role });
}

/** Returns the role that a question is for, if the caller lacks it. */
export const lackedRole = ({ roles }: Caller, wait: Wait): string | undefined =>
  wait.for === 'decision' && wait.by !== undefined && !roles?.includes(wait.by) ? wait.by : undefined;

/** Makes the error of a caller who lacks a role. */
export const roleRequired = (problem: string, more: Readonly<Record<string, string>>): SessionError =>
  new SessionError('role-required', `${problem} Send the token of one who has it.`, { more });
