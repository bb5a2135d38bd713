/**
 * Attacks on the built-in authentication: localhost, a token, no authentication, and pages of other origins.
 */
import { type Attack, type Check, isProblem, passesAll } from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import { SECRETS } from '../secrets.ts';

const SET_TOKEN =
  'Set the secret HOLDFAST_TOKEN and send it as a bearer token, or pass `auth` to createHoldfast.';

/** Expects the refusal of local mode, with the header or host that shows that the request is not local. */
export const isOnlyLocal = (sign: string): Check =>
  isProblem(
    403,
    'only-localhost',
    `This Worker only accepts requests from its own machine, but this one ${sign}. ${SET_TOKEN}`,
  );

/** Headers of proxies and tunnels, in different spellings. */
const forwardedHeaders: readonly (readonly [name: string, value: string])[] = [
  ['forwarded', 'for=1.2.3.4'],
  ['Forwarded', ''],
  ['x-forwarded-for', '127.0.0.1'],
  ['X-Forwarded-For', '::1'],
  ['x-forwarded-host', 'localhost'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-port', '8787'],
  ['x-forwarded-client-cert', 'x'],
  ['X-FORWARDED-ANYTHING', 'x'],
  ['x-real-ip', '127.0.0.1'],
  ['via', '1.1 tunnel'],
];

/** Host names that do not belong to this machine. */
const hosts = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  '0.0.0.0',
  '127.0.0.2',
  '10.0.0.1',
  'localhost.',
  'xn--lcalhost-7ya.example',
];

const localAttacks: readonly Attack[] = [
  ...forwardedHeaders.map(
    ([name, value]): Attack => ({
      name: `on localhost, a request with ${name}: ${value} counts as forwarded`,
      act: ({ nobody }) => nobody.at('local').ask({ path: '/agents', headers: [[name, value]] }),
      comes: isOnlyLocal(`was forwarded, as its header ${name.toLowerCase()} shows`),
    }),
  ),
  ...hosts.map(
    (host): Attack => ({
      name: `on localhost, a request to the host ${host} is refused`,
      act: ({ nobody }) => nobody.at('local').ask({ path: '/agents', headers: [['host', host]] }),
      comes: isOnlyLocal(`was sent to '${host}'`),
    }),
  ),
  {
    name: 'on localhost, a page with DNS rebinding is refused, although it has the origin of the Worker',
    act: ({ nobody }) =>
      nobody.at('local').ask({
        method: 'POST',
        path: '/agents/plain/sessions/r/messages',
        headers: [
          ['host', 'evil.example'],
          ['origin', 'http://evil.example'],
          ['content-type', 'application/json'],
        ],
        body: '{"message":"hello"}',
      }),
    comes: isOnlyLocal("was sent to 'evil.example'"),
  },
  {
    name: 'on localhost, a repeated proxy header is recognized',
    act: ({ nobody }) =>
      nobody.at('local').ask({
        path: '/agents',
        headers: [
          ['x-forwarded-for', '127.0.0.1'],
          ['x-forwarded-for', '9.9.9.9'],
        ],
      }),
    comes: isOnlyLocal('was forwarded, as its header x-forwarded-for shows'),
  },
];

const wrongToken = isProblem(401, 'unauthorized', 'Send a valid token as "Authorization: Bearer ...".');

const token = SECRETS.API_KEY;

/** Invalid tokens by kind. */
const tokens: readonly (readonly [what: string, header: string, value: string])[] = [
  ['no token', 'x-none', ''],
  ['a wrong token', 'authorization', 'Bearer wrong'],
  ['a prefix of the token', 'authorization', `Bearer ${token.slice(0, -1)}`],
  ['the token with a suffix', 'authorization', `Bearer ${token}x`],
  ['the token in capitals', 'authorization', `Bearer ${token.toUpperCase()}`],
  ['the token twice', 'authorization', `Bearer ${token} ${token}`],
  ['the token as Basic', 'authorization', `Basic ${btoa(`user:${token}`)}`],
  ['the token as an API key', 'x-api-key', token],
  ['the token in a cookie', 'cookie', `authorization=Bearer ${token}`],
];

