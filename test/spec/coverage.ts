import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One test of a run, as the JSON report tells of it. */
export interface RanTest {
  /** The titles of the blocks around it and its own, joined by blanks. */
  readonly title: string;
  readonly passed: boolean;
}

/** What became of one id. */
export type Standing =
  | { readonly id: string; readonly is: 'covered'; readonly by: readonly string[] }
  | { readonly id: string; readonly is: 'not-applicable'; readonly why: string }
  | { readonly id: string; readonly is: 'missing' };

/** A row of the source documents, and those of its ids that no passed test names. */
export interface RowStanding extends SourceRow {
  readonly missing: readonly string[];
}

export interface Coverage {
  readonly standings: readonly Standing[];
  readonly rows: readonly RowStanding[];
  /** What makes the figures worthless: a title that names too much, a reason for what is covered, a failed test. */
  readonly faults: readonly string[];
}

const MAX_IDS = 3;
/** Of all ids, those that may be said not to apply. */
const MAX_NOT_APPLICABLE = 0.06;

/** The ids that a text of the specification defines: each begins an entry of a list, as in `- **TOOL-01** ...`. */
export const idsDefinedIn = (text: string): string[] =>
  [...text.matchAll(/^- \*\*([A-Z]{3,4}-\d\d)\*\*/gm)].map(([, id = '']) => id);

const SPECIFICATION = readFileSync(join(import.meta.dirname, 'behaviours.md'), 'utf8');

/** The behaviours that the library answers for, as `behaviours.md` beside this file numbers them. */
export const ALL_IDS: readonly string[] = idsDefinedIn(SPECIFICATION);

/** A feature that a source document names, and the behaviours that it consists of. */
export interface SourceRow {
  readonly row: string;
  readonly feature: string;
  readonly ids: readonly string[];
}

/**
 * The features of the source documents that a text of the specification lists, as in `| S0-004 | Context in methods | CTX-01, CTX-07 | |`.
 * `CTX-01..03` is a range, and `CTX` all of a group.
 */
export const rowsDefinedIn = (text: string): SourceRow[] => {
  const all = idsDefinedIn(text);
  return [...text.matchAll(/^\| (S\d-\d+) \| ([^|]*) \| ([^|]*) \|/gm)].map(
    ([, row = '', feature = '', ids = '']) => ({
      row,
      feature: feature.trim(),
      ids: ids.split(',').flatMap((part) => idsOfPart(part.trim(), all)),
    }),
  );
};

function idsOfPart(part: string, all: readonly string[]): string[] {
  const [first = '', last] = part.split('..');
  const [group = '', from] = first.split('-');
  if (from === undefined) return all.filter((id) => id.startsWith(`${group}-`));
  if (last === undefined) return [first];
  return Array.from(
    { length: Number(last) - Number(from) + 1 },
    (_, at) => `${group}-${String(Number(from) + at).padStart(2, '0')}`,
  );
}

/** The 243 features of the source documents. */
export const ALL_ROWS: readonly SourceRow[] = rowsDefinedIn(SPECIFICATION);

/** Ids that do not apply, and what stands in their place. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {};

/** The spec ids that a title names, each once. */
export const idsOf = (title: string): string[] => [...new Set(title.match(/\b[A-Z]{3,4}-\d\d\b/g) ?? [])];

/** Which id is proved by which passed test. */
export function coverageOf(tests: readonly RanTest[]): Coverage {
  const byId = new Map<string, string[]>();
  for (const { title, passed } of tests) {
    if (passed) for (const id of idsOf(title)) byId.set(id, [...(byId.get(id) ?? []), title]);
  }
  const standings = ALL_IDS.map((id): Standing => {
    const by = byId.get(id);
    if (by) return { id, is: 'covered', by };
    if (NOT_APPLICABLE[id]) return { id, is: 'not-applicable', why: NOT_APPLICABLE[id] };
    return { id, is: 'missing' };
  });
  const open = new Set(standings.flatMap(({ id, is }) => (is === 'missing' ? [id] : [])));
  const rows = ALL_ROWS.map((row) => ({
    ...row,
    missing: row.ids.filter((id) => open.has(id) || !ALL_IDS.includes(id)),
  }));
  return { standings, rows, faults: faultsOf(tests, byId) };
}

function faultsOf(tests: readonly RanTest[], byId: ReadonlyMap<string, readonly string[]>): string[] {
  const crowded = tests.filter(({ title }) => idsOf(title).length > MAX_IDS);
  const excused = Object.keys(NOT_APPLICABLE);
  const unknown = excused.filter((id) => !ALL_IDS.includes(id));
  const twice = ALL_IDS.filter((id, at) => ALL_IDS.indexOf(id) !== at);
  const share = Object.keys(NOT_APPLICABLE).length / ALL_IDS.length;
  return [
    ...crowded.map(({ title }) => `names more than ${MAX_IDS} ids: ${title}`),
    ...excused.filter((id) => byId.has(id)).map((id) => `${id} is covered and needs no excuse`),
    ...unknown.map((id) => `${id} is not in the specification`),
    ...twice.map((id) => `${id} is in the specification twice`),
    ...tests.filter(({ passed }) => !passed).map(({ title }) => `failed: ${title}`),
    ...(share > MAX_NOT_APPLICABLE
      ? [`${(share * 100).toFixed(1)} % of the ids are said not to apply; the most is 6 %`]
      : []),
  ];
}
