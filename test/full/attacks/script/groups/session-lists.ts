/** Data about all sessions of an owner: lists, the inbox, usage, owners, and their erasure. */
import {
  type Attack,
  type Check,
  formatResponse,
  hasStatus,
  isProblem,
  lacksText,
  passesAll,
} from '../attack.ts';
import type { ReceivedResponse, RequestToSend } from '../http.ts';
import { pollUntil } from '../patience.ts';
import type { Person } from '../person.ts';
import type { Scene } from '../scene.ts';
import type { Claims } from '../secrets.ts';
import { FILES, PENDING, PLANNED, VAULT } from '../victims.ts';
import { startWaitingTurn } from './waiting.ts';

const LIST = '/agents/clerk/sessions';

const ZETA = '/owners/tenant:zeta';

const operators = isProblem(
  403,
  'role-required',
  'Only operators may do this: callers for whom `auth` returns operator: true. Send the token of a person with this role.',
);

/** Checks that a list or an inbox contains no data of zeta. */
const nothingOfZeta: Check = passesAll(
  hasStatus(200),
  lacksText(new RegExp(`tenant:zeta|ZETA|"session":"(?:${[VAULT, PENDING, FILES, PLANNED].join('|')})"`)),
);

/** Callers whose names resemble zeta. */
const lookalikes: readonly Claims[] = [
  { sub: 'tenant:zeta' },
  { sub: 'owners' },
  { sub: '"zeta"' },
  { sub: 'x', tenant: 'tenant:zeta' },
  { sub: 'x', tenant: '"zeta"' },
  { sub: 'x', tenant: 'zeta ' },
  { sub: 'x', tenant: 'zeta\u0000' },
  { sub: 'x', tenant: 'zeta\ud800' },
  { sub: 'x', tenant: 'ZETA' },
  { sub: 'x', tenant: '{"tenant":"zeta"}' },
  { sub: 'x', tenant: "zeta' OR 1=1 --" },
];

/** Requests that only operators can make. */
const operatorRequests: readonly (readonly [what: string, sent: RequestToSend])[] = [
  ['a list of zeta', { path: `${LIST}?owner=tenant:zeta` }],
  ['a list of zeta beside its own', { path: `${LIST}?owner=tenant:acme&owner=tenant:zeta` }],
  ['a list of somebody without a name', { path: `${LIST}?owner=` }],
  ['the usage of zeta', { path: '/usage?owner=tenant:zeta' }],
  ['all owners', { path: '/owners' }],
  ['how zeta stands', { path: ZETA }],
  ['how zeta stands, encoded', { path: '/owners/%74enant%3Azeta' }],
  ['that zeta is erased', { method: 'DELETE', path: ZETA }],
  ['that its own tenant is erased', { method: 'DELETE', path: '/owners/tenant:acme' }],
];

const erasureRequest: RequestToSend = { method: 'DELETE', path: ZETA };

/** Ways to claim to be an operator. */
const claimedOperators: readonly (readonly [what: string, claims: Claims, more: Partial<RequestToSend>])[] = [
  ['a text in the token', { operator: 'true' }, {}],
  ['a number in the token', { operator: 1 }, {}],
  ['a list in the token', { operator: [true] }, {}],
  ['a role', { roles: ['operator', 'admin', '*'] }, {}],
  ['a header', {}, { headers: [['x-operator', 'true']] }],
  ['the query', {}, { path: `${ZETA}?operator=true` }],
  ['a body', {}, { headers: [['content-type', 'application/json']], body: '{"operator":true}' }],
];

const encodeCursor = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Forged cursors in the correct format. They point into the caller's own list. */
const forgedCursors: readonly unknown[] = [
  [9e15, 'clerk', ''],
  [9e15, 'clerk', VAULT],
  [9e15, "' OR 1=1 --", '\u0000'],
  [9e15, 'clerk', '\ud800', 'tenant:zeta'],
];

const badQueries: readonly string[] = [
  ...['status=zeta', 'status=', 'status=__proto__', 'status=waiting%00'],
  ...[
    'since=1e400',
    `since=${'9'.repeat(400)}`,
    'since=-1',
    'since=2026-13-45',
    'since=%E2%80%AE1',
    'since=',
  ],
  ...['limit=0', 'limit=101', 'limit=1e9', 'limit=-1', 'limit=1.5', `limit=${'1'.repeat(3000)}`, 'limit=%00'],
  ...['cursor=', 'cursor=%00', 'cursor=%FF', `cursor=${'A'.repeat(6000)}`, `cursor=${'W1tb'.repeat(1500)}`],
  ...[[], {}, null, 'x', [1], ['1', 'clerk', 'x'], [1.5, 'a', 'b'], [2 ** 60, 'a', 'b'], [1, {}, 'b']].map(
    (place) => `cursor=${encodeCursor(place)}`,
  ),
];

