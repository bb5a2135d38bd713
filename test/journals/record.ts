import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, startWorker } from '../full/process/start-worker.ts';
import { type Dump, restore, setAlarms } from './dump.ts';
import type { Journal } from './journal.ts';
import { type Answer, openTalk, readStream } from './talk.ts';
import { openWorld, type RecordedEffect, type World } from './world.ts';

/** The Worker of all journals, as a path from the root of the checkout. */
export const WORKER = 'test/journals/worker/worker.ts';

/** A stored session. */
export interface StoredJournal {
  readonly journal: Journal;
  readonly dump: Dump;
}

/** Returns the scenes of its agent and of nested agents. */
export const listScenes = ({ name, inside = {} }: Journal): readonly string[] => [
  name,
  ...Object.keys(inside),
];

/** The responses of the code to requests for a stored session. */
export interface Reading {
  /** The first `GET session`. */
  readonly session: Answer;
  /** The pages of `GET events`. */
  readonly events: readonly Answer[];
  /** The responses to the requests that continue it. */
  readonly answers: readonly Answer[];
  /** The requests of these continuations to its model and to models of nested agents. */
  readonly asked: readonly string[];
  /** The effects of its tools in these continuations. */
  readonly done: readonly RecordedEffect[];
  /** The last `GET session`. */
  readonly after: Answer;
}

const TWO_HOURS = 2 * 60 * 60_000;

/**
 * Restores stored sessions in new objects, with the clock at the time when they were stored (`at`, in ms since
 * the epoch). Reads them, and continues them two hours later. `build` defaults to the code of the checkout. For
 * an unreadable session, the result is an error, such as a model request without a scripted reply.
 */
