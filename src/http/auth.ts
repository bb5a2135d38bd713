import type { Caller } from '../app/host.ts';
import { sha256 } from '../tools/sha256.ts';
import { Problem } from './problem.ts';

/** Tells who a request comes from; `null` refuses it. `env` holds the Worker's vars and secrets. */
export interface Authenticate {
  (request: Request, env: Readonly<Record<string, unknown>>): Caller | null | Promise<Caller | null>;
  /** What a refused client is told to send: a bearer token. Absent: it has to know. */
  readonly scheme?: 'Bearer' | undefined;
  /** Whose the sessions are that nobody has asked for, such as those of a webhook. Absent: each says it itself. */
  readonly owner?: ((env: Readonly<Record<string, unknown>>) => string) | undefined;
}

/** The ids of the callers whom the built-in authentication knows. */
const TOKEN = 'token';
const LOCAL = 'local';

/** The secret that is asked for when an app declares no `auth` of its own. */
export const TOKEN_SETTING = 'HOLDFAST_TOKEN';

/**
 * Lets in whoever sends `Authorization: Bearer {the secret of this name}`, as one owner. A secret that is not set
 * lets nobody in.
 */
export const bearerToken = (setting: string): Authenticate =>
  asking(
    () => TOKEN,
    async (request, env) => {
      const secret = env[setting];
      const expected = typeof secret === 'string' ? secret.trim() : ''; // secrets are pasted with line ends
      if (expected === '') throw notSet(setting);
      const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
      const matches = token !== undefined && (await sameText(token, expected));
      return matches ? { id: TOKEN } : null;
    },
  );

/** Without any `auth`: the token when it is set, else only this machine. */
export const defaultAuth: Authenticate = asking(
  (env) => (env[TOKEN_SETTING] ? TOKEN : LOCAL),
  (request, env) => {
    if (env[TOKEN_SETTING]) return bearerToken(TOKEN_SETTING)(request, env);
    if (!isLocal(new URL(request.url).hostname)) throw onlyLocal();
    warnOnce();
    return { id: LOCAL };
  },
);

function asking(owner: NonNullable<Authenticate['owner']>, auth: Authenticate): Authenticate {
  return Object.assign(auth, { scheme: 'Bearer' as const, owner });
}

const isLocal = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';

const setIt = (setting: string): string =>
  `Set the secret ${setting} (wrangler secret put ${setting}) and send it as a bearer token`;

const notSet = (setting: string): Problem =>
  new Problem(
    403,
    'not-configured',
    `This Worker has no token yet, so it answers nobody. ${setIt(setting)}.`,
  );

const onlyLocal = (): Problem =>
  new Problem(
    403,
    'not-configured',
    'This Worker answers only localhost until authentication is set up. ' +
      `${setIt(TOKEN_SETTING)}, or pass \`auth\` to createHoldfast.`,
  );

let warned = false;
function warnOnce(): void {
  if (warned) return;
  warned = true;
  console.warn(
    `holdfast: no authentication is configured; only localhost is answered. Set ${TOKEN_SETTING}.`,
  );
}

/** Compares in constant time; hashes first, so that not even the length shows. */
async function sameText(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([a, b].map(sha256));
  return left !== undefined && right !== undefined && crypto.subtle.timingSafeEqual(left, right);
}
