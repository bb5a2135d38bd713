/** Callers with an invalid token, or with false claims in a token. */

import { type Attack, containsText, hasStatus, isAnswer, isProblem, passesAll } from '../attack.ts';
import { listPendingCalls } from '../http.ts';
import { isHealthy } from '../invariants.ts';
import type { Claims, Forgery } from '../secrets.ts';
import { createToken } from '../secrets.ts';
import type { Victims } from '../victims.ts';
import { listZetaRoutes, otherRoutes } from './routes.ts';

const isUnauthorized = isProblem(401, 'unauthorized', 'Send valid credentials.');

const isInternalError = isProblem(
  500,
  'internal-error',
  'The request failed. The log of the Worker shows why. Accepted messages are kept.',
);

const zoe: Claims = { sub: 'zoe', tenant: 'zeta', roles: ['manager'] };

/** Invalid tokens, each with the reason. */
const forgedTokens: readonly (readonly [why: string, claims: Claims, forgery?: Forgery])[] = [
  ['is unsigned (alg none)', zoe, { alg: 'none' }],
  ['is unsigned, with another spelling of none', zoe, { alg: 'nOnE' }],
  ['is signed with another key', zoe, { key: 'guessed' }],
  ['is signed with an empty key', zoe, { key: '' }],
  ['claims an algorithm that the Worker does not check', zoe, { alg: 'RS256' }],
  ['has expired', { ...zoe, exp: 1_000_000_000 }],
  ['is for another audience', { ...zoe, aud: 'billing' }],
  ['has a list of audiences', { ...zoe, aud: ['billing', 'other'] }],
];

/** Correctly signed tokens of an issuer that lets its users choose their claims. */
const oddClaims: readonly (readonly [what: string, claims: Claims, says: RegExp])[] = [
  ['an id that is a list', { ...zoe, sub: ['zoe'] }, /id or tenant is empty or not a string/],
  ['an empty id', { ...zoe, sub: '' }, /id or tenant is empty or not a string/],
  ['no id', { ...zoe, sub: undefined }, /id or tenant is empty or not a string/],
  ['a number as tenant', { ...zoe, tenant: 7 }, /id or tenant is empty or not a string/],
  ['an object as tenant', { ...zoe, tenant: { tenant: 'zeta' } }, /id or tenant is empty or not a string/],
  ['an empty tenant', { ...zoe, tenant: '' }, /id or tenant is empty or not a string/],
  ['a text as roles', { ...zoe, roles: 'manager' }, /roles are not a list of strings/],
  ['an object as roles', { ...zoe, roles: { includes: true } }, /roles are not a list of strings/],
  ['a role that is not a text', { ...zoe, roles: [['manager']] }, /roles are not a list of strings/],
  ['the id of a webhook', { sub: 'webhook:github', tenant: 'acme' }, /the id 'webhook:github'/],
  ['the id of a schedule', { sub: 'schedule:nightly', tenant: 'acme' }, /the id 'schedule:nightly'/],
  ['the id of code', { sub: 'code', tenant: 'acme' }, /the id 'code'/],
];

const goodToken = createToken(zoe);
const [head = '', body = '', signature = ''] = goodToken.split('.');
const tamperedToken = `${head}.${Buffer.from(JSON.stringify({ sub: 'x', tenant: 'zeta', aud: 'holdfast', exp: 4e9 })).toString('base64url')}.${signature}`;

/** Values sent in place of a valid `Authorization: Bearer` header. */
const misplacedTokens: readonly (readonly [
  what: string,
  headers: readonly (readonly [string, string])[],
  query?: string,
])[] = [
  ['a token whose claims were changed', [['authorization', `Bearer ${tamperedToken}`]]],
  ['a token without its signature', [['authorization', `Bearer ${head}.${body}.`]]],
  ['a token of two parts', [['authorization', `Bearer ${head}.${body}`]]],
  ['a token of four parts', [['authorization', `Bearer ${goodToken}.x`]]],
  ['a valid token as Basic', [['authorization', `Basic ${goodToken}`]]],
  ['a valid token without a scheme', [['authorization', goodToken]]],
  ['a valid token in a cookie', [['cookie', `token=${goodToken}`]]],
  ['a valid token in the query', [], `?access_token=${goodToken}`],
  ['a valid token in another header', [['x-authorization', `Bearer ${goodToken}`]]],
  ['a valid token in a proxy header', [['proxy-authorization', `Bearer ${goodToken}`]]],
  [
    'a valid token after an invalid one',
    [
      ['authorization', 'Bearer x'],
      ['authorization', `Bearer ${goodToken}`],
    ],
  ],
  [
    'an identity in the headers of a gateway',
    [
      ['x-forwarded-user', 'zoe'],
      ['x-remote-user', 'zoe'],
      ['x-tenant', 'zeta'],
    ],
  ],
  ['an empty bearer', [['authorization', 'Bearer ']]],
  ['the word undefined', [['authorization', 'Bearer undefined']]],
];

export const listAuthenticationAttacks = (victims: Victims): readonly Attack[] => [
  ...[...otherRoutes, ...listZetaRoutes(victims)].map(
    ({ what, sent }): Attack => ({
      name: `${what} returns 401 without a token`,
      act: ({ nobody }) => nobody.ask(sent),
      comes: sent.method === 'HEAD' ? hasStatus(401) : isUnauthorized,
    }),
  ),
  ...forgedTokens.map(
    ([why, claims, forgery]): Attack => ({
      name: `a token that ${why} is refused`,
      act: ({ who }) => who(claims, forgery).get('/agents/clerk/sessions/vault'),
      comes: isUnauthorized,
    }),
  ),
  ...misplacedTokens.map(
    ([what, headers, query = '']): Attack => ({
      name: `${what} is not accepted as a token`,
      act: ({ nobody }) => nobody.ask({ path: `/agents/clerk/sessions/vault${query}`, headers }),
      comes: isUnauthorized,
    }),
  ),
  ...oddClaims.map(
    ([what, claims, says]): Attack => ({
      name: `a valid token with ${what} is refused`,
      act: ({ who }) => who(claims).get('/agents/clerk/sessions/vault'),
      comes: isInternalError,
      logs: says,
    }),
  ),
  {
    name: '/health reports only missing settings to callers without a token',
    async act({ nobody }) {
      const health = await nobody.get('/health?verbose=1');
      return [isHealthy(health), Object.keys(JSON.parse(health.text))];
    },
    comes: [true, ['type', 'title', 'status', 'detail', 'problems']],
  },
  {
    name: 'an approval is judged by the current roles of the token',
    async act({ rolf, own, play, who }) {
      const came = await rolf.post(`${own}/messages`, {
        message: play([{ name: 'refund', input: { amount: 3 } }]),
      });
      const [{ call }] = listPendingCalls(came);
      const demoted = who({ sub: 'rolf', tenant: 'acme', roles: [] });
      const refused = await demoted.post(`${own}/approvals/${call}`, { decision: 'approve' });
      await rolf.del(own);
      return refused;
    },
    comes: passesAll(isProblem(403, 'role-required'), isAnswer(403, { role: 'manager' })),
  },
  {
    name: 'a refusal contains no caller, tenant or token',
    act: async ({ who }) => (await who(zoe, { key: 'guessed' }).get('/agents/clerk/sessions/vault')).text,
    comes: containsText(/^(?!.*(zoe|zeta|eyJ)).*$/),
  },
];
