/**
 * `npm run write-journals -- NAME` creates each session with the code of this checkout and kills it. Stores
 * the database and its reading in `test/journals/NAME`, for a comparison with later versions. If journals are
 * named, keeps the databases and updates only the readings of these journals, for intended changes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKillable } from '../full/process/killable-worker.ts';
import { type Dump, readDumps } from './dump.ts';
import type { Journal } from './journal.ts';
import { formatValue, type KeptJournal, type KeptReading, readFolder, toKept, writeFolder } from './kept.ts';
import { listScenes, play, type Reading, readJournals, type StoredJournal, WORKER } from './record.ts';
import { journals } from './sessions/journals.ts';
import { openTalk, type Talk } from './talk.ts';
import { openWorld } from './world.ts';

/** A session that was just stored, and the effects of its tools. */
interface WrittenJournal extends StoredJournal, Pick<KeptJournal, 'before'> {}

/** Creates all sessions, and kills the Worker. */
async function storeJournals(): Promise<{ readonly at: number; readonly stored: readonly WrittenJournal[] }> {
  const storage = await mkdtemp(join(tmpdir(), 'holdfast-journals-'));
  const world = await openWorld();
  const runUntilKilled = async (work: (journal: Journal, talk: Talk) => Promise<unknown>): Promise<void> => {
    const worker = await startKillable(WORKER, { vars: { WORLD_URL: world.url }, storage });
    try {
      await Promise.all(
        journals.map((journal) => work(journal, openTalk(worker.url, journal.name, journal.as))),
      );
    } finally {
      await worker.kill();
    }
  };
  try {
    for (const journal of journals) play(world, journal);
    await runUntilKilled(async (journal, talk) => journal.write(talk, world));
    // At this time, the holders are dead and their leases have not expired. The sessions are read with the
    // clock at this time.
    const at = Date.now();
    await runUntilKilled(async (journal, talk) => journal.lastly?.(talk));
    const problems = journals.flatMap(listScenes).flatMap((scene) => world.problems(scene));
    if (problems.length > 0) throw new Error(problems.join('\n'));
    const dumps = readDumps(storage);
    const found = journals.map((journal) => {
      const before = listScenes(journal).flatMap((scene) => world.done(scene));
      return { journal, dump: findDump(dumps, journal), before };
    });
    const missing = found.flatMap(listMissing);
    if (missing.length > 0) throw new Error(missing.join('\n'));
    return { at, stored: found };
  } finally {
    await world.stop();
    await rm(storage, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Returns the dump of a journal's session for any owner. */
function findDump(dumps: ReadonlyMap<string, Dump>, { name }: Journal): Dump {
  const [found] = [...dumps].filter(([object]) => object.endsWith(`,"${name}","s"]`));
  if (!found) throw new Error(`The storage contains no session ${name}.`);
  return found[1];
}

/** Returns the features that a journal must cover and does not contain. */
const listMissing = ({ journal: { name, holds }, dump: { sql } }: StoredJournal): readonly string[] =>
  holds.filter((text) => !sql.includes(text)).map((text) => `${name} does not hold ${text}.`);

/**
 * Reads stored sessions twice. @throws Error if the readings differ, because a stored reading must be
 * deterministic.
 */
async function readTwice(
  stored: readonly StoredJournal[],
  at: number,
): Promise<ReadonlyMap<string, KeptReading>> {
  const [once, twice] = [await readJournals(stored, at), await readJournals(stored, at)];
  return new Map(
    stored.map(({ journal: { name } }) => {
      const [reading, again] = [once.get(name), twice.get(name)].map(toKeptReading);
      if (!reading || !again) throw new Error(`The journal ${name} has no reading.`);
      const lines = [reading, again].map((one) => formatValue(one).split('\n'));
      const difference = lines[0]?.find((line, index) => line !== lines[1]?.[index]);
      if (difference !== undefined) throw new Error(`Two readings of ${name} differ: ${difference}`);
      return [name, reading];
    }),
  );
}

function toKeptReading(reading: Reading | Error | undefined): KeptReading | undefined {
  if (reading instanceof Error) throw reading;
  return reading && toKept(reading);
}

async function write(version: string): Promise<void> {
  const { at, stored } = await storeJournals();
  const readings = await readTwice(stored, at);
  const kept = stored.flatMap(({ journal: { name }, dump, before }) => {
    const reading = readings.get(name);
    return reading ? [[name, { dump, before, reading }] as const] : [];
  });
  writeFolder(version, { at, journals: new Map(kept) });
}

/** Updates the readings, and keeps the databases. */
async function readAgain(version: string, names: readonly string[]): Promise<void> {
  const { at, journals: kept } = readFolder(version);
  const stored = names.map((name) => {
    const journal = journals.find((one) => one.name === name);
    const dump = kept.get(name)?.dump;
    if (!journal || !dump) throw new Error(`test/journals/${version} has no journal ${name}.`);
    return { journal, dump };
  });
  const readings = await readTwice(stored, at);
  const now = [...kept].map(
    ([name, one]) => [name, { ...one, reading: readings.get(name) ?? one.reading }] as const,
  );
  writeFolder(version, { at, journals: new Map(now) });
}

const [version, ...names] = process.argv.slice(2);
if (version === undefined || !/^[\w.-]+$/.test(version)) {
  console.error('npm run write-journals -- NAME [JOURNAL...], where NAME is that of a commit or a release');
  process.exit(2);
}
await (names.length === 0 ? write(version) : readAgain(version, names));
console.log(`See git diff test/journals/${version}.`);
