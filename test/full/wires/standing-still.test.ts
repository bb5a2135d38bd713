/** Sessions of `npm run wires` whose servers do not respond, as on an overloaded machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { playLives } from '../../wires/run/lives.ts';
import { findingsOf, keptEverything, rowsOf } from '../../wires/run/report.ts';
import { startWorld } from '../../wires/run/world.ts';
import { agentsOf } from '../../wires/session/names.ts';
import type { Moment, Stops } from '../../wires/session/stops.ts';

/** Plays a session with this `endsAt`, which can throw. */
async function rowIn(endsAt: Stops['endsAt'], patience?: number) {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-wires-'));
  const sessions = agentsOf(['kimi'], [undefined]).slice(0, 1);
  const world = await startWorld(sessions);
  onTestFinished(async () => {
    await world.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const place of world.places.values()) place.stops = { endsAt };
  const run = { world, sessions, directory, say: () => {} };
  const [row] = rowsOf(await playLives({ ...run, ...(patience !== undefined && { patience }) }));
  if (!row) throw new Error('The run has no result.');
  return row;
}

/** Throws once on each of these sides, in the middle of a turn. */
const throwingOnceAt =
  (...sides: Moment['side'][]): Stops['endsAt'] =>
  ({ side, seq }) => {
    if (side !== sides[0] || seq < 10) return false;
    sides.shift();
    throw new Error('The world is overloaded.');
  };

it('a run on two wires keeps all data if the network fails once before and once after an append', async () => {
  const row = await rowIn(throwingOnceAt('before', 'after'));
  expect(findingsOf(row)).toEqual([]);
});

it('a stuck session is reported with its position and the responses to its client', async () => {
  const row = await rowIn(() => {
    throw new Error('The world does not respond.');
  }, 5_000);
  expect(keptEverything(row)).toBe(false);
  expect(findingsOf(row)).toEqual([
    'kimi (none, json): failed: stood still for 5 s after 0 kills: kimi-json-after, before turn-started at 1. ' +
      'Its client was last answered: 503 The session did not answer, and may have stored the message. ' +
      'Send it again with the same Idempotency-Key.',
  ]);
});
