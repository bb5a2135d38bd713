/** Turns that start turns, and loops that do not end. */
import { type Attack, containsText, formatResponse, hasStatus, isAnswer } from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import { pollUntilEnded, waitUntilQuiet } from '../patience.ts';
import { type Reply, sayResult } from '../puppet-model.ts';

const QUEUED = { prefer: 'respond-async' };

const HOUR = 3600;

/** A model that repeats one reply. */
const repeatForever = (reply: Reply): readonly Reply[] => Array.from({ length: 200 }, () => reply);

/** Returns how many turns of a session are waiting. */
const countWaiting = ({ json }: ReceivedResponse): number =>
  Array.isArray(json?.waiting) ? json.waiting.length : -1;

const breedingAttacks: readonly Attack[] = [
  {
    name: 'a turn cannot schedule a thousand turns',
    async act({ ann, own, play, rolf }) {
      const input = { count: 1000, delaySeconds: HOUR, message: 'Again.' };
      const came = await ann.post(`${own}/messages`, {
        message: play([{ name: 'breed', input }], sayResult),
      });
      const state = await ann.get(own);
      await rolf.del(own);
      return [formatResponse(came), countWaiting(state) <= 100];
    },
    comes: ['200', true],
  },
  {
    name: 'a ninth generation without a person is refused',
    async act(scene) {
      const { ann, own, rolf, model } = scene;
      const scheduleAgain: Reply = ({ messages }) => [
        {
          name: 'schedule_message',
          input: { message: String(messages.findLast(({ role }) => role === 'user')?.content), when: '0' },
        },
      ];
      const message = scene.play(scheduleAgain, 'Done.');
      await ann.post(`${own}/messages`, { message });
      const asked = await waitUntilQuiet(() => model.bodies.filter((body) => body.includes(message)).length);
      await rolf.del(own);
      return asked;
    },
    // The user's turn and eight generations, each with two requests.
    comes: 18,
  },
  ...['-1', 'in -5 minutes', 'in 900 years', 'yesterday', '1e99', 'NaN', '2001-01-01T00:00:00Z'].map(
    (when): Attack => ({
      name: `no turn is scheduled for '${when}'`,
      async act({ ann, own, play }) {
        const message = play([{ name: 'schedule_message', input: { message: 'x', when } }], sayResult);
        const came = await ann.post(`${own}/messages`, { message });
        const state = await ann.get(own);
        return [formatResponse(came), countWaiting(state)];
      },
      comes: ['200', 0],
    }),
  ),
];

const loops: readonly Attack[] = [
  {
    name: 'a model that calls tools forever stops at its limit',
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, { message: play(...repeatForever([{ name: 'records', input: {} }])) }),
    comes: isAnswer(200, { outcome: 'limit-reached' }),
  },
  {
    name: 'a turn that reaches a limit names the limit',
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, { message: play(...repeatForever([{ name: 'records', input: {} }])) }),
    comes: containsText(/"limit":\{"kind":"iterations","most":\d+\}/),
  },
  {
    name: 'a turn that has used a million tokens makes no further model calls',
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, {
        message: play(...repeatForever({ calls: [{ name: 'records', input: {} }], tokens: 600_000 })),
      }),
    comes: isAnswer(200, {
      outcome: 'limit-reached',
      iterations: 2,
      limit: { kind: 'tokens', most: 1_000_000 },
    }),
  },
  {
    name: 'a model that repeatedly calls a missing tool is stopped',
    act: ({ ann, own, play }) =>
      ann.post(`${own}/messages`, { message: play(...repeatForever([{ name: 'nothing', input: {} }])) }),
    comes: hasStatus(200, 502),
  },
  {
    name: 'a thousand calls in one reply are limited',
    async act({ ann, own, play }) {
      const calls = Array.from({ length: 1000 }, () => ({ name: 'records', input: {} }));
      const came = await ann.post(`${own}/messages`, { message: play(calls, 'Done.') });
      return [formatResponse(came), Number(came.json?.toolCalls) <= 1000];
    },
    comes: ['200', true],
  },
  {
    name: 'a cancel stops a turn that hangs, which pays nothing afterwards',
    async act({ ann, own, play, session, world }) {
      const message = play(
        [{ name: 'hang', input: { gate: session } }],
        [{ name: 'pay', input: { amount: 1 } }],
      );
      const running = ann.post(`${own}/messages`, { message });
      await world.reached(session);
      await ann.post(`${own}/cancel`);
      const came = await running;
      world.open(session);
      return [formatResponse(came), came.json?.outcome];
    },
    comes: ['200', 'cancelled'],
  },
  {
    name: 'a turn that is cancelled in the queue never starts',
    async act(scene) {
      const { ann, own, play, session, world } = scene;
      const running = ann.post(`${own}/messages`, {
        message: play([{ name: 'hang', input: { gate: session } }], 'Done.'),
      });
      await world.reached(session);
      const paying = play([{ name: 'pay', input: { amount: 1 } }], 'Paid.');
      const queued = await ann.post(`${own}/messages?whenBusy=queue`, { message: paying }, QUEUED);
      const cancelled = await ann.post(`${own}/cancel?turn=${queued.json?.turn}`);
      world.open(session);
      await running;
      const came = await pollUntilEnded(() => ann.get(`${own}/turns/${queued.json?.turn}`));
      return [formatResponse(cancelled), came.json?.outcome];
    },
    comes: ['202', 'cancelled'],
  },
  {
    name: 'a session that is erased during its turn is not created again',
    async act({ ann, own, play, session, world }) {
      const message = play(
        [{ name: 'hang', input: { gate: session } }],
        [{ name: 'pay', input: { amount: 1 } }],
      );
      const running = ann.post(`${own}/messages`, { message });
      await world.reached(session);
      const erased = await ann.del(own);
      world.open(session);
      const came = await running;
      return [formatResponse(erased), formatResponse(came), formatResponse(await ann.get(own))];
    },
    comes: ['204', '410 session-erased', '404 unknown-session'],
  },
];

export const listRunawayAttacks = (): readonly Attack[] => [...breedingAttacks, ...loops];
