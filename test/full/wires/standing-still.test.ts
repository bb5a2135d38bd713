/** Sessions of `npm run wires` whose servers do not respond, as on an overloaded machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { playLives } from '../../wires/run/lives.ts';
import { createRows, formatFindings, hasKeptEverything } from '../../wires/run/report.ts';
import { startWorld } from '../../wires/run/world.ts';
import { listSessions } from '../../wires/session/names.ts';
import type { Moment, Stops } from '../../wires/session/stops.ts';

/** Plays a session with this `endsAt`, which can throw. */
async function playRow(endsAt: Stops['endsAt'], patience?: number) {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-wires-'));
  const sessions = listSessions(['kimi'], [undefined]).slice(0, 1);
  const world = await startWorld(sessions);
  onTestFinished(async () => {
    await world.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const place of world.places.values()) place.stops = { endsAt };
  const run = { world, sessions, directory, say: () => {} };
  const [row] = createRows(await playLives({ ...run, ...(patience !== undefined && { patience }) }));
  if (!row) throw new Error('The run has no result.');
  return row;
}

/** Throws once on each of these sides, in the middle of a turn. */
const createThrowingStop =
  (...sides: Moment['side'][]): Stops['endsAt'] =>
  ({ side, seq }) => {
    if (side !== sides[0] || seq < 10) return false;
    sides.shift();
    throw new Error('The world is overloaded.');
  };

it('a run on two wires keeps all data if the network fails once before and once after an append', async () => {
  const row = await playRow(createThrowingStop('before', 'after'));
  expect(formatFindings(row)).toEqual([]);
});

it('a stuck session is reported with its position and the responses to its client', async () => {
  const row = await playRow(() => {
    throw new Error('The world does not respond.');
  }, 5_000);
  expect(hasKeptEverything(row)).toBe(false);
  expect(formatFindings(row)).toEqual([
    'kimi (none, json): failed: stood still for 5 s after 0 kills: kimi-json-after, before turn-started at 1. ' +
      'Its client was last answered: 503 The session did not answer, and may have stored the message. ' +
      'Send it again with the same Idempotency-Key.',
  ]);
});
