import type { Caller } from 'holdfast/worker';
import { createRemoteJWKSet, errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import * as v from 'valibot';

const name = v.pipe(v.string(), v.minLength(1));
const claimsSchema = v.object({
  sub: name,
  tenant: name,
  roles: v.optional(v.array(name), []),
  operator: v.optional(v.boolean(), false),
});

/**
 * Returns the caller of a valid token of the issuer. Sessions belong to its `tenant`, and its `roles` decide
 * which calls it may approve. An `operator` reaches the sessions of every tenant: let no tenant set this
 * claim.
 */
export async function authenticate(request: Request, env: Cloudflare.Env): Promise<Caller | null> {
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined) return null;
  const claims = v.safeParse(claimsSchema, await readPayload(token, env));
  if (!claims.success) return null;
  const { sub: id, tenant, roles, operator } = claims.output;
  return { id, tenant, roles, operator };
}

/** Returns the problem with the settings that makes all tokens invalid, or `undefined`. */
export function findMissingSettings(env: Cloudflare.Env): string | undefined {
  // Without them, the Worker would accept tokens of any other app.
  if (!env.JWT_ISSUER || !env.JWT_AUDIENCE) return 'JWT_ISSUER or JWT_AUDIENCE is missing. Set both.';
  if (env.JWKS_URL || (env.JWT_SECRET ?? '').length >= 32) return undefined;
  return 'JWKS_URL is missing. Set it, or in development JWT_SECRET with at least 32 characters.';
}

/** Returns the payload of a valid token, or `undefined`. Throws if the issuer's keys cannot be read. */
async function readPayload(token: string, env: Cloudflare.Env): Promise<unknown> {
  const problem = findMissingSettings(env);
  if (problem !== undefined) throw new Error(problem);
  const options: JWTVerifyOptions = {
    issuer: env.JWT_ISSUER,
    audience: env.JWT_AUDIENCE,
    requiredClaims: ['exp'],
  };
  try {
    // Each kind of key has its own algorithms, so that a public key is never used as a secret.
    const { payload } = env.JWKS_URL
      ? await jwtVerify(token, getKeySet(env.JWKS_URL), {
          ...options,
          algorithms: ['RS256', 'ES256', 'EdDSA'],
        })
      : await jwtVerify(token, new TextEncoder().encode(env.JWT_SECRET), {
          ...options,
          algorithms: ['HS256'],
        });
    return payload;
  } catch (failure) {
    if (failure instanceof errors.JOSEError && TOKEN_ERROR_CODE.test(failure.code)) return undefined;
    throw failure;
  }
}

/** The errors of jose that mean an invalid token. All others are faults of this Worker or the issuer. */
const TOKEN_ERROR_CODE = /^ERR_(JWT_|JWS_|JOSE_ALG_|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY)/;

/** The issuer's keys, fetched when they are first needed, and again when a token has a new one. */
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

function getKeySet(url: string): ReturnType<typeof createRemoteJWKSet> {
  const known = keySets.get(url) ?? createRemoteJWKSet(new URL(url));
  keySets.set(url, known);
  return known;
}
