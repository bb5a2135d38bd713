/** Two runs in which the process is killed: one with many sessions, and one that erases an owner. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  findD1Differences,
  indexDiffers,
  measureLags,
  type OwnerJournals,
  readJournals,
  waitForAgreement,
} from './agreement.ts';
import { forEachConcurrently, type IndexedSite, type Place } from './indexed-site.ts';

/** The size of a run. */
export interface LoadSize {
  readonly sessions: number;
  readonly owners: number;
  readonly atOnce: number;
  readonly kills: number;
}

/** The results of a run with many sessions. */
export interface LoadResult {
  readonly turns: number;
  /** The time in ms after which the index showed each stopped turn. */
  readonly lags: readonly number[];
  /** The differences between the index or D1 and the journals. */
  readonly differences: readonly string[];
  readonly seconds: number;
}

/**
 * Returns the message of a session. Every seventh one fails, every fifth one waits for an approval, and all
 * others are answered.
 */
const formatMessage = (index: number): string =>
  `${index % 7 === 3 ? 'fail' : index % 5 === 2 ? 'pay' : 'ask'} number ${index}`;

/** Runs a turn in each session, and a second turn in every fourth session whose first turn has ended. */
async function playSession(site: IndexedSite, place: Place, index: number): Promise<void> {
  await site.say(place, formatMessage(index), `first-${place.session}`);
  if (index % 4 === 0 && !formatMessage(index).startsWith('pay'))
    await site.say(place, `again ${formatMessage(index + 1).slice(0, 3)}`, `second-${place.session}`);
}

/** Runs many sessions, and kills the process at regular intervals. */
export async function runLoad(site: IndexedSite, size: LoadSize, settleMs: number): Promise<LoadResult> {
  const places = Array.from({ length: size.sessions }, (_, index) => ({
    owner: `o${index % size.owners}`,
    session: `s${index}`,
  }));
  const began = Date.now();
  const killEvery = Math.ceil(size.sessions / (size.kills + 1));
  let killing = Promise.resolve();
  await forEachConcurrently(places, size.atOnce, async (place, index) => {
    if (index > 0 && index % killEvery === 0 && size.kills > 0) killing = killing.then(() => site.kill());
    await playSession(site, place, index);
  });
  await killing;
  const seconds = (Date.now() - began) / 1_000;
  const byOwner = Map.groupBy(places, ({ owner }) => owner);
  const lags: number[] = [];
  const differences: string[] = [];
  let turns = 0;
  for (const [owner, ofOwner] of byOwner) {
    const journals = await readJournals(site, ofOwner, size.atOnce);
    turns += [...journals.facts.values()].reduce((sum, { stops }) => sum + stops.length, 0);
    const collectDifferences = async (of: typeof indexDiffers): Promise<string[]> =>
      waitForAgreement(
        async () => of(site, owner, journals),
        Math.max(2_000, began + seconds * 1_000 + settleMs - Date.now()),
      );
    differences.push(...findMissing(journals, ofOwner), ...(await collectDifferences(indexDiffers)));
    differences.push(...(await collectDifferences(findD1Differences)).map((one) => `in D1, ${one}`));
    lags.push(...(await measureLags(site, owner, journals)));
  }
  return { turns, lags, differences, seconds };
}

const findMissing = ({ facts }: OwnerJournals, places: readonly Place[]): string[] =>
  places.filter(({ session }) => !facts.has(session)).map(({ session }) => `${session} has no journal`);

/** The data of an owner that remains after the index has reported the erasure. */
export interface ErasureResult {
  readonly removed: number;
  readonly left: Readonly<Record<string, unknown>>;
  readonly filesBefore: number;
  readonly seconds: number;
}

/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * Erases an owner with this many sessions, each with a file, while the process is killed. Then searches for
 * remaining data.
 */
export async function runErasure(
  site: IndexedSite,
  size: Omit<LoadSize, 'owners'>,
  settleMs: number,
): Promise<ErasureResult> {
  const owner = 'erased';
  const places = Array.from({ length: size.sessions }, (_, index) => ({ owner, session: `e${index}` }));
  const createMessage = (index: number) => [
    { type: 'text', text: formatMessage(index) },
    { type: 'file', mediaType: 'image/png', data: PNG },
  ];
  await forEachConcurrently(places, size.atOnce, (place, index) =>
    site.say(place, createMessage(index), `file-${place.session}`),
  );
  await waitForAgreement(
    async () => ((await site.owner(owner)).sessions === size.sessions ? [] : ['some']),
    settleMs,
  );
  const before = await countLeft(site, owner);
  const began = Date.now();
  let standing = await site.owner(owner, 'DELETE');
  for (let kill = 0; kill < size.kills; kill += 1) {
    await wait(300);
    await site.kill();
  }
  const checkErasure = async (): Promise<string[]> => {
    standing = await site.owner(owner);
    return standing.erasure?.status === 'erased' ? [] : ['it is erasing'];
  };
  await waitForAgreement(checkErasure, settleMs);
  const seconds = (Date.now() - began) / 1_000;
  // Files in an external store are removed one and a quarter lease terms after their session.
  await waitForAgreement(async () => ((await countLeft(site, owner)).files === 0 ? [] : ['files']), settleMs);
  const { facts } = await readJournals(site, places, size.atOnce);
  const left = {
    ...{ status: standing.erasure?.status, sessions: standing.sessions, journals: facts.size },
    ...{ listed: (await site.sessions(owner)).length, ...(await countLeft(site, owner)) },
  };
  return { removed: standing.erasure?.removed ?? 0, left, filesBefore: before.files, seconds };
}

const countLeft = (site: IndexedSite, owner: string) =>
  site.ask<{ readonly files: number; readonly rows: number; readonly used: number }>(`/left?owner=${owner}`);

/** The expected result: no data remains, and the index reports the erasure. */
export const NOTHING_LEFT = {
  ...{ status: 'erased', sessions: 0, journals: 0 },
  ...{ listed: 0, files: 0, rows: 0, used: 0 },
};
