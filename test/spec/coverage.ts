import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One test of a run in the JSON report. */
export interface RanTest {
  /** The titles of its `describe` blocks and its own title, joined by spaces. */
  readonly title: string;
  readonly passed: boolean;
}

/** The state of one id. */
export type IdStatus =
  | { readonly id: string; readonly is: 'covered'; readonly by: readonly string[] }
  | { readonly id: string; readonly is: 'not-applicable'; readonly why: string }
  | { readonly id: string; readonly is: 'missing' };

/** A row of the source documents, with its ids that are in no passed test's title. */
export interface RowCoverage extends SourceRow {
  readonly missing: readonly string[];
}

export interface Coverage {
  readonly standings: readonly IdStatus[];
  readonly rows: readonly RowCoverage[];
  /**
   * Mistakes that invalidate the figures: a title with too many ids, a reason for a covered id, or a failed
   * test.
   */
  readonly faults: readonly string[];
}

const MAX_IDS = 3;
/** The maximum share of ids that may be marked as not applicable. */
const MAX_NOT_APPLICABLE = 0.06;

/** Returns the ids that a specification defines. Each starts a list item, such as `- **TOOL-01** ...`. */
export const parseIds = (text: string): string[] =>
  [...text.matchAll(/^- \*\*([A-Z]{3,4}-\d\d)\*\*/gm)].map(([, id = '']) => id);

const SPECIFICATION = readFileSync(join(import.meta.dirname, 'behaviours.md'), 'utf8');

/** The ids of the library's behaviors, as numbered in `behaviours.md` in this folder. */
export const ALL_IDS: readonly string[] = parseIds(SPECIFICATION);

/** A feature in a source document, with its behaviors. */
export interface SourceRow {
  readonly row: string;
  readonly feature: string;
  readonly ids: readonly string[];
}

/**
 * Returns the features of the source documents in a specification, such as
 * `| S0-004 | Context in methods | CTX-01, CTX-07 | |`. `CTX-01..03` is a range, and `CTX` is a whole group.
 */
export const parseRows = (text: string): SourceRow[] => {
  const all = parseIds(text);
  return [...text.matchAll(/^\| (S\d-\d+) \| ([^|]*) \| ([^|]*) \|/gm)].map(
    ([, row = '', feature = '', ids = '']) => ({
      row,
      feature: feature.trim(),
      ids: ids.split(',').flatMap((part) => expandIds(part.trim(), all)),
    }),
  );
};

function expandIds(part: string, all: readonly string[]): string[] {
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
export const ALL_ROWS: readonly SourceRow[] = parseRows(SPECIFICATION);

/** Ids that do not apply, with their replacements. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {};

/** Returns the unique spec ids in a title. */
export const parseTitleIds = (title: string): string[] => [
  ...new Set(title.match(/\b[A-Z]{3,4}-\d\d\b/g) ?? []),
];

/** Finds the passed tests of each id. */
export function computeCoverage(tests: readonly RanTest[]): Coverage {
  const byId = new Map<string, string[]>();
  for (const { title, passed } of tests) {
    if (passed) for (const id of parseTitleIds(title)) byId.set(id, [...(byId.get(id) ?? []), title]);
  }
  const standings = ALL_IDS.map((id): IdStatus => {
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
  return { standings, rows, faults: listFaults(tests, byId) };
}

function listFaults(tests: readonly RanTest[], byId: ReadonlyMap<string, readonly string[]>): string[] {
  const crowded = tests.filter(({ title }) => parseTitleIds(title).length > MAX_IDS);
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
