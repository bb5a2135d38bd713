import * as v from 'valibot';
import type { Caller } from '../../create-holdfast.ts';
import { computeSha256Hex } from './sha256.ts';

export interface CookieEnv {
  readonly LOGINS: KVNamespace;
}

const DAY = 24 * 60 * 60;
const Login = v.object({
  id: v.string(),
  tenant: v.optional(v.string()),
  roles: v.optional(v.array(v.string())),
});

/** Returns the user who is logged in. */
export async function byCookie(request: Request, env: CookieEnv): Promise<Caller | null> {
  const [, secret] = /(?:^|;)\s*__Host-login=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? [];
  if (secret === undefined) return null;
  const login = v.safeParse(Login, await env.LOGINS.get(await computeSha256Hex(secret), 'json'));
  return login.success ? login.output : null;
}

/**
 * Creates a login, and returns the value of its `Set-Cookie` header. Call it after your login has checked the
 * password. Only a hash of the secret is stored, so a leaked copy of the KV namespace is useless.
 */
export async function logIn(caller: Caller, env: CookieEnv): Promise<string> {
  const secret = crypto.randomUUID() + crypto.randomUUID();
  await env.LOGINS.put(await computeSha256Hex(secret), JSON.stringify(caller), { expirationTtl: DAY });
  return `__Host-login=${secret}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${DAY}`;
}
