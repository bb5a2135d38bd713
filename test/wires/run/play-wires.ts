/** Plays the sessions of a run, and prints the result of each wire. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createChance } from '../../full/process/chance.ts';
import { createStops } from '../session/changes.ts';
import { listSessions, type Session } from '../session/names.ts';
import { createDrawnStops, createEveryStop, type Moment, noStops } from '../session/stops.ts';
import { playLives, type SessionResult } from './lives.ts';
import type { KillPlan, WiresOptions } from './options.ts';
import { startWorld, type World } from './world.ts';

export interface Surroundings {
  /** The path of an empty folder for the run. */
  readonly directory: string;
  readonly say: (line: string) => void;
}

/** Plays the changes one after another, to limit the number of sessions in a life. */
export async function playWires(
  options: WiresOptions,
  around: Surroundings,
): Promise<readonly SessionResult[]> {
  const results: SessionResult[] = [];
  for (const change of options.changes) {
    const directory = join(around.directory, change ?? 'none');
    mkdirSync(directory);
    around.say(`models: ${change ?? 'one answers all'}`);
    results.push(...(await playChange({ ...options, changes: [change] }, { ...around, directory })));
  }
  return results;
}

async function playChange(
  { wires, changes, kills }: WiresOptions,
  around: Surroundings,
): Promise<readonly SessionResult[]> {
  const sessions = listSessions(wires, changes);
  const world = await startWorld(sessions);
  const playInFolder = (some: readonly Session[], folder: string): Promise<readonly SessionResult[]> => {
    const directory = join(around.directory, folder);
    mkdirSync(directory);
    return playLives({ world, sessions: some, directory, say: around.say });
  };
  // Without kills, both sides are equal, so one session per wire and manner is enough.
  const [after, before] = [sessions.filter(isKilled('after')), sessions.filter(isKilled('before'))];
  for (const session of sessions) getPlace(world, session.name).stops = createStops(session, noStops);
  try {
    switch (kills) {
      case 'none':
        return await playInFolder(after, 'whole');
      case 'all':
        for (const session of sessions)
          getPlace(world, session.name).stops = createStops(session, createEveryStop(session.side));
        return await playInFolder(sessions, 'killed');
      default:
        await playInFolder(after, 'whole');
        draw({ world, from: after, to: before }, kills);
        return await playInFolder(before, 'killed');
    }
  } finally {
    await world.close();
  }
}

const isKilled =
  (side: Session['side']) =>
  (session: Session): boolean =>
    session.side === side;

function getPlace({ places }: World, name: string): NonNullable<ReturnType<World['places']['get']>> {
  const place = places.get(name);
  if (!place) throw new Error(`The session '${name}' is not part of this run.`);
  return place;
}

interface DrawRange {
  readonly world: World;
  /** Sessions that were played without kills. */
  readonly from: readonly Session[];
  /** The sessions to kill, in the same order. */
  readonly to: readonly Session[];
}

/** Draws positions for each session from those that its undisturbed counterpart reached. */
function draw({ world, from, to }: DrawRange, { positions, seed }: Exclude<KillPlan, string>): void {
  const chance = createChance(seed);
  for (const [index, session] of to.entries()) {
    const passed = [...getPlace(world, from[index]?.name ?? '').moments];
    const drawn: Moment[] = [];
    while (drawn.length < positions && passed.length > 0)
      drawn.push(...passed.splice(chance.between(0, passed.length - 1), 1));
    getPlace(world, session.name).stops = createStops(session, createDrawnStops(drawn));
  }
}