export async function readJournals(
  stored: readonly StoredJournal[],
  at: number,
  build: BuildOptions = {},
): Promise<ReadonlyMap<string, Reading | Error>> {
  const storage = await mkdtemp(join(tmpdir(), 'holdfast-journals-'));
  const world = await openWorld();
  try {
    const dumps = stored.map(({ dump }) => dump);
    restore(storage, dumps);
    setAlarms(storage);
    const vars = { WORLD_URL: world.url, CLOCK_AHEAD: String(at - Date.now()) };
    const worker = await startWorker(WORKER, { vars, storage, build });
    try {
      return await readJournalsAt(worker.url.origin, world, stored);
    } finally {
      await worker.stop();
    }
  } finally {
    await world.stop();
    await rm(storage, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function readJournalsAt(
  url: string,
  world: World,
  stored: readonly StoredJournal[],
): Promise<ReadonlyMap<string, Reading | Error>> {
  for (const { journal } of stored) play(world, journal);
  const seen = await Promise.all(stored.map((one) => readSeenJournal(url, one).catch(toError)));
  // Reading the sessions has restarted the lease terms of killed holders. After two hours, they have expired.
  await fetch(`${url}/clock`, { method: 'POST', body: String(TWO_HOURS) });
  const going = seen.map((one) => (one instanceof Error ? one : resumeTurns(url, world, one).catch(toError)));
  const readings = await Promise.all(going);
  return new Map(
    stored.map(({ journal }, index) => [journal.name, judgeReading(world, journal, readings[index])]),
  );
}

const toError = (failure: unknown): Error =>
  failure instanceof Error ? failure : new Error(String(failure));

/** Returns the reading, or the error. Refused model requests are reported as the cause. */
function judgeReading(world: World, journal: Journal, reading: Reading | Error | undefined): Reading | Error {
  const problems = listScenes(journal).flatMap((scene) => world.problems(scene));
  if (problems.length > 0) return new Error(problems.join('\n'));
  return reading ?? new Error('The session was not read.');
}

/** Sets the scripts of a session's models. */
export function play(world: World, { name, plays, inside = {}, reportsDone: wasDone }: Journal): void {
  world.plays(name, plays);
  for (const [scene, script] of Object.entries(inside)) world.plays(scene, script);
  if (wasDone !== undefined) world.wasDone(wasDone);
}

/** A session after the first read. */
interface SeenJournal extends StoredJournal, Pick<Reading, 'session' | 'events'> {}

async function readSeenJournal(url: string, stored: StoredJournal): Promise<SeenJournal> {
  const { name, as } = stored.journal;
  const talk = openTalk(url, name, as);
  const session = await talk.get('');
  const events: Answer[] = [];
  for (let next: string | null = '/events'; next !== null; ) {
    const page: Answer = await talk.get(next);
    events.push(page);
    next = parsePage(page).next?.replace(/^.*\/events/, '/events') ?? null;
  }
  await checkStream(url, stored.journal, events);
  return { ...stored, session, events };
}

/** The response to `GET events`. */
interface Page {
  readonly events: readonly { readonly seq: number; readonly type: string; readonly turn?: string }[];
  readonly head: number;
  readonly next: string | null;
}

const parsePage = ({ status, body }: Answer): Page => {
  if (status !== 200) throw new Error(`GET events returned ${status}: ${body}`);
  return JSON.parse(body) as Page; // documented in docs/http.md
};

/** Checks that the stream returns the same events, byte for byte. */
async function checkStream(url: string, { name, as }: Journal, pages: readonly Answer[]): Promise<void> {
  const events = pages.flatMap((page) => parsePage(page).events);
  const frames = events.map(
    (event) => `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const expected = `retry: 1000\n\n${frames.join('')}`;
  const told = await readStream(url, name, { as, head: events.length });
  if (told !== expected) throw new Error(`The stream of ${name} differs from its pages:\n${told}`);
}

async function resumeTurns(url: string, world: World, seen: SeenJournal): Promise<Reading> {
  const { journal, session, events } = seen;
  const talk = openTalk(url, journal.name, journal.as);
  await journal.continueSession(talk);
  await talk.rest();
  const answers = [...talk.answers];
  const after = await talk.get('');
  const scenes = listScenes(journal);
  const named = withNamesFor(await listNewTurns(url, seen));
  return {
    session,
    events,
    answers: answers.map(named),
    asked: scenes.flatMap((scene) => world.asked(scene)).map(named),
    done: scenes.flatMap((scene) => world.done(scene).map(named).toSorted(compareByCall)),
    after: named({ ...after, body: withoutChance(after.body) }),
  };
}

/** Sorts by call, because calls of one reply run in parallel. */
const compareByCall = (a: RecordedEffect, b: RecordedEffect): number => (a.call < b.call ? -1 : 1);

/** Removes the durations and the order of calls from the process memory. */
function withoutChance(body: string): string {
  const state = JSON.parse(body) as State; // documented in docs/http.md
  const { history = [], tools = [] } = state.memory?.process ?? {};
  for (const list of [history, tools]) list.sort(compareByTool);
  for (const call of history) if (call.ms !== undefined) call.ms = 0;
  return JSON.stringify(state);
}

const compareByTool = (a: ToolDelay, b: ToolDelay): number => (a.tool < b.tool ? -1 : 1);

/** The part of a `GET session` response that is used here. */
interface State {
  readonly memory?: { readonly process?: { readonly history?: ToolDelay[]; readonly tools?: ToolDelay[] } };
}

interface ToolDelay {
  readonly tool: string;
  ms?: number;
}

/** Returns the turns that are not in the dump, in the order of their starts. */
async function listNewTurns(
  url: string,
  { journal: { name, as }, dump }: SeenJournal,
): Promise<readonly string[]> {
  const page = parsePage(await openTalk(url, name, as).get('/events'));
  const turns = page.events.flatMap(({ type, turn }) => (type === 'turn-started' && turn ? [turn] : []));
  return turns.filter((turn) => !dump.sql.includes(turn));
}

/** Replaces the random ids of new turns, and keys that contain them, by names in order. */
const withNamesFor =
  (turns: readonly string[]) =>
  <T>(told: T): T => {
    let text = JSON.stringify(told);
    for (const [index, turn] of turns.entries()) {
      text = text.replaceAll(turn, `new-turn-${index + 1}`);
    }
    text = text.replace(/("call":"new-turn-[^"]+","key":")[0-9a-f]{32}[0-9.]*"/g, '$1new"');
    return JSON.parse(text) as T; // the text differs only in names
  };
