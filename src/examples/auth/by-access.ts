import * as v from 'valibot';
import type { Caller } from '../../create-holdfast.ts';
import { verifyToken } from './verify-token.ts';

export interface AccessEnv {
  /** The team's address, such as `https://acme.cloudflareaccess.com`. */
  readonly ACCESS_TEAM: string;
  readonly ACCESS_AUD: string;
  /** The e-mail addresses of managers, separated by commas. */
  readonly MANAGERS: string;
}

const User = v.object({ email: v.pipe(v.string(), v.email()) });
/** A service token has no e-mail address. Its `common_name` is the client id. */
const Service = v.object({ common_name: v.pipe(v.string(), v.minLength(1)) });

/** Returns the user, or the service, that Cloudflare Access let in. */
export async function byAccess(request: Request, env: AccessEnv): Promise<Caller | null> {
  const token = request.headers.get('cf-access-jwt-assertion');
  if (token === null) return null;
  const jwks = `${env.ACCESS_TEAM}/cdn-cgi/access/certs`;
  const claims = await verifyToken(token, { issuer: env.ACCESS_TEAM, audience: env.ACCESS_AUD, jwks });
  if (v.is(User, claims)) {
    const isManager = env.MANAGERS.split(',').includes(claims.email);
    return { id: claims.email, tenant: 'acme', roles: isManager ? ['manager'] : [] };
  }
  return v.is(Service, claims) ? { id: `service:${claims.common_name}`, tenant: 'acme' } : null;
}
