import * as v from 'valibot';
import type { Caller } from '../../create-holdfast.ts';
import { verifyToken } from './verify-token.ts';

export interface JwtEnv {
  readonly JWT_ISSUER: string;
  readonly JWT_AUDIENCE: string;
  readonly JWKS_URL: string;
}

const Name = v.pipe(v.string(), v.minLength(1));
const Claims = v.object({
  sub: Name,
  tenant: Name,
  roles: v.optional(v.array(Name), []),
  operator: v.optional(v.boolean(), false),
});

/** Returns the user of a bearer token, as a member of the tenant that the token names. */
export async function byJwt(request: Request, env: JwtEnv): Promise<Caller | null> {
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined) return null;
  const trusted = { issuer: env.JWT_ISSUER, audience: env.JWT_AUDIENCE, jwks: env.JWKS_URL };
  const claims = v.safeParse(Claims, await verifyToken(token, trusted));
  if (!claims.success) return null;
  const { sub: id, tenant, roles, operator } = claims.output;
  return { id, tenant, roles, operator };
}
