import { findCircles, findFolderCircles } from '../source/circles.ts';
import { collectFunctions, type SourceFunction } from '../source/functions.ts';
import { collectImports } from '../source/imports.ts';
import type { Source } from '../source/parse-source.ts';
import { collectSeams, type Seam } from '../source/seams.ts';
import { findWalkProblems, listWalkFiles } from './check-walk.ts';
import {
  collectEntries,
  type Entry,
  findSharedNames,
  type Manifest,
  type SharedName,
} from './public-names.ts';
import type { Step } from './walk.ts';

/** The lengths of one kind of code, in lines. */
export interface Sizes {
  readonly count: number;
  readonly lines: number;
  readonly median: number;
  /** The 90th percentile. */
  readonly p90: number;
  readonly longest: number;
}

/** The measurements of the library. A circle is a list of names, the last of which depends on the first. */
export interface Figures {
  readonly files: Sizes;
  /** Lines of code without comments, blank lines and imports. */
  readonly codeLines: { readonly all: number; readonly kernel: number };
  /** Named functions. A callback counts as part of its enclosing function. */
  readonly functions: Sizes;
  readonly circles: {
    /** Circles of runtime imports between files. */
    readonly values: readonly (readonly string[])[];
    /** Circles of imports between files, including types. */
    readonly files: readonly (readonly string[])[];
    readonly topFolders: readonly (readonly string[])[];
    readonly nestedFolders: readonly (readonly string[])[];
  };
  /** Functions with four or more positional parameters. */
  readonly wide: readonly { readonly file: string; readonly name: string; readonly parameters: number }[];
  /** The calls of `defineSeam`, where modules plug in. */
  readonly seams: readonly Seam[];
  readonly entries: readonly Entry[];
  readonly sharedNames: readonly SharedName[];
  readonly walk: {
    readonly files: readonly { readonly file: string; readonly lines: number }[];
    readonly lines: number;
    /** The steps of the walk that the code contradicts. */
    readonly problems: readonly string[];
  };
}

/** Measures the source of a library. */
export function measureCode(sources: readonly Source[], walk: readonly Step[], manifest: Manifest): Figures {
  const lines = new Map(sources.map(({ file, text }) => [file, countLines(text)]));
  const functions = sources.map((source) => ({ file: source.file, all: collectFunctions(source) }));
  const named = functions.flatMap(({ all }) => all.filter(({ name }) => name !== null));
  const inside = sources.flatMap(collectImports).filter(({ to }) => lines.has(to));
  const folders = findFolderCircles(inside);
  const entries = collectEntries(manifest, sources);
  const onWalk = listWalkFiles(walk).map((file) => ({ file, lines: lines.get(file) ?? 0 }));
  return {
    files: computeSizes([...lines.values()]),
    codeLines: {
      all: sum(sources.map(countCodeLines)),
      kernel: sum(sources.filter(({ file }) => KERNEL_PATHS.test(file)).map(countCodeLines)),
    },
    functions: computeSizes(named.map((one) => one.lines)),
    circles: {
      values: findCircles(inside.filter(({ typeOnly }) => !typeOnly)),
      files: findCircles(inside),
      topFolders: folders.top,
      nestedFolders: folders.nested,
    },
    wide: functions.flatMap(({ file, all }) =>
      all
        .filter(({ parameters }) => parameters > 3)
        .map((one) => ({ file, name: formatFullName(one), parameters: one.parameters })),
    ),
    seams: sources.flatMap(collectSeams),
    entries,
    sharedNames: findSharedNames(entries),
    walk: {
      files: onWalk,
      lines: sum(onWalk.map((one) => one.lines)),
      problems: findWalkProblems(walk, sources),
    },
  };
}

/** The folders of the kernel. Model adapters are not part of it. */
const KERNEL_PATHS =
  /^(?:durable-objects|src\/(?:agent|journal|loop|session|sources|tool|worker|model(?=\/[\w-]+\.ts)))\/|^src\/module\.ts$/;

/** Counts the lines of code in a file, without imports and re-exports. */
export function countCodeLines({ text, comments, module }: Source): number {
  const left = [...comments, ...module.staticImports, ...module.staticExports.filter(isFromElsewhere)];
  const blanked = left
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (all, { start, end }) =>
        all.slice(0, start) + all.slice(start, end).replace(/[^\n]+/g, '') + all.slice(end),
      text,
    );
  return blanked.split('\n').filter((line) => line.trim() !== '').length;
}

const isFromElsewhere = ({ entries }: Source['module']['staticExports'][number]): boolean =>
  entries.some(({ moduleRequest }) => moduleRequest !== null);

const countLines = (text: string): number => text.replace(/\n$/, '').split('\n').length;

const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0);

/** Returns a function's name with its owners, which distinguish functions with the same name. */
const formatFullName = ({ owners, name }: SourceFunction): string =>
  [...owners, name ?? '(callback)'].join('.');

function computeSizes(all: readonly number[]): Sizes {
  const sorted = all.toSorted((a, b) => a - b);
  const getQuantile = (share: number): number =>
    sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return {
    count: all.length,
    lines: sum(all),
    median: getQuantile(0.5),
    p90: getQuantile(0.9),
    longest: getQuantile(1),
  };
}
