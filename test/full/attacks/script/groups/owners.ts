/** Sessions of other owners: by name, by the ids of their contents, and by callers with similar names. */
import {
  type Attack,
  containsText,
  formatResponse,
  hasStatus,
  isAnswer,
  isProblem,
  lacksText,
  passesAll,
} from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import { sayResult } from '../puppet-model.ts';
import type { Claims } from '../secrets.ts';
import { FILES, PENDING, PLANNED, VAULT, type Victims } from '../victims.ts';
import { listZetaRoutes, type RouteAttack } from './routes.ts';

/** Expects the response for a session that does not exist. */
function createNotFoundCheck({ what, sent }: RouteAttack): Attack['comes'] {
  if (sent.method === 'HEAD') return hasStatus(404);
  if (what.includes('file')) return isProblem(404, 'unknown-file');
  const [, session = ''] = /sessions\/(\w+)/.exec(sent.path) ?? [];
  return isProblem(
    404,
    'unknown-session',
    `There is no session '${session}'. POST /agents/clerk/sessions/${session}/messages starts it.`,
  );
}

/** Callers whose names could collide with the name of zeta. */
const lookalikes: readonly (readonly [who: string, claims: Claims])[] = [
  ['whose id is called like the tenant', { sub: 'zeta' }],
  ["whose id is written as the tenant's object", { sub: '{"tenant":"zeta"}' }],
  ["whose id would break out of the object's name", { sub: 'x","clerk","vault"],[{"tenant":"zeta"}' }],
  ['whose tenant is in capitals', { sub: 'zoe', tenant: 'ZETA' }],
  ['whose tenant ends with a blank', { sub: 'zoe', tenant: 'zeta ' }],
  ['whose tenant ends with a NUL', { sub: 'zoe', tenant: 'zeta\u0000' }],
  ['whose tenant has a letter of another alphabet', { sub: 'zoe', tenant: 'zet\u0430' }],
  ['whose tenant has an invisible character', { sub: 'zoe', tenant: 'ze\u200bta' }],
  ['whose tenant is composed otherwise', { sub: 'zoe', tenant: 'zet\u0061\u0301' }],
  ['whose tenant is written as its object', { sub: 'zoe', tenant: '{"tenant":"zeta"}' }],
  ['whose id is zoe, of another tenant', { sub: 'zoe', tenant: 'acme', roles: ['manager'] }],
  ['whose id is zoe, of no tenant', { sub: 'zoe', roles: ['manager'] }],
  ['called __proto__', { sub: '__proto__', tenant: '__proto__' }],
];

const lacksZetasWords = lacksText(/ZETA/);

/** Claims that a request makes outside of its token. */
const claimsBesideToken: readonly (readonly [
  what: string,
  headers: Readonly<Record<string, string>>,
  query: string,
])[] = [
  ['the query', {}, '?tenant=zeta&caller=zeta'],
  ['headers of the usual names', { 'x-tenant': 'zeta', 'x-tenant-id': 'zeta', 'x-owner': 'zeta' }, ''],
  ['the mapped header of a gateway', { 'x-gateway-tenant': 'zeta' }, ''],
  ['a cookie', { cookie: 'tenant=zeta' }, ''],
];

const inBody = ['tenant', 'owner', 'principal', 'from', 'caller', 'roles', 'by'];

