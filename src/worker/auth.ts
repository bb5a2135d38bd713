import type { Wait } from '../journal/wait.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { ENCODER } from '../tool/async.ts';
import type { Owner } from '../tool/call-origin.ts';
import { isSecretSource, readSecrets, SECRET_RULE, type SecretSource } from '../tool/env.ts';
import { literals } from '../tool/literals.ts';
import { createWarningEntry, type Log, logOnce } from '../tool/log.ts';
import type { Caller, CallerResolver, Env } from './host.ts';
import { Problem, SessionError } from './problem.ts';

/** Returns the caller of a request, or `null` to refuse it. `env` holds the Worker's vars and secrets. */
export interface Authenticate<AppEnv extends object = Env> {
  (request: Request, env: AppEnv): Caller | null | Promise<Caller | null>;
  /** The scheme that a refused client should use. If absent, the response does not name one. */
  readonly scheme?: 'Bearer' | undefined;
  /**
   * Returns the owner of sessions that start without an authenticated request, such as those of a webhook. If
   * absent, each schedule or webhook must set its own.
   */
  readonly owner?: ((env: AppEnv) => Owner) | undefined;
  /** Returns a text to log once about an accepted request, or `undefined`. */
  readonly remark?: ((request: Request, env: AppEnv) => string | undefined) | undefined;
  /**
   * Throws, or rejects with, a ConfigurationError if all requests would be refused in an environment. For
   * `GET /health`.
   */
  readonly check?: ((env: AppEnv) => unknown) | undefined;
}

/** A request, and the parts of its app that authenticate it. */
interface AuthRequest {
  readonly host: {
    readonly auth: Authenticate;
    readonly gates: { readonly caller?: CallerResolver | undefined };
    readonly log: Log;
  };
  readonly env: Env;
  readonly request: Request;
  readonly isOwnPage?: true | undefined;
}

/**
 * Returns the caller of a request, or the person on whose behalf it is sent according to a module.
 *
 * @throws Problem 401 or 403, or the refusal of a module; Error if `auth` or a module returns an invalid
 * value.
 */
export async function authenticateCaller({ host, env, request, isOwnPage }: AuthRequest): Promise<Caller> {
  const { auth, gates, log } = host;
  if (!isOwnPage) assertNotCrossSite(request);
  const caller = await auth(request, env);
  if (!caller) throw createUnauthorizedProblem(auth.scheme);
  assertCaller(caller, '`auth` returned');
  const message = auth.remark?.(request, env);
  if (message !== undefined) logOnce(log, createWarningEntry(message));
  if (gates.caller) {
    const speaker = await gates.caller(caller, request);
    assertCaller(speaker, 'A module returned');
    return speaker;
  }
  if (caller.delegates)
    throw new Error(
      `\`auth\` returned a caller with \`delegates: true\`${literals?.mending.delegates ?? '.'}`,
    );
  return caller;
}

/** Methods without side effects. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Keeps pages on other sites from acting for the user of a browser: a browser sends some requests without a
 * preflight, with the user's cookies, or from a machine that needs no token. Programs other than browsers do
 * not send these headers.
 *
 * @throws Problem 403 `cross-site`.
 */
function assertNotCrossSite({ method, url, headers }: Request): void {
  if (SAFE_METHODS.includes(method)) return;
  const origin = headers.get('origin');
  const isForeign = origin !== null && URL.parse(origin)?.host !== new URL(url).host;
  if (!isForeign && headers.get('sec-fetch-site') !== 'cross-site') return;
  throw new Problem(
    'cross-site',
    "A page on another site sent this request. If it is yours, add cors({ origins }) from 'holdfast/http' to `use`.",
  );
}

/** @throws Error if it is invalid. */
function assertCaller(caller: Caller, who: string): void {
  const problem = findCallerProblem(caller);
  if (problem !== undefined) throw new Error(`${who} a caller ${problem}.`);
}

/**
 * Returns the problem of a caller, as the text after "a caller ", or `undefined`. Without this check, code
 * that reads a missing claim would give all callers the same sessions.
 */
export function findCallerProblem({ id, tenant, roles, delegates }: Caller): string | undefined {
  if (!isName(id) || (tenant !== undefined && !isName(tenant))) {
    return 'whose id or tenant is empty or not a string';
  }
  if (roles !== undefined && !(Array.isArray(roles) && roles.every(isName))) {
    return 'whose roles are not a list of strings';
  }
  if (delegates !== undefined && typeof delegates !== 'boolean') {
    return 'whose `delegates` is not a boolean';
  }
  return SYSTEM_PRINCIPAL.test(id) ? `with the id '${id}', which is reserved` : undefined;
}

