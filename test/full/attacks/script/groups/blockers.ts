/** Inputs that keep an isolate busy, lead a provider into a private network, or hold streams open. */

import { type Attack, type Check, formatResponse, isProblem } from '../attack.ts';
import { isHealthy } from '../invariants.ts';
import { sayResult } from '../puppet-model.ts';
import type { Scene } from '../scene.ts';

const STREAM = { accept: 'text/event-stream' };

/** Private hosts, in spellings that pass a text filter. */
const PRIVATE_HOSTS = [
  '169.254.169.254',
  '0x7f.1',
  '2130706433',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  'metadata.google.internal',
  'printer.local.',
];

const isRefused: Check = isProblem(
  422,
  'invalid-body',
  '…points to a private network, so send the file itself…',
);

const addresses = PRIVATE_HOSTS.map(
  (host): Attack => ({
    name: `a file at ${host} is not fetched`,
    act: ({ ann, own }) =>
      ann.post(`${own}/messages`, {
        message: [
          { type: 'text', text: 'Look.' },
          { type: 'file', mediaType: 'image/png', url: `https://${host}/latest` },
        ],
      }),
    comes: isRefused,
  }),
);

/** Runs a turn. Returns whether `/health` responds within a second while the turn runs. */
async function sendMeanwhile({ ann, own }: Scene, message: string): Promise<readonly unknown[]> {
  const sent = ann.post(`${own}/messages`, { message });
  const began = performance.now();
  const health = await ann.get('/health');
  const isSoon = performance.now() - began < 1_000;
  return [isHealthy(health), isSoon, formatResponse(await sent)];
}

export const listBlockerAttacks = (): readonly Attack[] => [
  ...addresses,
  {
    name: 'a message of ellipses does not block other requests',
    act: (scene) => sendMeanwhile(scene, `${scene.play('Done.')} ${'…'.repeat(60_000)}`),
    comes: [true, true, '200'],
  },
  {
    name: 'a reply of ellipses and prefixes of secrets does not block other requests',
    act: (scene) => sendMeanwhile(scene, scene.play('sk-…'.repeat(200_000))),
    comes: [true, true, '200'],
  },
  {
    name: 'a call with a million braces does not block other requests',
    act: (scene) =>
      sendMeanwhile(scene, scene.play([{ name: 'note', input: '}'.repeat(1_000_000) }], sayResult)),
    comes: [true, true, '200'],
  },
  {
    name: 'a caller cannot keep a seventeenth stream open',
    async act({ ann, own, play }) {
      await ann.post(`${own}/messages`, { message: play('Done.') });
      let isOver = false;
      const follow = () =>
        ann.ask({ path: `${own}/events`, headers: Object.entries(STREAM), until: () => isOver });
      const open = Array.from({ length: 17 }, follow);
      // Only the refused stream ends by itself. The other streams end with the next event.
      const first = await Promise.race(open);
      isOver = true;
      await ann.post(`${own}/messages`, { message: play('Done.') });
      const all = await Promise.all(open);
      return [first.status, all.filter(({ status: of }) => of === 200).length];
    },
    comes: [429, 16],
  },
];
