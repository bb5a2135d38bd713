/** Compares an index and its copy in D1 with the journals. */
import { setTimeout as wait } from 'node:timers/promises';
import { forEachConcurrently, type IndexedSite, type ListedSession, type Place } from './indexed-site.ts';
import type { JournalFacts, ShownSession } from './worker/journal-facts.ts';

/** The state of each session as a text, by session name. */
type View = ReadonlyMap<string, string>;

const formatFacts = (facts: Omit<JournalFacts, 'stops'>): string => {
  const { status, outcome, turns, inputTokens, outputTokens, title } = facts;
  return JSON.stringify([status, outcome ?? null, turns, inputTokens, outputTokens, title]);
};

const formatListed = ({ usage, title, outcome, status, turns }: ListedSession): string =>
  formatFacts({ ...usage, status, turns, outcome, title: String(title) });

/** A row of the copy in D1. */
interface Row {
  readonly session: string;
  readonly title: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

const formatRow = ({ status, outcome, turns, input_tokens, output_tokens, title }: Row): string =>
  formatFacts({
    ...{ status, outcome: outcome ?? undefined, turns, title },
    ...{ inputTokens: input_tokens, outputTokens: output_tokens },
  });

/** The sessions of an owner, computed from their journals. */
export interface OwnerJournals {
  readonly view: View;
  readonly facts: ReadonlyMap<string, JournalFacts>;
}

export async function readJournals(
  site: IndexedSite,
  places: readonly Place[],
  atOnce: number,
): Promise<OwnerJournals> {
  const facts = new Map<string, JournalFacts>();
  await forEachConcurrently(places, atOnce, async ({ owner, session }) => {
    const found = await site.ask<JournalFacts | null>(`/journal?owner=${owner}&session=${session}`);
    if (found) facts.set(session, found);
  });
  return { facts, view: new Map([...facts].map(([session, found]) => [session, formatFacts(found)])) };
}

const findDifferences = (wanted: View, is: View): string[] =>
  [...new Set([...wanted.keys(), ...is.keys()])]
    .filter((session) => wanted.get(session) !== is.get(session))
    .map((session) => `${session}: journal ${wanted.get(session)}, shown ${is.get(session)}`);

/** Returns the differences between an owner's index and the journals. */
export async function indexDiffers(
  site: IndexedSite,
  owner: string,
  { view }: OwnerJournals,
): Promise<string[]> {
  const listed = await site.sessions(owner);
  return findDifferences(view, new Map(listed.map((one) => [one.session, formatListed(one)])));
}

/** Returns the differences between the copy in D1 and the journals of an owner. */
export async function findD1Differences(
  site: IndexedSite,
  owner: string,
  { view }: OwnerJournals,
): Promise<string[]> {
  const rows = await site.ask<readonly Row[]>(`/rows?owner=${owner}`);
  return findDifferences(view, new Map(rows.map((row) => [row.session, formatRow(row)])));
}

/** Repeats a comparison until there are no differences, or until the timeout. Returns the last differences. */
export async function waitForAgreement(compare: () => Promise<string[]>, ms: number): Promise<string[]> {
  for (const until = Date.now() + ms; ; await wait(250)) {
    const found = await compare();
    if (found.length === 0 || Date.now() > until) return found;
  }
}

/**
 * Returns the time in ms after which the index showed each stop of a turn. Skips stops that the index never
 * showed.
 */
export async function measureLags(
  site: IndexedSite,
  owner: string,
  { facts }: OwnerJournals,
): Promise<number[]> {
  const bySession = Map.groupBy(
    await site.ask<readonly ShownSession[]>(`/shown?owner=${owner}`),
    ({ session }) => session,
  );
  return [...facts].flatMap(([session, { stops }]) =>
    stops.flatMap(({ seq, at }) => {
      const shown = (bySession.get(session) ?? []).filter((one) => one.seq >= seq).map((one) => one.at);
      return shown.length === 0 ? [] : [Math.min(...shown) - at];
    }),
  );
}

/** Returns a quantile of the values. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