const createUnauthorizedProblem = (scheme: Authenticate['scheme']): Problem =>
  scheme === 'Bearer'
    ? new Problem('unauthorized', 'Send a valid token as "Authorization: Bearer ...".', {
        headers: { 'www-authenticate': scheme },
      })
    : new Problem('unauthorized', 'Send valid credentials.');

/** The principals of turns that were not started by a person. */
const SYSTEM_PRINCIPAL = /^(webhook:|schedule:|code$)/;

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** The ids of the callers of the built-in authentication. */
const TOKEN_CALLER_ID = 'token';
const LOCAL_CALLER = { id: 'local' };

/** The var with the token of an app without its own `auth`. */
const TOKEN_SETTING = 'HOLDFAST_TOKEN';

/**
 * Accepts requests with `Authorization: Bearer {token}`, as one owner. `source` is `(env) => env.MY_TOKEN`,
 * or the name of a var, which can be a binding of the Secrets Store. If there are several tokens, each is
 * valid. If no token is set, all requests are refused.
 *
 * @throws TypeError if the argument is not a function or a var's name. The message does not repeat it, since
 * it may be a token by mistake.
 *
 * @example
 * ```ts
 * const auth = bearerToken('TEAM_TOKEN'); // a secret
 * ```
 */
export function bearerToken(source: SecretSource): Authenticate<object> {
  if (!isSecretSource(source)) throw new TypeError(`bearerToken ${SECRET_RULE}.`);
  return createTokenAuth(source);
}

const createTokenAuth = (source: SecretSource): Authenticate<object> =>
  createAuthenticate(
    () => ({ id: TOKEN_CALLER_ID }),
    async (request, env) => {
      const expected = await readTokens(env, source);
      const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
      if (token === undefined) return null;
      const matches = await Promise.all(expected.map((one) => isSameText(token, one)));
      return matches.includes(true) ? { id: TOKEN_CALLER_ID } : null;
    },
    { check: (env) => readTokens(env, source) },
  );

/**
 * Accepts requests to localhost, as one owner and without a token. For development only: never use it behind
 * a proxy or a tunnel. It refuses requests with headers of a proxy, but cannot recognize a proxy that does
 * not set them.
 */
export const openOnLocalhost = (): Authenticate<object> =>
  createAuthenticate(
    () => LOCAL_CALLER,
    ({ url, headers }) => {
      const sign = findRemoteSign(new URL(url).hostname, headers);
      if (sign !== undefined) throw createOnlyLocalhostProblem(sign);
      return LOCAL_CALLER;
    },
    // Without this header, the call does not come from a network, so no notice is needed.
    { remark: ({ headers }) => (headers.has(CLIENT_IP_HEADER) ? LOCAL_MODE_NOTICE : undefined) },
  );

/**
 * Absent in production: a var cannot disable the authentication of a deployment, and a bundle does not
 * contain this code.
 */
let localhostAuth: Authenticate<object> | undefined;
let localhostHint = '';
try {
  if (process.env.NODE_ENV !== 'production') {
    localhostAuth = openOnLocalhost();
    localhostHint = ' On your own machine, HOLDFAST_AUTH=localhost in .dev.vars lets you in without a token.';
  }
} catch {
  // Without `process`, assume production.
}

const defaultTokenAuth = createTokenAuth(TOKEN_SETTING);

/**
 * Returns the authentication that the environment selects. Access without a token must be explicit: without a
 * setting, all requests are refused. @throws Problem if there is no setting.
 */
function resolveAuth(env: Env): Authenticate<object> {
  if (env[TOKEN_SETTING]) return defaultTokenAuth;
  if (localhostAuth && env.HOLDFAST_AUTH === 'localhost') return localhostAuth;
  throw createNoAuthProblem();
}

/**
 * The authentication of an app without `auth`: by token if one is set, or else open on localhost if the
 * environment allows it.
 */
export const defaultAuth: Authenticate<object> = createAuthenticate(
  (env) => resolveAuth(env).owner?.(env) ?? { id: TOKEN_CALLER_ID },
  (request, env) => resolveAuth(env)(request, env),
  {
    remark: (request, env) => resolveAuth(env).remark?.(request, env),
    check: (env) => resolveAuth(env).check?.(env),
  },
);

