/** Stored data that could make a session unreadable or block its next turn. */
import { type Attack, type Check, containsText, formatResponse, hasStatus } from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';
import { createGithubDelivery, createSlackDelivery, withHeader } from '../signatures.ts';
import { deliver } from './hooks.ts';
import { startWaitingTurn } from './waiting.ts';

/** Reads a session in every way after an attack, and sends another message. */
async function readAftermath({ rolf, own, play }: Scene, came: ReceivedResponse): Promise<readonly string[]> {
  const state = await rolf.get(own);
  const events = await rolf.get(`${own}/events`);
  const next = await rolf.post(`${own}/messages?pending=decline`, { message: play('Still here.') });
  await rolf.del(own);
  return [
    formatResponse(came).split(' ')[0] ?? '',
    formatResponse(state),
    formatResponse(events),
    formatResponse(next),
  ];
}

const createDeepList = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const createDeepObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** JSON that is hard to traverse, copy or serialize. */
const hardValues: readonly (readonly [what: string, json: string])[] = [
  ['a list that is nested 500 deep', createDeepList(500)],
  ['a list that is nested 5,000 deep', createDeepList(5_000)],
  ['a list that is nested 90,000 deep', createDeepList(90_000)],
  ['an object that is nested 20,000 deep', createDeepObject(20_000)],
  ['half a pair of surrogates', '"\\ud800"'],
  ['half a pair as a key', '{"\\udc00":1}'],
  ['a NUL', '"a\\u0000b"'],
  ['separators of lines that JavaScript knows', '"a\\u2028b\\u2029c"'],
  [
    '__proto__ and constructor',
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
  ],
  ['a toJSON', '{"toJSON":"x","then":"y","valueOf":1}'],
  ['numbers that are none', '[1e999,-1e999,-0,1e-999]'],
  ['ten thousand keys', `{${Array.from({ length: 10_000 }, (_, at) => `"k${at}":1`).join()}}`],
  ['a text of 180,000 characters', `"${'x'.repeat(180_000)}"`],
];

/** Expects one of these statuses for the stored data, and 200 for each later request. */
const isUnharmed = (...codes: readonly number[]): Check =>
  containsText(new RegExp(`^\\["(${codes.join('|')})","200","200","200"\\]$`));

export const listPoisonAttacks = (): readonly Attack[] => [
  ...hardValues.map(
    ([what, json]): Attack => ({
      name: `${what} as the result of a call does not break its session`,
      async act(scene) {
        const { path } = await startWaitingTurn(scene, 'measure', { what: 'x' });
        return readAftermath(scene, await scene.ann.post(path, `{"result":${json}}`));
      },
      comes: isUnharmed(200, 413, 422),
    }),
  ),
  ...hardValues.map(
    ([what, json]): Attack => ({
      name: `${what} as the input of an edit does not break its session and pays nothing`,
      async act(scene) {
        const { path } = await startWaitingTurn(scene, 'refund');
        return readAftermath(
          scene,
          await scene.rolf.post(path, `{"decision":"edit","input":{"amount":${json}}}`),
        );
      },
      comes: isUnharmed(413, 422),
    }),
  ),
  ...hardValues.map(
    ([what, json]): Attack => ({
      name: `${what} as the input of a model's call does not break its session`,
      async act(scene) {
        const { ann, own, play } = scene;
        const message = play([{ name: 'whoami', input: `{"x":${json}}` }], 'Done.');
        return readAftermath(scene, await ann.post(`${own}/messages`, { message }));
      },
      comes: isUnharmed(200),
    }),
  ),
  ...hardValues.map(
    ([what, json]): Attack => ({
      name: `${what} in an allowed context key does not break its session`,
      async act(scene) {
        const { ann, own, play } = scene;
        const message = JSON.stringify(play('Done.'));
        await ann.post(`${own}/messages`, { message: 'First.' });
        return readAftermath(
          scene,
          await ann.post(`${own}/messages`, `{"message":${message},"context":{"locale":${json}}}`),
        );
      },
      comes: isUnharmed(200, 413, 422),
    }),
  ),
  ...hardValues.map(
    ([what, json]): Attack => ({
      name: `${what} in the arguments of an MCP call receives a response`,
      act: ({ ann }) =>
        ann.post(
          '/mcp',
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"records","arguments":{"tenant":${json}}}}`,
          { accept: 'application/json, text/event-stream' },
        ),
      comes: hasStatus(200, 400),
    }),
  ),
  ...hardValues
    .filter(([, json]) => json.startsWith('"'))
    .map(
      ([what, json]): Attack => ({
        name: `${what} as a message does not break its session`,
        async act(scene) {
          return readAftermath(scene, await scene.ann.post(`${scene.own}/messages`, `{"message":${json}}`));
        },
        comes: isUnharmed(200),
      }),
    ),
  {
    name: 'slack: an unsigned challenge is refused',
    act: (scene) =>
      deliver(
        scene,
        withHeader(
          createSlackDelivery('{"type":"url_verification","challenge":"x"}'),
          'x-slack-signature',
          `v0=${'0'.repeat(64)}`,
        ),
      ),
    comes: hasStatus(401),
  },
  {
    name: 'github: an unsigned ping is refused',
    act: (scene) => deliver(scene, createGithubDelivery('{}', { as: 'ping', secret: 'guessed' })),
    comes: hasStatus(401),
  },
];