const patch = (by: Person, path: string, body: unknown): Promise<ReceivedResponse> =>
  by.ask({
    method: 'PATCH',
    path,
    headers: [['content-type', 'application/json']],
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const badTitles: readonly (readonly [what: string, body: unknown, comes: Check])[] = [
  ['of a megabyte', { title: 'x'.repeat(1_000_000) }, isProblem(413, 'body-too-large')],
  ['of 201 characters', { title: 'x'.repeat(201) }, isProblem(422, 'invalid-body')],
  ['with a command for a terminal', { title: '\u001b[2Jok' }, isProblem(422, 'invalid-body')],
  ['that turns what follows', { title: '\u202eko' }, isProblem(422, 'invalid-body')],
  ['with half a character', { title: '\ud800' }, isProblem(422, 'invalid-body')],
  ['of several lines', { title: 'ok\nok' }, isProblem(422, 'invalid-body')],
  ['that is an object', { title: { toString: 'x' } }, isProblem(422, 'invalid-body')],
  ['for another owner', { title: 'x', owner: 'tenant:zeta' }, isProblem(422, 'invalid-body')],
  ['that is no JSON', 'title', isProblem(400, 'bad-json')],
];

const getInbox = async (by: Person): Promise<ReceivedResponse> => by.get('/pending');

const listsSession = (came: ReceivedResponse, session: string): boolean =>
  came.text.includes(`"session":"${session}"`);

/** Creates a waiting call. Returns, for each person, whether the call is in that inbox. */
async function checkInboxes(scene: Scene, tool: string, ...people: readonly Person[]): Promise<boolean[]> {
  const { rolf, session, own } = scene;
  await startWaitingTurn(scene, tool);
  await pollUntil(
    () => rolf.get(`${LIST}?status=waiting`),
    (came) => listsSession(came, session),
  );
  const shown = await Promise.all(people.map(async (one) => listsSession(await getInbox(one), session)));
  await rolf.del(own);
  return shown;
}

export const listSessionListAttacks = (): readonly Attack[] => [
  ...['sessions', 'inbox', 'usage'].flatMap((what) => {
    const path = { sessions: LIST, inbox: '/pending', usage: '/usage?by=agent' }[what] ?? '';
    return [
      {
        name: `${what}: another tenant receives nothing of zeta`,
        act: ({ rolf }: Scene) => rolf.get(path),
        comes: nothingOfZeta,
      },
      {
        name: `${what}: a caller without a token receives nothing`,
        act: ({ nobody }: Scene) => nobody.get(path),
        comes: isProblem(401, 'unauthorized'),
      },
    ];
  }),
  {
    name: 'callers with names similar to zeta receive neither its sessions, nor its inbox, nor its usage',
    async act({ who }) {
      const seen: string[] = [];
      for (const claims of lookalikes) {
        const one = who({ ...claims, roles: ['manager'] });
        const [sessions, pending, used] = [await one.get(LIST), await getInbox(one), await one.get('/usage')];
        const { total } = Object(used.json);
        if (`${sessions.text}${pending.text}` !== '{"sessions":[],"next":null}{"waiting":[],"next":null}')
          seen.push(JSON.stringify(claims));
        if (total.turns !== 0) seen.push(used.text);
      }
      return seen;
    },
    comes: [],
  },
  {
    name: 'owners whose names cannot be encoded are not the same owner',
    async act({ who, session, at, play }) {
      const as = (half: string): Person => who({ sub: 'x', tenant: `${session}${half}` });
      await as('\ud800').post(`${at(VAULT)}/messages`, { message: play('Done.') });
      await pollUntil(
        () => as('\ud800').get(LIST),
        (came) => listsSession(came, VAULT),
      );
      const others = await Promise.all(['', '\ud801', '\ufffd'].map((half) => as(half).get(LIST)));
      return others.some((came) => listsSession(came, VAULT));
    },
    comes: false,
  },
  ...operatorRequests.map(
    ([what, sent]): Attack => ({
      name: `a caller who is not an operator cannot request ${what}`,
      act: ({ rolf }) => rolf.ask(sent),
      comes: operators,
    }),
  ),
  {
    name: 'the last owner in a query counts, and can be the caller',
    act: ({ rolf }) => rolf.get(`${LIST}?owner=tenant:zeta&owner=tenant:acme`),
    comes: nothingOfZeta,
  },
  ...claimedOperators.map(
    ([what, claims, more]): Attack => ({
      name: `${what} does not make a caller an operator`,
      act: ({ who }) => who({ sub: 'eve', tenant: 'acme', ...claims }).ask({ ...erasureRequest, ...more }),
      comes: operators,
    }),
  ),
  {
    name: 'a person for whom an operator sends requests is not an operator',
    act: ({ who }) =>
      who({ sub: 'server', delegates: true, operator: true })
        .at('chat')
        .ask({ ...erasureRequest, headers: [['x-user-id', 'eve']] }),
    comes: operators,
  },
  {
    name: 'an operator can read the list of zeta, but neither its sessions nor its inbox',
    async act({ who, at }) {
      const olga = who({ sub: 'olga', operator: true, roles: ['manager'] });
      const list = await olga.get(`${LIST}?owner=tenant:zeta`);
      const [session, pending] = [await olga.get(at(VAULT)), await getInbox(olga)];
      return [
        listsSession(list, VAULT),
        /"url"/.test(list.text),
        formatResponse(session),
        listsSession(pending, PENDING),
      ];
    },
    comes: [true, false, '404 unknown-session', false],
  },
  ...forgedCursors.map(
    (place): Attack => ({
      name: `the cursor ${JSON.stringify(place)} shows nothing of zeta`,
      act: ({ rolf }) => rolf.get(`${LIST}?cursor=${encodeCursor(place)}`),
      comes: nothingOfZeta,
    }),
  ),
  {
    name: 'a cursor of zeta shows nothing of zeta',
    async act({ zoe, rolf }) {
      const { json } = await pollUntil(
        () => zoe.get(`${LIST}?limit=1`),
        (came) => typeof came.json?.next === 'string',
      );
      return rolf.get(`${LIST}?cursor=${json?.next}`);
    },
    comes: nothingOfZeta,
  },
  ...badQueries.map(
    (query): Attack => ({
      name: `?${query.slice(0, 60)} is refused`,
      act: ({ ann }) => ann.get(`${LIST}?${query}`),
      comes: passesAll(isProblem(400, 'invalid-query'), lacksText(/SELECT|SQLITE/)),
    }),
  ),
  ...badTitles.map(
    ([what, body, comes]): Attack => ({
      name: `a title ${what} is refused`,
      async act({ ann, own, play }) {
        await ann.post(`${own}/messages`, { message: play('Done.') });
        return patch(ann, own, body);
      },
      comes,
    }),
  ),
  ...[VAULT, PENDING, FILES, PLANNED].map(
    (victim): Attack => ({
      name: `another tenant cannot set the title of ${victim} of zeta`,
      act: ({ impostor, at }) => patch(impostor, at(victim), { title: 'Mine' }),
      comes: isProblem(404, 'unknown-session'),
    }),
  ),
  {
    name: 'an inbox shows a call to callers with its role, and to no other tenant',
    act: (scene) => checkInboxes(scene, 'refund', scene.rolf, scene.ann, scene.zoe, scene.impostor),
    comes: [true, false, false, false],
  },
  {
    name: 'an inbox does not show a call to its requester if another person must decide',
    act: (scene) => checkInboxes(scene, 'transfer', scene.rolf, scene.ann, scene.zoe),
    comes: [true, false, false],
  },
  {
    name: 'an erasure removes only the sessions of its owner, and refuses new ones meanwhile',
    async act({ who, session, at, play }) {
      const [dan, namesake, olga] = [
        who({ sub: 'dan', tenant: session }),
        who({ sub: session }),
        who({ sub: 'olga', operator: true }),
      ];
      const message = play('Done.');
      for (const one of [dan, namesake]) await one.post(`${at(VAULT)}/messages`, { message });
      const owner = `/owners/tenant:${session}`;
      const begun = formatResponse(await olga.del(owner));
      const [meanwhile, list] = [
        await dan.post(`${at('new')}/messages`, { message: play('New.') }),
        await dan.get(LIST),
      ];
      await pollUntil(
        () => olga.get(owner),
        (came) => came.text.includes('"status":"erased"'),
      );
      const left = [await dan.get(at(VAULT)), await dan.get(at('new')), await namesake.get(at(VAULT))];
      return [begun, formatResponse(meanwhile), list.text, ...left.map(formatResponse)];
    },
    comes: [
      '202',
      '409 erasing',
      '{"sessions":[],"next":null}',
      '404 unknown-session',
      '404 unknown-session',
      '200',
    ],
  },
];
