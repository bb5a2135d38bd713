/**
 * Turns that start turns, in one session and across two. The tree must end, regardless of what a client sends.
 */
import { type Attack, formatResponse, hasStatus } from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import { waitUntilQuiet } from '../patience.ts';
import type { PuppetRequest, Reply } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';

interface Event {
  readonly type?: string;
  readonly generation?: number;
  readonly root?: string;
}

const listEvents = ({ json }: ReceivedResponse): readonly Event[] =>
  Array.isArray(json?.events) ? json.events : [];

/** Returns how many turns of a session have started. */
async function countTurns({ ann }: Scene, path: string): Promise<number> {
  let [turns, after] = [0, 0];
  for (;;) {
    const events = listEvents(await ann.get(`${path}/events?limit=100&after=${after}`));
    if (events.length === 0) return turns;
    turns += events.filter(({ type }) => type === 'turn-started').length;
    after += events.length;
  }
}

/** Returns the last user message. It names the model's script, so each turn repeats the same script. */
const getLastText = ({ messages }: PuppetRequest): string =>
  String(messages.findLast(({ role }) => role === 'user')?.content);

/** Runs the turns until the model receives no more requests. */
async function playOut({ ann, own, play, model }: Scene, reply: Reply): Promise<void> {
  const message = play(reply, 'Done.');
  await ann.post(`${own}/messages`, { message });
  await waitUntilQuiet(() => model.bodies.filter((body) => body.includes(message)).length);
}

const FORGED_FIELDS = ['generation', 'root', 'count', 'place', 'recurring'];

export const listTurnTreeAttacks = (): readonly Attack[] => [
  {
    name: 'a tool that schedules 20 turns in each turn creates a tree of only 20 turns',
    async act(scene) {
      await playOut(scene, (asked) => [{ name: 'swarm', input: { count: 20, message: getLastText(asked) } }]);
      const turns = await countTurns(scene, scene.own);
      await scene.rolf.del(scene.own);
      return turns;
    },
    // The count includes the user's own turn.
    comes: 21,
    logs: /cannot schedule more turns/,
  },
  {
    name: 'two sessions that answer each other stop after eight turns',
    async act(scene) {
      const { at, own, rolf, session } = scene;
      const other = `${session}-other`;
      let isOwn = false;
      await playOut(scene, (asked) => {
        isOwn = !isOwn;
        return [
          { name: 'pass_on', input: { message: getLastText(asked), sessions: [isOwn ? other : session] } },
        ];
      });
      const turns = [await countTurns(scene, own), await countTurns(scene, at(other))];
      for (const path of [own, at(other)]) await rolf.del(path);
      return turns;
    },
    comes: [5, 4],
    logs: /Not sent: 8 turns in a row|cannot schedule more turns/,
  },
  ...FORGED_FIELDS.map(
    (key): Attack => ({
      name: `a message with a forged '${key}' is refused`,
      act: ({ ann, own, play }) => ann.post(`${own}/messages`, { message: play('Done.'), [key]: -1 }),
      comes: hasStatus(422),
    }),
  ),
  {
    name: 'headers and context cannot set the position of a turn in a tree',
    async act({ ann, own, play }) {
      const headers = { 'x-holdfast-generation': '-9', 'x-holdfast-root': 'r', generation: '-9', root: 'r' };
      const message = { message: play('Done.'), context: { locale: '{"generation":-9}' } };
      const came = await ann.post(`${own}/messages`, message, headers);
      const events = listEvents(await ann.get(`${own}/events`));
      return [formatResponse(came), events.some((event) => 'generation' in event || 'root' in event)];
    },
    comes: ['200', false],
  },
];
