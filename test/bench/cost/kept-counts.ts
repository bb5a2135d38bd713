/** The counts of turns that are kept: what the page on cost is computed from, and what no turn may exceed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shape } from '../count-turns.ts';
import type { ObjectCounts } from '../workers/counts.ts';

/** What is billed of a turn; how long its object was awake differs with the machine. */
export type BilledCounts = Omit<ObjectCounts, 'awakeMs'>;

/** A turn with a model that takes so many seconds for a reply. */
export interface KeptTurn {
  readonly shape: Shape;
  readonly seconds: number;
  readonly counts: BilledCounts;
}

/** A turn that was counted alone, in a session that is in memory, with a model that answers at once. */
export interface CountedAlone {
  readonly object: BilledCounts;
  /** How often each counted API of the platform was used. */
  readonly apis: Readonly<Record<string, number>>;
}

export interface KeptCounts {
  /** What no turn may exceed. */
  readonly most: Readonly<Record<Shape, CountedAlone>>;
  /** What the page on cost is computed from. */
  readonly turns: readonly KeptTurn[];
}

const FILE = join(import.meta.dirname, 'counts.json');

export const readKept = (): KeptCounts => JSON.parse(readFileSync(FILE, 'utf8')) as KeptCounts; // as written below

export const writeKept = (kept: KeptCounts): void =>
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);

/** Returns what a turn of this shape does more often than is kept, each in a line. */
export function exceeding(
  { most }: KeptCounts,
  shape: Shape,
  { object, apis }: CountedAlone,
): readonly string[] {
  const kept = most[shape];
  return [...over(billed(object), { ...kept.object }), ...over(apis, kept.apis)];
}

/** Returns the counts without what differs with the machine. */
export const billed = ({ rowsWritten, rowsRead, alarmsSet, appends, requests, messages }: BilledCounts) => ({
  rowsWritten,
  rowsRead,
  alarmsSet,
  appends,
  requests,
  messages,
});

const over = (counted: Readonly<Record<string, number>>, most: Readonly<Record<string, number>>): string[] =>
  Object.entries(counted).flatMap(([name, count]) =>
    count > (most[name] ?? 0) ? [`${name}: ${count} is over ${most[name] ?? 0}`] : [],
  );