const tokenAttacks: readonly Attack[] = [
  ...tokens.map(
    ([what, header, value]): Attack => ({
      name: `if a token is set, ${what} is refused, also on localhost`,
      act: ({ nobody }) => nobody.at('token').ask({ path: '/agents', headers: [[header, value]] }),
      comes: passesAll(wrongToken, checkChallenge),
    }),
  ),
  {
    name: 'if a token is set, a token in the query is refused',
    act: ({ nobody }) => nobody.at('token').get(`/agents?token=${token}&access_token=${token}`),
    comes: wrongToken,
  },
];

function checkChallenge(came: unknown): string | undefined {
  const { headers } = came as ReceivedResponse; // `act` returns a response
  return headers['www-authenticate'] === 'Bearer' ? undefined : 'the answer has no challenge';
}

/** The refusal if the app configures no authentication. */
export const isNoAuth = isProblem(
  401,
  'not-configured',
  `This Worker has no authentication yet. ${SET_TOKEN.slice(0, -1)}. On your own machine, HOLDFAST_AUTH=localhost in .dev.vars lets you in without a token.`,
);

const unsetAttacks: readonly Attack[] = [
  ...['/', '/agents', '/openapi.json', '/agents/clerk/sessions/vault', '/nothing'].map(
    (path): Attack => ({
      name: `without configured authentication, ${path} is refused`,
      act: ({ nobody }) => nobody.at('shut').get(path),
      comes: isNoAuth,
    }),
  ),
  ...['Bearer undefined', 'Bearer ', 'Bearer null', 'Basic Og=='].map(
    (value): Attack => ({
      name: `without configured authentication, "${value}" gives no access`,
      act: ({ nobody }) => nobody.at('shut').get('/agents', { authorization: value }),
      comes: isNoAuth,
    }),
  ),
];

const crossSite = isProblem(
  403,
  'cross-site',
  "A page on another site sent this request. If it is yours, add cors({ origins }) from 'holdfast/http' to `use`.",
);

/** Browser requests from pages of forbidden origins. */
const pages: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
  ['of another origin', { origin: 'https://evil.example' }],
  ['without an origin (sandboxed)', { origin: 'null' }],
  ['whose origin starts like an allowed one', { origin: 'https://app.example.evil.example' }],
  ['of an allowed host with another port', { origin: 'https://app.example:8443' }],
  ['of an allowed host over plain http', { origin: 'http://app.example' }],
  ['of a subdomain of an allowed host', { origin: 'https://x.app.example' }],
  ['whose origin contains an allowed one', { origin: 'https://app.example@evil.example' }],
  ['on another site without an origin', { 'sec-fetch-site': 'cross-site' }],
  ['of this host with another port', { origin: 'http://127.0.0.1:1' }],
];

const message = '/agents/plain/sessions/page/messages';

const pageAttacks: readonly Attack[] = [
  ...pages.map(
    ([what, headers]): Attack => ({
      name: `a page ${what} cannot send a message as its visitor`,
      act: ({ ann }) => ann.post(message, { message: 'Hello.' }, headers),
      comes: crossSite,
    }),
  ),
  ...['/mcp', '/agents/clerk/sessions/vault/cancel', '/agents/clerk/sessions/vault/approvals/x'].map(
    (path): Attack => ({
      name: `a page on another site cannot POST ${path}`,
      act: ({ ann }) => ann.post(path, {}, { origin: 'https://evil.example' }),
      comes: crossSite,
    }),
  ),
  {
    name: 'a page on another site cannot erase a session',
    act: ({ ann }) =>
      ann.ask({
        method: 'DELETE',
        path: '/agents/clerk/sessions/x',
        headers: [['origin', 'https://evil.example']],
      }),
    comes: crossSite,
  },
  {
    name: 'a form on another site, which a browser sends without a preflight, is refused before it is read',
    act: ({ nobody }) =>
      nobody.at('local').post(message, 'message=Hello', {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://evil.example',
      }),
    comes: crossSite,
  },
  {
    name: 'CORS does not allow a page on another site to read a response',
    async act({ ann }) {
      const { headers } = await ann.get('/agents', { origin: 'https://evil.example' });
      return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
    },
    comes: [],
  },
];

export const listEntranceAttacks = (): readonly Attack[] => [
  ...localAttacks,
  ...tokenAttacks,
  ...unsetAttacks,
  ...pageAttacks,
];
