/** Paths and bytes that another parser could interpret differently. */
import { type Attack, type Check, hasStatus, isProblem, lacksText, passesAll } from '../attack.ts';
import { VAULT } from '../victims.ts';

const badId = isProblem(
  400,
  'invalid-session-id',
  'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
);

/** Session ids in a path, sent without a client's normalization. */
const ids: readonly (readonly [id: string, comes: Check])[] = [
  ['%2e%2e%2fvault', badId],
  ['%2e%2e%5cvault', badId],
  ['..%2f..%2fagents', badId],
  ['..%252fvault', badId],
  ['%00', badId],
  ['vault%00', badId],
  ['vault%20', badId],
  ['vault%0d%0ax-evil:1', badId],
  ['va%CC%88ult', badId],
  ['v%D0%B0ult', badId],
  ['%EF%BD%96ault', badId],
  ['vault%E2%80%8B', badId],
  ['%22%2C%22clerk%22%2C%22vault', badId],
  ['%5B%7B%22tenant%22%3A%22zeta%22%7D%5D', badId],
  ['vault;tenant=zeta', badId],
  ['%ff%fe', badId],
  ['a'.repeat(129), badId],
  ['VAULT', isProblem(404, 'unknown-session')],
  ['vault.', isProblem(404, 'unknown-session')],
  ['__proto__', isProblem(404, 'unknown-session')],
  ['..', hasStatus(404)],
  ['.', hasStatus(404)],
  ['', hasStatus(404)],
];

/** Invalid paths. */
const strangePaths: readonly (readonly [path: string, comes: Check])[] = [
  [`/agents/clerk/sessions/${VAULT}/`, hasStatus(404)],
  [`//agents/clerk/sessions/${VAULT}`, hasStatus(404)],
  [`/agents//clerk/sessions/${VAULT}`, hasStatus(404)],
  [`/agents/clerk/../clerk/sessions/${VAULT}`, isProblem(404, 'unknown-session')],
  ['/agents/%2e%2e/health', hasStatus(404, 500)],
  [`/AGENTS/clerk/sessions/${VAULT}`, isProblem(404, 'unknown-route')],
  [`/agents/Clerk/sessions/${VAULT}`, isProblem(404, 'unknown-agent')],
  [`/agents/__proto__/sessions/${VAULT}`, isProblem(404, 'unknown-agent')],
  [`/agents/constructor/sessions/${VAULT}`, isProblem(404, 'unknown-agent')],
  [`/agents/clerk%00/sessions/${VAULT}`, isProblem(404, 'unknown-agent')],
  [`/agents/clerk%2Fsessions/${VAULT}`, isProblem(404, 'unknown-route')],
  ['/agents/clerk/sessions/x/events/../../../../../etc/passwd', isProblem(404, 'unknown-route')],
  ['/openapi.json/../agents/secret', isProblem(404, 'unknown-route')],
  [`/agents/clerk/sessions/${VAULT}?__proto__[tenant]=zeta`, isProblem(404, 'unknown-session')],
];

/** Bytes that two servers could split into requests differently. */
const smuggledRequests: readonly (readonly [what: string, bytes: (host: string) => string])[] = [
  [
    'two lengths',
    (host) =>
      `POST /agents HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nabcdeGET /agents HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ],
  [
    'a length beside chunks',
    (host) =>
      `POST /agents HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /agents HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ],
  [
    'chunks in another spelling',
    (host) =>
      `POST /agents HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /agents HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ],
  [
    'a header that is folded',
    (host) => `GET /agents HTTP/1.1\r\nHost: ${host}\r\nX-A: 1\r\n Authorization: Bearer x\r\n\r\n`,
  ],
  [
    'a blank before the colon',
    (host) => `GET /agents HTTP/1.1\r\nHost: ${host}\r\nAuthorization : Bearer x\r\n\r\n`,
  ],
  ['a NUL in a header', (host) => `GET /agents HTTP/1.1\r\nHost: ${host}\r\nX-A: a\0b\r\n\r\n`],
  ['an absolute address', (host) => `GET http://evil.example/agents HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  ['no host', () => 'GET /agents HTTP/1.1\r\n\r\n'],
  ['a CONNECT', (host) => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
];

export const listPathAttacks = (): readonly Attack[] => [
  ...ids.map(
    ([id, comes]): Attack => ({
      name: `the id '${id.slice(0, 32)}' gives no access to a session of zeta`,
      act: ({ ann }) => ann.get(`/agents/clerk/sessions/${id}`),
      comes: passesAll(comes, lacksText(/ZETA/)),
    }),
  ),
  ...strangePaths.map(
    ([path, comes]): Attack => ({
      name: `the path ${path.slice(0, 60)} does not resolve`,
      act: ({ ann }) => ann.get(path),
      comes: passesAll(comes, lacksText(/ZETA|root:/)),
    }),
  ),
  ...smuggledRequests.map(
    ([what, bytes]): Attack => ({
      name: `${what}: no response has the status 200 without a token`,
      ...(what === 'a CONNECT' && { logs: /connect/ }),
      async act({ bytes: send, origin }) {
        const heard = await send(bytes(new URL(origin).host));
        return [...heard.matchAll(/^HTTP\/1\.1 (\d{3})/gm)]
          .map(([, code]) => Number(code))
          .filter((code) => code < 400);
      },
      comes: [],
    }),
  ),
];