export const listOwnerAttacks = (victims: Victims): readonly Attack[] => [
  ...listZetaRoutes(victims).flatMap((route) =>
    (['ann', 'impostor'] as const).map(
      (name): Attack => ({
        name: `${route.what} of zeta does not exist for ${name === 'ann' ? 'another tenant' : 'the caller id zeta'}`,
        act: (scene) => scene[name].ask(route.sent),
        comes: createNotFoundCheck(route),
      }),
    ),
  ),
  ...lookalikes.map(
    ([who, claims]): Attack => ({
      name: `a caller ${who} has no access to the sessions of zeta`,
      act: ({ who: somebody, at }) => somebody(claims).get(at(VAULT)),
      comes: isProblem(404, 'unknown-session'),
    }),
  ),
  ...claimsBesideToken.map(
    ([what, headers, query]): Attack => ({
      name: `a tenant that ${what} names gives no access`,
      act: ({ ann, at }) => ann.get(`${at(VAULT)}${query}`, headers),
      comes: isProblem(404, 'unknown-session'),
    }),
  ),
  ...inBody.map(
    (field): Attack => ({
      name: `a message cannot set its '${field}'`,
      act: ({ ann, own }) => ann.post(`${own}/messages`, { message: 'Hello.', [field]: 'zeta' }),
      comes: isProblem(422, 'invalid-body', `The body is not valid: ${field}: is not known here.`),
    }),
  ),
  ...[VAULT, PENDING, FILES, PLANNED].map(
    (victim): Attack => ({
      name: `DELETE of a session with the name ${victim} erases only the caller's own session`,
      act: ({ ann, at }) => ann.del(at(victim)),
      comes: hasStatus(204),
    }),
  ),
  {
    name: 'the caller id zeta that erases a session vault erases nothing of the tenant zeta',
    act: ({ impostor, at }) => impostor.del(at(VAULT)),
    comes: hasStatus(204),
  },
  {
    name: 'a session with the same name contains nothing of zeta',
    async act({ ann, at, play }) {
      const came = await ann.post(`${at(VAULT)}/messages`, { message: play('Mine.') });
      const state = await ann.get(at(VAULT));
      await ann.del(at(VAULT));
      return [formatResponse(came), `${came.text}${state.text}`.includes('ZETA')];
    },
    comes: ['200', false],
  },
  {
    name: "zeta's idempotency key is new for another owner and replays nothing",
    async act({ ann, at, play }) {
      const message = { message: play('Mine.') };
      const came = await ann.post(`${at(VAULT)}/messages`, message, { 'idempotency-key': victims.key });
      await ann.del(at(VAULT));
      return came;
    },
    comes: passesAll(isAnswer(200, { text: 'Mine.' }), lacksZetasWords),
  },
  {
    name: "a tool reads the principal's records, regardless of its input and the message",
    act: ({ ann, own, play }) =>
      ann.post(
        `${own}/messages`,
        {
          message: play([{ name: 'records', input: { tenant: 'zeta' } }], sayResult),
        },
        { 'x-gateway-tenant': 'zeta' },
      ),
    comes: isAnswer(200, { text: '{"records":"ACME-BOOKS-4411","asked":"zeta"}' }),
  },
  {
    name: "a tool cannot read zeta's file by its id",
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, {
        message: play([{ name: 'peek', input: { id: victims.file } }], sayResult),
      }),
    comes: isAnswer(200, { text: '{"found":false}' }),
  },
  {
    name: 'the principal of a call comes from the token',
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, {
        message: play([{ name: 'whoami', input: { principal: { id: 'zoe', tenant: 'zeta' } } }], sayResult),
      }),
    comes: containsText(/\{\\"principal\\":\{\\"id\\":\\"ann\\",\\"tenant\\":\\"acme\\"\}/),
  },
  {
    name: 'a turn of one session is not found by its id in another session of the same owner',
    async act({ ann, own, at, session, play }) {
      const { json } = await ann.post(`${own}/messages`, { message: play('Done.') });
      await ann.post(`${at(`${session}-b`)}/messages`, { message: play('Done.') });
      return ann.get(`${at(`${session}-b`)}/turns/${json?.turn}`);
    },
    comes: isProblem(404, 'unknown-turn'),
  },
  {
    name: 'a session of one agent does not exist under another agent',
    async act({ ann, own, at, session, play }) {
      await ann.post(`${own}/messages`, { message: play('Done.') });
      return ann.get(at(session, 'plain'));
    },
    comes: isProblem(404, 'unknown-session'),
  },
  {
    name: 'an agent that does not exist returns the same response to all callers',
    async act({ ann, impostor }) {
      const path = '/agents/secret-agent/sessions/x';
      const [one, other]: ReceivedResponse[] = await Promise.all([ann.get(path), impostor.get(path)]);
      return [formatResponse(one as ReceivedResponse), one?.text === other?.text];
    },
    comes: ['404 unknown-agent', true],
  },
];
