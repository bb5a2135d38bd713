/** The platform usage of turns, counted by an instrumented Worker. */
import { setTimeout as wait } from 'node:timers/promises';
import type { MeasuredWorker } from './measured-worker.ts';
import type { ObjectCounts } from './workers/counts.ts';

/** The turns to count: the agent, the number of calls, and whether the session had an earlier turn. */
export const SHAPES = {
  'first message': { agent: 'read', calls: 0, isFirst: true },
  'text only': { agent: 'read', calls: 0, isFirst: false },
  'ten reads': { agent: 'read', calls: 10, isFirst: false },
  'ten `once` calls': { agent: 'once', calls: 10, isFirst: false },
} as const;

export type Shape = keyof typeof SHAPES;

export const SHAPE_NAMES = Object.keys(SHAPES) as readonly Shape[]; // the keys of SHAPES are the shapes

/**
 * The durations of a model reply in seconds, and the speed of the Worker's clock as a multiple of real time. A
 * faster clock also multiplies the machine's delays, so it is not used for short replies.
 */
const CLOCKS = [
  { speed: 1, seconds: [0, 1] },
  { speed: 5, seconds: [30] },
] as const;

/** A turn to count: its shape, and the duration of each model reply in ms. */
interface CountedTurn {
  readonly shape: Shape;
  readonly ms: number;
}

/** The counts of a turn of one shape, with this duration of each model reply. */
export interface SlowTurn {
  readonly shape: Shape;
  readonly seconds: number;
  readonly counts: ObjectCounts;
}

/** Counts turns of every shape with slow models. @param start Starts a Worker whose clock has this speed. */
export async function countSlowTurns(
  start: (speed: number) => Promise<MeasuredWorker>,
): Promise<readonly SlowTurn[]> {
  const workers: MeasuredWorker[] = [];
  for (const { speed } of CLOCKS) workers.push(await start(speed));
  const counted = CLOCKS.map(async ({ speed, seconds }, index) => {
    const worker = workers[index];
    if (!worker) throw new Error(`The Worker for clock ${index} was not started.`);
    const turns = seconds.flatMap((one) => SHAPE_NAMES.map((shape) => ({ shape, ms: one * 1_000 })));
    const counts = await countObjects(worker, turns, speed);
    return turns.flatMap(({ shape, ms }, turn) => {
      const own = counts[turn];
      return own ? { shape, seconds: ms / 1_000, counts: own } : [];
    });
  });
  try {
    return (await Promise.all(counted)).flat();
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

/**
 * Runs the turns concurrently in separate sessions, with a clock of this speed. Returns the usage of each
 * object.
 */
async function countObjects(
  worker: MeasuredWorker,
  turns: readonly CountedTurn[],
  speed: number,
): Promise<readonly ObjectCounts[]> {
  const sessions = turns.map((turn, index) => ({
    ...SHAPES[turn.shape],
    ...turn,
    session: `counted-${index}`,
  }));
  const later = sessions.filter(({ isFirst }) => !isFirst);
  await Promise.all(later.map(({ agent, session }) => worker.ask('/turns', { agent, session })));
  await waitForAlarms(speed);
  await worker.counts();
  await Promise.all(
    sessions.map(({ agent, session, calls, ms }) =>
      worker.ask('/turns', { agent, session, message: `calls=${calls} ms=${ms}` }),
    ),
  );
  await waitForAlarms(speed);
  const { objects } = await worker.counts();
  return sessions.map(({ session }) => {
    const found = Object.entries(objects).find(([name]) => name.includes(`${session}"`));
    if (!found)
      throw new Error(`Session ${session} has no counted object. Counted: ${Object.keys(objects)}.`);
    return found[1];
  });
}

/**
 * The time in ms after which the alarm of a lease has run. The alarm is set to the end of the lease, 20 seconds
 * after the last renewal.
 */
const ALARMS_AFTER_MS = 30_000;

const waitForAlarms = (speed: number): Promise<void> => wait(ALARMS_AFTER_MS / speed);

/** The duration of the work that remains after a turn is answered, in ms. */
const ENDING_MS = 150;

/** The usage of a single turn. */
export interface TurnCounts {
  readonly object: ObjectCounts;
  /** The number of uses of each counted platform API, in the Worker and the object together. */
  readonly apis: Readonly<Record<string, number>>;
}

/** Runs one turn of this shape with a model that replies immediately. */
export async function countTurn(worker: MeasuredWorker, shape: Shape): Promise<TurnCounts> {
  const { agent, calls, isFirst } = SHAPES[shape];
  const session = `alone-${crypto.randomUUID()}`;
  // The first turn of a process includes one-time work, so it is not counted.
  await worker.ask('/turns', { agent, session: isFirst ? `${session}-before` : session });
  await wait(ENDING_MS);
  await worker.counts();
  await worker.ask('/turns', { agent, session, message: `calls=${calls}` });
  await wait(ENDING_MS);
  const { objects, made } = await worker.counts();
  return { object: Object.values(objects)[0] ?? ZERO_COUNTS, apis: made };
}

/** The counts for a Worker without objects. */
const ZERO_COUNTS: ObjectCounts = {
  rowsWritten: 0,
  rowsRead: 0,
  alarmsSet: 0,
  appends: 0,
  requests: 0,
  messages: 0,
  awakeMs: 0,
};

/** The number of platform objects that a turn created. */
export const sumObjects = (apis: TurnCounts['apis']): number =>
  Object.values(apis).reduce((sum, count) => sum + count, 0);
