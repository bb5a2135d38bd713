import { formatCircle } from '../source/circles.ts';
import { SEAMS } from './budgets.ts';
import type { AddedBytes, Bundle } from './bundles.ts';
import type { ExecutionFigures } from './executed/measure-executed.ts';
import type { Figures, Sizes } from './measure-code.ts';

/** The figures measured at run time. */
export interface RuntimeFigures {
  readonly executed: readonly ExecutionFigures[];
  readonly clerk: Bundle;
  readonly added: readonly AddedBytes[];
  /** The bytes that each module adds, by its folder. */
  readonly modules: readonly AddedBytes[];
}

/** Its budgets. See `budgets.ts`. */
export interface Budgets {
  readonly executed: Readonly<Record<string, { readonly functions: number; readonly files: number }>>;
  /** The gzipped size in KiB. */
  readonly clerk: number;
}

/** A goal for the library, and whether it is met. */
export interface Goal {
  readonly goal: string;
  readonly is: number;
  readonly isMet: boolean;
}

/** The goals, in display order. */
export function computeGoals({
  files,
  codeLines,
  circles,
  wide,
  seams,
  entries,
  walk,
  sharedNames,
}: Figures): Goal[] {
  return [
    createAtMostGoal('files', 420, files.count),
    createAtMostGoal('lines with code', 45_000, codeLines.all),
    createAtMostGoal('lines with code in the kernel', 10_000, codeLines.kernel),
    createAtMostGoal('lines in nine of ten files', 250, files.p90),
    { goal: 'median of a file 85 lines or more', is: files.median, isMet: files.median >= 85 },
    createAtMostGoal('files on the walk', 20, walk.files.length),
    createAtMostGoal('lines on the walk', 2_500, walk.lines),
    createAtMostGoal('steps of the walk that are not so', 0, walk.problems.length),
    createAtMostGoal('circles between files', 0, circles.files.length),
    createAtMostGoal('circles between top folders', 0, circles.topFolders.length),
    createAtMostGoal('circles between nested folders', 0, circles.nestedFolders.length),
    createAtMostGoal('seams', SEAMS, seams.length),
    createAtMostGoal('functions with four or more positional parameters', 0, wide.length),
    createAtMostGoal('names that two entries export', 0, sharedNames.length),
    createAtMostGoal(
      'names of `holdfast`',
      120,
      countNames(entries.find(({ entry }) => entry === 'holdfast')),
    ),
  ];
}

const countNames = (entry: Figures['entries'][number] | undefined): number =>
  entry ? entry.values.length + entry.types.length : 0;

const KIB = 1024;

/** The budgets, each next to its figure. */
export function computeBudgetGoals({ executed, clerk }: RuntimeFigures, budgets: Budgets): Goal[] {
  const scenarios = executed.flatMap(({ scenario, worker, functions, files }) => {
    const budget = budgets.executed[worker] ?? { functions: 0, files: 0 };
    return [
      createAtMostGoal(`functions executed by ${scenario}`, budget.functions, functions.length),
      createAtMostGoal(`files executed by ${scenario}`, budget.files, files.length),
    ];
  });
  return [
    ...scenarios,
    createAtMostGoal("KiB of the README's Worker, gzipped", budgets.clerk, Math.ceil(clerk.gzipped / KIB)),
  ];
}

const createAtMostGoal = (goal: string, limit: number, is: number): Goal => ({
  goal: limit === 0 ? `no ${goal}` : `at most ${limit.toLocaleString('en')} ${goal}`,
  is,
  isMet: is <= limit,
});

/** Formats all figures. */
export function formatReport(figures: Figures, running: RuntimeFigures, goals: readonly Goal[]): string {
  const { files, codeLines, functions, circles, wide, seams, entries, sharedNames, walk } = figures;
  return [
    ...formatSection('Library (src without src/examples, durable-objects)', [
      formatSizes('files', files),
      formatSizes('functions', functions),
      `${codeLines.all} lines with code, of these ${codeLines.kernel} in the kernel`,
    ]),
    ...formatCircles('Circles between files, of values', circles.values),
    ...formatCircles('Circles between files, types included', circles.files),
    ...formatCircles('Circles between top folders', circles.topFolders),
    ...formatCircles('Circles between nested folders', circles.nestedFolders),
    ...formatSection(
      `Seams: ${seams.length}`,
      seams.map(({ file, name }) => `${name}  ${file}`),
    ),
    ...formatSection(
      `Functions with four or more positional parameters: ${wide.length}`,
      wide.map(({ file, name, parameters }) => `${parameters}  ${file} ${name}`),
    ),
    ...formatSection(
      `Public names: ${entries.reduce((all, { values, types }) => all + values.length + types.length, 0)}`,
      entries.map(({ entry, values, types }) => {
        const all = `${values.length + types.length}`.padStart(4);
        return `${all}  ${entry}: ${values.length} values, ${types.length} types`;
      }),
    ),
    ...formatSection(
      `Names that two entries export: ${sharedNames.length}`,
      sharedNames.map(({ name, entries: of }) => `${name}: ${of.join(', ')}`),
    ),
    ...formatSection(
      `The walk of one message: ${walk.files.length} files, ${walk.lines} lines`,
      walk.files.map(({ file, lines }) => `${`${lines}`.padStart(4)}  ${file}`),
    ),
    ...formatSection(`Steps of the walk that are not so: ${walk.problems.length}`, walk.problems),
    ...formatSection(
      'Executed by the second message of a session: functions, files, functions of packages',
      running.executed.map(({ scenario, functions, files, packaged }) => {
        const counts = [functions.length, files.length, packaged].map((one) => `${one}`.padStart(4));
        return `${counts.join(' ')}  ${scenario}`;
      }),
    ),
    ...formatSection(
      `The README's Worker: ${formatKib(running.clerk.gzipped)} gzipped; before that, by folder`,
      running.clerk.folders.map(({ folder, bytes }) => `${formatKib(bytes)}  ${folder}`),
    ),
    ...formatSection(
      'What each entry adds to it, gzipped, if all of it is used',
      running.added.map(formatAddedLine),
    ),
    ...formatSection(
      'What each module adds to it, gzipped, if all of it is used',
      running.modules.map(formatAddedLine),
    ),
    ...formatSection('Goals and budgets', formatGoals(goals)),
  ].join('\n');
}

const formatAddedLine = ({ name, added }: AddedBytes): string => `${formatKib(added)}  ${name}`;

const formatKib = (bytes: number): string => `${(bytes / KIB).toFixed(1).padStart(6)} KiB`;

const formatSection = (title: string, lines: readonly string[]): string[] => [
  title,
  ...lines.map((line) => `  ${line}`),
  '',
];

const formatCircles = (title: string, circles: Figures['circles']['files']): string[] =>
  formatSection(`${title}: ${circles.length}`, circles.map(formatCircle));

const formatSizes = (what: string, { count, lines, median, p90, longest }: Sizes): string =>
  `${count} ${what}, ${lines} lines; median ${median}, p90 ${p90}, longest ${longest}`;

function formatGoals(goals: readonly Goal[]): string[] {
  const wide = Math.max(...goals.map(({ goal }) => goal.length));
  return goals.map(({ goal, is, isMet }) => `${isMet ? 'pass' : 'FAIL'}  ${goal.padEnd(wide)}  ${is}`);
}
