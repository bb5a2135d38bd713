/** The stored counts of turns: the input of the page on cost, and the upper limit for every turn. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shape } from '../count-turns.ts';
import type { ObjectCounts } from '../workers/counts.ts';

/** The billed usage of a turn. The time that its object was awake depends on the machine. */
export type BilledCounts = Omit<ObjectCounts, 'awakeMs'>;

/** The counts of a turn whose model takes this many seconds for each reply. */
export interface KeptTurn {
  readonly shape: Shape;
  readonly seconds: number;
  readonly counts: BilledCounts;
}

/** The counts of a turn that runs alone in a loaded session, with a model that replies immediately. */
export interface SeparateCounts {
  readonly object: BilledCounts;
  /** The number of uses of each counted platform API. */
  readonly apis: Readonly<Record<string, number>>;
}

export interface KeptCounts {
  /** The upper limit for every turn. */
  readonly most: Readonly<Record<Shape, SeparateCounts>>;
  /** The input of the page on cost. */
  readonly turns: readonly KeptTurn[];
}

const FILE = join(import.meta.dirname, 'counts.json');

export const readKept = (): KeptCounts => JSON.parse(readFileSync(FILE, 'utf8')) as KeptCounts; // written by this file

export const writeKept = (kept: KeptCounts): void =>
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);

/** Returns the counts of a turn of this shape that exceed the stored ones, one line each. */
export function findExceedingCounts(
  { most }: KeptCounts,
  shape: Shape,
  { object, apis }: SeparateCounts,
): readonly string[] {
  const kept = most[shape];
  return [...findExceeding(pickBilled(object), { ...kept.object }), ...findExceeding(apis, kept.apis)];
}

/** Returns the counts without those that depend on the machine. */
export const pickBilled = ({
  rowsWritten,
  rowsRead,
  alarmsSet,
  appends,
  requests,
  messages,
}: BilledCounts) => ({
  rowsWritten,
  rowsRead,
  alarmsSet,
  appends,
  requests,
  messages,
});

const findExceeding = (
  counted: Readonly<Record<string, number>>,
  most: Readonly<Record<string, number>>,
): string[] =>
  Object.entries(counted).flatMap(([name, count]) =>
    count > (most[name] ?? 0) ? [`${name}: ${count} is over ${most[name] ?? 0}`] : [],
  );
