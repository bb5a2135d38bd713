/**
 * The secrets. The runner searches every response, every request to models and servers, and the log for each of
 * them.
 */
import { createHmac } from 'node:crypto';

const KEY = 'jwt-signing-key-Qm7vT2xL9cZ4';

/** The credentials among the vars of the attacked Worker. */
export const SECRETS = {
  JWT_KEY: KEY,
  API_KEY: 'api-key-Wp3nR8sK6yB1dF',
  REMOTE_TOKEN: 'remote-token-Hj5gM0aXq2Ve',
  MODEL_KEY: 'sk-model-Tz8uC4oNi7Lw',
  GITHUB_SECRET: 'github-secret-Ya6eP1rDk3Sb',
  GITHUB_OLD: 'github-old-Xc9iU2tGl5Mf',
  SLACK_SECRET: 'slack-secret-Vb7oE3wHn4Jq',
  STRIPE_SECRET: 'whsec_stripe-Zd1aO6pRs8Ku',
  STANDARD_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  /** A secret that is used in place of its name. It has the format of a name. */
  MISPLACED: 'misplaced_lemur_mango_wharf',
} as const;

/** Words that only the people of zeta may read. */
export const ZETAS_WORDS = ['ZETA-BOOKS-7702', 'ZETA-VAULT-9319', 'ZETA-FILE-5150'] as const;

/** The claims of a token. */
export interface Claims {
  readonly sub?: unknown;
  readonly tenant?: unknown;
  readonly roles?: unknown;
  readonly delegates?: unknown;
  readonly operator?: unknown;
  readonly aud?: unknown;
  readonly exp?: unknown;
}

/** The differences between a forged token and a valid one. */
export interface Forgery {
  readonly alg?: string;
  readonly key?: string;
}

const YEAR_2100 = 4_102_444_800;

/** Signs a JSON Web Token, by default with valid claims and the correct key. */
export function createToken(claims: Claims, { alg = 'HS256', key = KEY }: Forgery = {}): string {
  const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encodePart({ alg, typ: 'JWT' })}.${encodePart({ aud: 'holdfast', exp: YEAR_2100, ...claims })}`;
  return `${signed}.${alg === 'none' ? '' : createHmac('sha256', key).update(signed).digest('base64url')}`;
}
