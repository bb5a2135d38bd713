import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { ConfigurationError } from '../../create-holdfast.ts';

export interface TrustedIssuer {
  readonly issuer: string;
  /** The application for which the token was issued. */
  readonly audience: string;
  /** The URL of the issuer's public keys (JWKS). */
  readonly jwks: string;
}

/** Returns the claims of a valid token, or `undefined` if the token is invalid. Throws if the issuer's keys cannot be read. */
export async function verifyToken(token: string, trusted: TrustedIssuer): Promise<JWTPayload | undefined> {
  const { issuer, audience, jwks } = trusted;
  // Without these, `jwtVerify` would accept a token that was issued for another application.
  if (!issuer || !audience || !jwks)
    throw new ConfigurationError('The issuer, the audience or the keys are missing. Set all three.');
  const algorithms = ['RS256', 'ES256', 'EdDSA'];
  const requiredClaims = ['sub', 'exp'];
  try {
    const { payload } = await jwtVerify(token, getKeySet(jwks), {
      issuer,
      audience,
      algorithms,
      requiredClaims,
    });
    return payload;
  } catch (failure) {
    if (failure instanceof errors.JOSEError && INVALID_TOKEN_CODE.test(failure.code)) return undefined;
    throw failure;
  }
}

/** The codes by which jose rejects a token. Its other codes mean that the keys could not be read. */
const INVALID_TOKEN_CODE = /^ERR_(JWT_|JWS_|JOSE_ALG_|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING_KEY)/;

/** jose fetches the keys at the first token, and again if a token was signed with a new key. */
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

function getKeySet(url: string): ReturnType<typeof createRemoteJWKSet> {
  const keys = keySets.get(url) ?? createRemoteJWKSet(new URL(url));
  keySets.set(url, keys);
  return keys;
}