function createAuthenticate(
  owner: NonNullable<Authenticate['owner']>,
  auth: Authenticate,
  more: Pick<Authenticate, 'remark' | 'check'> = {},
): Authenticate<object> {
  const asked: Authenticate = Object.assign(auth, { scheme: 'Bearer' as const, owner, ...more });
  return asked as Authenticate<object>; // each value of the environment is checked when it is read
}

/**
 * Matches headers that proxies and tunnels add. miniflare reads and removes its own `MF-Original-*`, so one
 * that reaches the Worker was forged by the client.
 */
const PROXY_HEADER = /^(forwarded|x-forwarded-.+|x-real-ip|via|mf-original-.+)$/;

/** The runtime of `wrangler dev` sets it to the address of the connection, unless the client has set it. */
const CLIENT_IP_HEADER = 'cf-connecting-ip';

const LOCAL_MODE_NOTICE =
  'This machine needs no token. With wrangler dev --ip, set one: two headers make any request look local.';

/** Returns the evidence that a request does not come from this machine, or `undefined`. */
export function findRemoteSign(hostname: string, headers: Headers): string | undefined {
  if (!LOCAL_HOSTNAMES.has(hostname)) return `was sent to '${hostname.slice(0, 80)}'`;
  for (const [name] of headers)
    if (PROXY_HEADER.test(name)) return `was forwarded, as its header ${name} shows`;
  const from = headers.get(CLIENT_IP_HEADER);
  if (from !== null && !LOOPBACK.test(from)) return `comes from ${from.slice(0, 80)}`;
  return undefined;
}

const LOCAL_HOSTNAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const LOOPBACK = /^(::1|(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i;

const TOKEN_ADVICE = `Set the secret ${TOKEN_SETTING} and send it as a bearer token, or pass \`auth\` to createHoldfast`;

/**
 * Returns the problem if no token is set. Strangers can read it, so it shows only the built-in var: other
 * names may be tokens that were passed by mistake.
 */
const createNoTokenProblem = (source: SecretSource): Problem =>
  new Problem(
    'not-configured',
    `This Worker has no token yet. ${source === TOKEN_SETTING ? TOKEN_ADVICE : 'Set the secret that its bearerToken reads'}.`,
  );

const createNoAuthProblem = (): Problem =>
  new Problem('not-configured', `This Worker has no authentication yet. ${TOKEN_ADVICE}.${localhostHint}`);

const createOnlyLocalhostProblem = (sign: string): Problem =>
  new Problem(
    'only-localhost',
    `This Worker only accepts requests from its own machine, but this one ${sign}. ${TOKEN_ADVICE}.`,
  );

/**
 * Returns the tokens that are set. @throws Problem if no token is set, ConfigurationError if the Secrets
 * Store fails.
 */
async function readTokens(env: Env, source: SecretSource): Promise<readonly string[]> {
  let tokens: readonly string[];
  try {
    tokens = await readSecrets(env, source);
  } catch (cause) {
    const which = source === TOKEN_SETTING ? TOKEN_SETTING : 'the bearer token';
    throw new ConfigurationError(`The Secrets Store did not return ${which}.`, { cause });
  }
  if (tokens.length === 0) throw createNoTokenProblem(source);
  return tokens;
}

/**
 * Compares two texts in constant time: both are signed with a temporary key, and all signatures have the same
 * length.
 */
async function isSameText(a: string, b: string): Promise<boolean> {
  const { subtle } = crypto;
  const key = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  if (!('type' in key)) return false; // HMAC has no key pairs
  const signature = await subtle.sign('HMAC', key, ENCODER.encode(a));
  return subtle.verify('HMAC', key, signature, ENCODER.encode(b));
}

/** A call, and its open question. */
interface QuestioningCall {
  readonly call: string;
  readonly wait: Wait;
}

/** @throws SessionError if a question is for a role that the caller does not have. */
export function assertRole(caller: Caller, { call, wait }: QuestioningCall): void {
  const role = findMissingRole(caller, wait);
  if (role === undefined) return;
  throw createRoleRequiredError(`Call ${call} must be answered by a person with the role '${role}'.`, {
    role,
  });
}

/** Returns the role that a question is for, if the caller lacks it. */
export const findMissingRole = ({ roles }: Caller, wait: Wait): string | undefined =>
  wait.for === 'decision' && wait.by !== undefined && !roles?.includes(wait.by) ? wait.by : undefined;

/** Makes the error for a caller who lacks a role. */
export const createRoleRequiredError = (
  problem: string,
  more: Readonly<Record<string, string>>,
): SessionError =>
  new SessionError('role-required', `${problem} Send the token of a person with this role.`, { more });
