/** Callers who send more messages than a session accepts. */
import { type Attack, formatResponse, isAnswer, isProblem, passesAll } from '../attack.ts';
import { listPendingCalls, type ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';

const QUEUED_HEADERS = { prefer: 'respond-async' };

/** Sends this many messages at once to a session whose turn waits for a person. Returns the outcomes. */
async function sendCrowd(
  scene: Scene,
  count: number,
  query = '?whenBusy=queue',
): Promise<readonly ReceivedResponse[]> {
  const { ann, own, play } = scene;
  listPendingCalls(
    await ann.post(`${own}/messages`, { message: play([{ name: 'refund', input: { amount: 1 } }]) }),
  );
  const sent: ReceivedResponse[] = [];
  for (let left = count; left > 0; left -= 20) {
    const some = Array.from({ length: Math.min(left, 20) }, () =>
      ann.post(`${own}/messages${query}`, { message: 'Next.' }, QUEUED_HEADERS),
    );
    sent.push(...(await Promise.all(some)));
  }
  return sent;
}

/** Counts the responses of each kind. */
const countResponses = (came: readonly ReceivedResponse[]): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from(Map.groupBy(came, formatResponse), ([kind, some]) => [kind, some.length]));

const isQueueFull = isProblem(
  429,
  'queue-full',
  'No more messages can wait in this session. The limit is 100 messages or 10000000 bytes. Send the message again when some have been answered.',
);

const withRetry = (came: unknown): string | undefined => {
  const { headers } = came as ReceivedResponse; // `act` returns a response
  return headers['retry-after'] === undefined ? 'the answer has no Retry-After' : undefined;
};

const MCP = { accept: 'application/json, text/event-stream' };

const HOUR = 3600;

export const listCrowdAttacks = (): readonly Attack[] => [
  {
    name: 'the 101st queued message is refused with a retry time',
    async act(scene) {
      await sendCrowd(scene, 100);
      const last = await scene.ann.post(
        `${scene.own}/messages?whenBusy=queue`,
        { message: 'One more.' },
        QUEUED_HEADERS,
      );
      await scene.rolf.del(scene.own);
      return last;
    },
    comes: passesAll(isQueueFull, withRetry),
  },
  {
    name: 'a hundred of 120 concurrent queued messages are accepted',
    async act(scene) {
      const came = await sendCrowd(scene, 120);
      await scene.rolf.del(scene.own);
      return countResponses(came);
    },
    comes: { '202': 100, '429 queue-full': 20 },
  },
  {
    name: 'the 101st scheduled message is refused',
    async act({ ann, own, rolf }) {
      const came = await Promise.all(
        Array.from({ length: 101 }, () =>
          ann.post(`${own}/messages`, { message: 'Later.', delaySeconds: HOUR }),
        ),
      );
      await rolf.del(own);
      return countResponses(came);
    },
    comes: { '202': 100, '429 queue-full': 1 },
  },
  {
    name: 'queued and scheduled messages share the limit of a hundred',
    async act(scene) {
      const { ann, own, rolf } = scene;
      const queued = await sendCrowd(scene, 60);
      const planned = await Promise.all(
        Array.from({ length: 60 }, () =>
          ann.post(`${own}/messages`, { message: 'Later.', delaySeconds: HOUR }),
        ),
      );
      await rolf.del(own);
      return countResponses([...queued, ...planned]);
    },
    comes: { '202': 100, '429 queue-full': 20 },
  },
  {
    name: 'waiting messages have at most ten megabytes in total',
    async act(scene) {
      await sendCrowd(scene, 1);
      const long = 'x'.repeat(190_000);
      const came = await Promise.all(
        Array.from({ length: 60 }, () =>
          scene.ann.post(`${scene.own}/messages?whenBusy=queue`, { message: long }, QUEUED_HEADERS),
        ),
      );
      await scene.rolf.del(scene.own);
      return [...new Set(came.map(formatResponse))].toSorted();
    },
    comes: ['202', '429 queue-full'],
  },
  {
    name: 'a full session does not affect another session',
    async act(scene) {
      await sendCrowd(scene, 100);
      const other = await scene.ann.post(`${scene.at(`${scene.session}-b`)}/messages`, {
        message: scene.play('Here.'),
      });
      await scene.rolf.del(scene.own);
      return other;
    },
    comes: isAnswer(200, { text: 'Here.' }),
  },
  {
    name: 'messages that do not wait are refused because the session is busy',
    async act(scene) {
      const came = await sendCrowd(scene, 30, '');
      await scene.rolf.del(scene.own);
      return countResponses(came);
    },
    comes: { '409 turn-suspended': 30 },
  },
  {
    name: 'a turn that waits for a person does not accept a steering message',
    async act(scene) {
      const came = await sendCrowd(scene, 1, '?whenBusy=steer');
      await scene.rolf.del(scene.own);
      return came.map(formatResponse);
    },
    comes: ['409 turn-suspended'],
  },
  {
    name: 'a caller above the rate limit is refused for all of its people and routes',
    async act({ ann, rolf, at, session, play }) {
      const limited = { ann: ann.at('limited'), rolf: rolf.at('limited') };
      const getPath = (index: number): string => `${at(`${session}-${index}`, 'plain')}/messages`;
      const sent: ReceivedResponse[] = [];
      for (let index = 0; index < 3; index += 1) {
        sent.push(await limited.ann.post(getPath(index), { message: play('Here.') }));
      }
      sent.push(await limited.rolf.post(getPath(3), { message: play('Here.') }));
      sent.push(await limited.rolf.post(getPath(0), { message: play('Here.') }));
      sent.push(await limited.ann.post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', MCP));
      const read = await limited.ann.get(at(`${session}-0`, 'plain'));
      return [...sent.map(formatResponse), sent.at(-1)?.headers['retry-after'], formatResponse(read)];
    },
    comes: ['200', '200', '200', '429 rate-limited', '429 rate-limited', '429 rate-limited', '10', '200'],
  },
  {
    name: 'a tenant above the rate limit does not affect other tenants',
    async act({ zoe, at, session }) {
      const limited = zoe.at('limited');
      const path = at(session, 'plain');
      const came = await limited.post(`${path}/messages`, { message: 'Hello.' });
      await limited.del(path);
      return formatResponse(came);
    },
    comes: '200',
  },
];
