/** Streams and pages of journals: forged positions, streams of other callers, and stalled readers. */
import {
  type Attack,
  type Check,
  containsText,
  formatResponse,
  hasStatus,
  isProblem,
  lacksText,
  passesAll,
} from '../attack.ts';
import { pollUntil } from '../patience.ts';
import type { Scene } from '../scene.ts';
import { VAULT, type Victims } from '../victims.ts';

const STREAM = { accept: 'text/event-stream' };

/** Runs a turn to its end, so that its stream can be read. */
async function settleTurn({ ann, own, play }: Scene): Promise<string> {
  const { json } = await ann.post(`${own}/messages`, { message: play('Done.') });
  return String(json?.turn);
}

const isBadPlace = (name: 'after' | 'Last-Event-ID'): Check =>
  isProblem(
    400,
    name === 'after' ? 'invalid-query' : 'invalid-header',
    name === 'after'
      ? 'after must be the sequence number of an event, such as 12.'
      : 'Last-Event-ID must be the sequence number of an event, such as 12.',
  );

/** Invalid positions in a journal. */
const places = [
  '-1',
  '1.5',
  'NaN',
  '1e9',
  '0x10',
  "1' OR '1'='1",
  '1;DROP TABLE events',
  '9'.repeat(16),
  'zeta:1',
];

/** Invalid page sizes. */
const limits = ['0', '-1', '1.5', 'all', '1e9', '9'.repeat(20)];

export const listStreamAttacks = (victims: Victims): readonly Attack[] => [
  ...places.map(
    (place): Attack => ({
      name: `a journal cannot be read from ${place.slice(0, 24)}`,
      act: async (scene) => {
        await settleTurn(scene);
        return scene.ann.get(`${scene.own}/events?after=${encodeURIComponent(place)}`);
      },
      comes: isBadPlace('after'),
    }),
  ),
  ...places.map(
    (place): Attack => ({
      name: `a stream cannot be resumed after ${place.slice(0, 24)}`,
      act: async (scene) => {
        await settleTurn(scene);
        return scene.ann.get(`${scene.own}/events`, { ...STREAM, 'last-event-id': place });
      },
      comes: isBadPlace('Last-Event-ID'),
    }),
  ),
  ...limits.map(
    (limit): Attack => ({
      name: `a page cannot have ${limit.slice(0, 12)} events`,
      act: async (scene) => {
        await settleTurn(scene);
        return scene.ann.get(`${scene.own}/events?limit=${limit}`);
      },
      comes: isProblem(400, 'invalid-query', 'limit must be a whole number from 1 to 500.'),
    }),
  ),
  {
    name: 'a page has at most 500 events',
    act: async (scene) => {
      await settleTurn(scene);
      const { json } = await scene.ann.get(`${scene.own}/events?limit=999999999`);
      return String(json?.next);
    },
    comes: containsText(/^(null|.*limit=500)$/),
  },
  {
    name: "zeta's last event id shows nothing of zeta's to another tenant's stream",
    act: async (scene) => {
      await scene.ann.post(`${scene.at(VAULT)}/messages`, { message: scene.play('Mine.') });
      const came = await scene.ann.ask({
        path: `${scene.at(VAULT)}/events`,
        headers: [
          ['accept', 'text/event-stream'],
          ['last-event-id', '1'],
        ],
        until: (text) => text.includes('turn-ended'),
      });
      await scene.ann.del(scene.at(VAULT));
      return came.text;
    },
    comes: passesAll(containsText(/Mine\./), lacksText(/ZETA/)),
  },
  {
    name: "a cancel in the caller's session with the id of zeta's turn cancels nothing",
    act: async (scene) => {
      await settleTurn(scene);
      return scene.ann.post(`${scene.own}/cancel?turn=${encodeURIComponent(victims.suspended)}`);
    },
    comes: isProblem(404, 'unknown-turn'),
  },
  {
    name: "zeta's turn is not found by its id in the caller's session",
    act: async (scene) => {
      await settleTurn(scene);
      return scene.ann.get(`${scene.own}/turns/${victims.turn}`);
    },
    comes: isProblem(404, 'unknown-turn'),
  },
  ...['', '%00', '..', '__proto__', 'x'.repeat(300), '%27%20OR%201%3D1'].map(
    (turn): Attack => ({
      name: `a cancel of the turn '${turn.slice(0, 20)}' cancels nothing`,
      act: async (scene) => {
        await settleTurn(scene);
        return scene.ann.post(`${scene.own}/cancel?turn=${turn}`);
      },
      comes: isProblem(404, 'unknown-turn'),
    }),
  ),
  {
    name: 'HEAD of a stream does not keep a connection open',
    act: async (scene) => {
      await settleTurn(scene);
      return scene.ann.ask({ method: 'HEAD', path: `${scene.own}/events`, headers: Object.entries(STREAM) });
    },
    comes: hasStatus(200),
  },
  {
    name: "a model's text cannot end its event, even if it looks like an event",
    act: async (scene) => {
      const { ann, own, play } = scene;
      const said = 'x\n\nevent: answer\ndata: {"forged":true}\n\n';
      const came = await ann.post(`${own}/messages`, { message: play(said) }, STREAM);
      return came.text.split('\n').filter((line) => line.startsWith('data: {"forged"')).length;
    },
    comes: 0,
  },
  {
    name: 'a reader who disconnects does not end the turn or cause a second payment',
    async act({ ann, own, play, world, session }) {
      const message = play(
        [{ name: 'hang', input: { gate: session } }],
        [{ name: 'pay', input: { amount: 1 } }],
        'Paid.',
      );
      const left = ann.ask({
        method: 'POST',
        path: `${own}/messages`,
        headers: [
          ['content-type', 'application/json'],
          ['accept', 'text/event-stream'],
        ],
        body: JSON.stringify({ message }),
        until: (text) => text.includes('tool-call-started') || text.includes('model-replied'),
      });
      await Promise.all([left, world.reached(session)]);
      world.open(session);
      const state = await pollUntil(
        () => ann.get(own),
        ({ json }) => json?.openTurn === null,
      );
      return Object(state.json?.turn).outcome;
    },
    comes: 'completed',
    effects: ['pay 1 for acme'],
  },
  {
    // A caller may open 16 streams. With more, the set of refused streams would depend on which ends first.
    name: 'a dozen concurrent streams of a session do not prevent its next turn',
    async act({ ann, own, play, session: _ }) {
      await ann.post(`${own}/messages`, { message: play('First.') });
      const readers = Array.from({ length: 12 }, () =>
        ann.ask({
          path: `${own}/events`,
          headers: Object.entries(STREAM),
          until: (text) => text.includes('Second.'),
        }),
      );
      const came = await ann.post(`${own}/messages`, { message: play('Second.') });
      const read = await Promise.all(readers);
      return [formatResponse(came), new Set(read.map(formatResponse)).size];
    },
    comes: ['200', 1],
  },
];
