/** Sessions of other owners, selected by `?owner=`. Only operators may read them, and each read is logged. */
import { type Attack, formatResponse, hasStatus, isProblem, lacksText, passesAll } from '../attack.ts';
import type { Scene } from '../scene.ts';
import type { Claims } from '../secrets.ts';
import { FILES, PENDING, VAULT, type Victims } from '../victims.ts';
import { listZetaRoutes, type RouteAttack } from './routes.ts';

const lacksZetasWords = lacksText(/ZETA/);

const isOperatorsOnly = isProblem(
  403,
  'role-required',
  'Only operators may do this: callers for whom `auth` returns operator: true. Send the token of a person with this role.',
);

const isOwnerTwice = isProblem(400, 'invalid-query', 'The query can contain `owner` only once.');

const withOwnerQuery = ({ what, sent }: RouteAttack, query: string): RouteAttack => ({
  what,
  sent: { ...sent, path: `${sent.path}${sent.path.includes('?') ? '&' : '?'}${query}` },
});

/** Spellings of the parameter, each with the expected response. */
const ownerQueries: readonly (readonly [query: string, comes: Attack['comes']])[] = [
  ['owner=tenant:zeta', isOperatorsOnly],
  ['owner=tenant%3Azeta', isOperatorsOnly],
  ['%6Fwner=tenant:zeta', isOperatorsOnly],
  ['owner=%74enant:zet%61', isOperatorsOnly],
  ['owner=', isOperatorsOnly],
  ['owner', isOperatorsOnly],
  ['owner=tenant:zeta%00', isOperatorsOnly],
  ['owner=%22zeta%22', isOperatorsOnly],
  ['owner=tenant:%22zeta%22', isOperatorsOnly],
  ['owner=__proto__', isOperatorsOnly],
  ['owner=tenant:acme&owner=tenant:zeta', isOwnerTwice],
  ['owner=tenant:zeta&owner=tenant:acme', isOwnerTwice],
  ['owner=tenant:zeta&operator=true', isOperatorsOnly],
  // These parameters do not name an owner, so the request is for the caller's own session.
  ['Owner=tenant:zeta', isProblem(404, 'unknown-session')],
  ['owner[]=tenant:zeta', isProblem(404, 'unknown-session')],
  ['owner%00=tenant:zeta', isProblem(404, 'unknown-session')],
  ['x=1;owner=tenant:zeta', isProblem(404, 'unknown-session')],
];

/** Ways to claim to be an operator. */
const claimedOperators: readonly (readonly [what: string, claims: Claims])[] = [
  ['a text', { operator: 'true' }],
  ['a number', { operator: 1 }],
  ['a list', { operator: [true] }],
  ['a role', { roles: ['operator', 'admin', '*'] }],
];

/** Actions that operators must not perform. */
const ownerRequests: readonly (readonly [method: string, below: string, body: string])[] = [
  ['POST', '/messages', '{"message":"Hello."}'],
  ['POST', '/results/c1', '{"result":1}'],
  ['PATCH', '', '{"title":"Mine"}'],
];

/** Creates a session of a separate owner, whose answer contains a secret word. */
async function settleSession({ who, session, at, play }: Scene) {
  const dan = who({ sub: 'dan', tenant: session });
  await dan.post(`${at(VAULT)}/messages`, { message: play('The word is DAN-4711.') });
  const getVaultPath = (below = '') => `${at(VAULT)}${below}?owner=tenant:${session}`;
  return { dan, of: getVaultPath, olga: who({ sub: 'olga', operator: true }) };
}

const countAccesses = (text: string): number => text.split('"operator-access"').length - 1;

export const listOperatorAttacks = (victims: Victims): readonly Attack[] => [
  ...listZetaRoutes(victims).map((route): Attack => {
    const { what, sent } = withOwnerQuery(route, 'owner=tenant:zeta');
    return {
      name: `${what} of zeta is refused to a caller who names zeta and is not an operator`,
      act: ({ rolf }) => rolf.ask(sent),
      comes: sent.method === 'HEAD' ? hasStatus(403) : isOperatorsOnly,
    };
  }),
  ...[VAULT, PENDING, FILES].map(
    (victim): Attack => ({
      name: `${victim} of zeta is not erased by a caller who names zeta and is not an operator`,
      act: ({ rolf, at }) => rolf.del(`${at(victim)}?owner=tenant:zeta`),
      comes: isOperatorsOnly,
    }),
  ),
  ...ownerQueries.map(
    ([query, comes]): Attack => ({
      name: `a session of zeta is not shown by ?${query}`,
      act: ({ rolf, at }) => rolf.get(`${at(VAULT)}?${query}`),
      comes: typeof comes === 'function' ? passesAll(comes, lacksZetasWords) : comes,
    }),
  ),
  ...claimedOperators.map(
    ([what, claims]): Attack => ({
      name: `${what} in the token does not give an operator's access to a session of zeta`,
      act: ({ who, at }) =>
        who({ sub: 'eve', tenant: 'acme', ...claims }).get(`${at(VAULT)}?owner=tenant:zeta`),
      comes: isOperatorsOnly,
    }),
  ),
  {
    name: 'a person for whom an operator sends requests cannot read sessions of zeta',
    act: ({ who, at }) =>
      who({ sub: 'server', delegates: true, operator: true })
        .at('chat')
        .get(`${at(VAULT)}?owner=tenant:zeta`, { 'x-user-id': 'eve' }),
    comes: isOperatorsOnly,
  },
  {
    name: 'a surface and an endpoint ignore the owner parameter, also for an operator',
    async act({ who }) {
      const olga = who({ sub: 'olga', operator: true });
      const query = '?owner=tenant:zeta';
      const id = `/v1/responses/${victims.turn}`;
      const came = [await olga.at('chat').get(id + query), await olga.get(`/agents${query}`)];
      return came.map(({ text }) => text).join();
    },
    comes: lacksZetasWords,
  },
  ...ownerRequests.map(
    ([method, below, body]): Attack => ({
      name: `an operator cannot act for an owner: ${method} ${below}`,
      async act(scene) {
        const { dan, of, olga } = await settleSession(scene);
        const came = await olga.ask({
          method,
          path: of(below),
          headers: [['content-type', 'application/json']],
          body,
        });
        const { text } = await dan.get(`${scene.at(VAULT)}/events`);
        return [formatResponse(came), countAccesses(text), text.split('"turn-started"').length - 1];
      },
      comes: ['403 role-required', 0, 1],
    }),
  ),
  {
    name: 'each way in which an operator reads a session is recorded without its content',
    async act(scene) {
      const { dan, of, olga } = await settleSession(scene);
      const ways = [of(), of('/events'), `${of('/events')}&limit=1`, `${of()}&`];
      const came = [];
      for (const way of ways) came.push((await olga.get(way)).status);
      const head = await olga.ask({ method: 'HEAD', path: of() });
      const cut = await olga.get(of('/events'), { accept: 'application/json' });
      const { json } = await dan.get(`${scene.at(VAULT)}/events`);
      const events: readonly unknown[] = Array.isArray(json?.events) ? json.events : [];
      const traces = events.map((event) => JSON.stringify(event)).filter((text) => countAccesses(text) > 0);
      return [...came, head.status, cut.status, traces.length, traces.some((text) => text.includes('DAN'))];
    },
    comes: [200, 200, 200, 200, 200, 200, 6, false],
  },
];
