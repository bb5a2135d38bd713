/** Local mode behind `wrangler dev`: requests forged by the network, or by a page with DNS rebinding. */
import { type Attack, type Check, isProblem } from '../attack.ts';
import { isNoAuth, isOnlyLocal } from './entrances.ts';

/** Headers that would make a network request look local. */
const forgedHeaders: readonly (readonly [name: string, value: string])[] = [
  ['host', 'localhost'],
  ['cf-connecting-ip', '127.0.0.1'],
];

/** An authentication option of the Worker, with the response to a request that only looks local. */
const doors: readonly (readonly [door: string, comes: Check])[] = [
  ['token', isProblem(401, 'unauthorized', 'Send a valid token as "Authorization: Bearer ...".')],
  ['shut', isNoAuth],
];

/** Headers that Miniflare reads or forwards, each with the header that causes the refusal. */
const signs: readonly (readonly [headers: readonly (readonly [string, string])[], sign: string])[] = [
  [[...forgedHeaders, ['mf-original-url', 'http://evil.example/agents']], "was sent to 'evil.example'"],
  [[['mf-original-url', 'http://10.0.0.4:8787/agents']], "was sent to '10.0.0.4'"],
  [
    [...forgedHeaders, ['mf-original-hostname', 'localhost']],
    'was forwarded, as its header mf-original-hostname shows',
  ],
  [
    [
      ['host', 'localhost'],
      ['cf-connecting-ip', '10.0.0.4'],
    ],
    'comes from 10.0.0.4',
  ],
  [
    [
      ['mf-original-url', 'http://localhost/agents'],
      ['cf-connecting-ip', '10.0.0.4'],
    ],
    'comes from 10.0.0.4',
  ],
];

export const listLocalModeAttacks = (): readonly Attack[] => [
  ...doors.map(
    ([door, comes]): Attack => ({
      name: `headers that look local give no access to the app '${door}'`,
      act: ({ nobody }) => nobody.at(door).ask({ path: '/agents', headers: [...forgedHeaders] }),
      comes,
    }),
  ),
  ...signs.map(
    ([headers, sign]): Attack => ({
      name: `a request with ${headers.map((pair) => pair.join(': ')).join(', ')} is refused`,
      act: ({ nobody }) => nobody.at('local').ask({ path: '/agents', headers: [...headers] }),
      comes: isOnlyLocal(sign),
    }),
  ),
  {
    name: 'a page with DNS rebinding cannot send a message, regardless of the address in its headers',
    act: ({ nobody }) =>
      nobody.at('local').ask({
        method: 'POST',
        path: '/agents/plain/sessions/r/messages',
        headers: [
          ['host', 'evil.example'],
          ['origin', 'http://evil.example'],
          ['mf-original-url', 'http://localhost/agents/plain/sessions/r/messages'],
          ['content-type', 'application/json'],
        ],
        body: '{"message":"hello"}',
      }),
    comes: isProblem(
      403,
      'cross-site',
      "A page on another site sent this request. If it is yours, add cors({ origins }) from 'holdfast/http' to `use`.",
    ),
  },
];
