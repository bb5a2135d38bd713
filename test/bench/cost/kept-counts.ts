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

export interface KeptCounts {
  readonly turns: readonly KeptTurn[];
  /** How often a turn uses each counted API of the platform, with a model that answers at once. */
  readonly apis: Readonly<Record<Shape, Readonly<Record<string, number>>>>;
}

const FILE = join(import.meta.dirname, 'counts.json');

export const readKept = (): KeptCounts => JSON.parse(readFileSync(FILE, 'utf8')) as KeptCounts; // as written below

export const writeKept = (kept: KeptCounts): void =>
  writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);

/** A turn as it was counted alone, with a model that answers at once. */
export interface CountedAlone {
  readonly object: BilledCounts;
  readonly apis: Readonly<Record<string, number>>;
}

/** Returns what a turn of this shape does more often than is kept, each in a line. */
export function exceeding(
  { turns, apis }: KeptCounts,
  shape: Shape,
  counted: CountedAlone,
): readonly string[] {
  const kept = turns.find((turn) => turn.shape === shape && turn.seconds === 0)?.counts;
  const { appends, requests, rowsRead, rowsWritten, alarmsSet } = counted.object;
  const figures = { appends, requests, rowsRead, rowsWritten, alarmsSet };
  return [...over(figures, { ...kept }), ...over(counted.apis, apis[shape])];
}

const over = (counted: Readonly<Record<string, number>>, most: Readonly<Record<string, number>>): string[] =>
  Object.entries(counted).flatMap(([name, count]) =>
    count > (most[name] ?? 0) ? [`${name}: ${count} is over ${most[name] ?? 0}`] : [],
  );
