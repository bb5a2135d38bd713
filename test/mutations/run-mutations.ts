/**
 * `npm run mutations` applies each change of `test/mutations.ts` to a copy of the checkout, runs the tests in
 * its entry, and prints whether they fail. `-- --only write-ahead` applies one change, and can be repeated.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTATIONS, type Mutation } from '../mutations.ts';
import { readLibrary } from '../source/parse-source.ts';
import { copyCheckout } from './checkout-copy.ts';
import { findUnusableReason, formatSummary, judge, type TestRun, type Verdict } from './judge.ts';
import { applyReplacements, locateMutation, type Place } from './locate.ts';
import { compile, runTests, stopAll } from './run-in-copy.ts';
import { runPatiently } from './run-patiently.ts';

/** A mutation with its place in the code. */
interface LocatedMutation {
  readonly mutation: Mutation;
  readonly place: Place;
}

/** The timeout of the tests of one mutation and of the compiler, in ms. */
const LONGEST_MS = 120_000;

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
const began = Date.now();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopAll();
    process.exit(130);
  });
}
process.exitCode = (await play(chooseMutations(values.only))) ? 0 : 1;

/** Returns `true` if every mutation was caught. */
async function play(mutations: readonly Mutation[]): Promise<boolean> {
  const copy = copyCheckout(resolve(import.meta.dirname, '../..'));
  const wrong = new Map<Mutation, string>();
  const found = locateAll(copy, mutations, wrong);
  await compileAll(copy, found, wrong);
  const usable = found.filter(({ mutation }) => !wrong.has(mutation));
  const tests = [...new Set(usable.flatMap((one) => one.mutation.tests))].sort();
  console.log(`mutations: ${tests.length} test files, as the code is ...`);
  const before = tests.length > 0 ? await runUnchanged(copy, tests) : undefined;
  for (const [mutation, why] of wrong) show(mutation, { is: 'error', why }, 0);
  const verdicts: Verdict[] = [...wrong.values()].map((why) => ({ is: 'error', why }));
  for (const located of usable) {
    const start = Date.now();
    const why = before && findUnusableReason(before, located.mutation.tests);
    const verdict = why === undefined ? await tryOut(copy, located) : createNotGreen(why);
    verdicts.push(verdict);
    show(located.mutation, verdict, Date.now() - start);
  }
  const isGood = verdicts.every(({ is }) => is === 'caught');
  const seconds = Math.round((Date.now() - began) / 1_000);
  console.log(`mutations: ${formatSummary(verdicts)}; ${seconds} s; ${isGood ? 'PASS' : 'FAIL'}`);
  return isGood;
}

function createNotGreen(why: string): Verdict {
  return { is: 'not-run', why: `its tests are not green before anything is changed: ${why}` };
}

function chooseMutations(only: readonly string[] | undefined): readonly Mutation[] {
  const unknown = only?.find((name) => MUTATIONS.every((one) => one.name !== name));
  if (unknown === undefined) return only ? MUTATIONS.filter(({ name }) => only.includes(name)) : MUTATIONS;
  const names = MUTATIONS.map(({ name }) => name).join(', ');
  console.error(`There is no mutation '${unknown}'. These are there: ${names}.`);
  process.exit(2);
}

function locateAll(
  copy: string,
  mutations: readonly Mutation[],
  wrong: Map<Mutation, string>,
): readonly LocatedMutation[] {
  const sources = readLibrary(copy);
  return mutations.flatMap((mutation) => {
    try {
      return [{ mutation, place: locateMutation(sources, mutation) }];
    } catch (thrown) {
      wrong.set(mutation, thrown instanceof Error ? thrown.message : String(thrown));
      return [];
    }
  });
}

/**
 * Compiles all mutations at once, and the suspicious ones separately. A mutation that does not compile would be
 * caught by any test.
 */
async function compileAll(
  copy: string,
  all: readonly LocatedMutation[],
  wrong: Map<Mutation, string>,
): Promise<void> {
  const [error] = await compileWith(copy, all);
  if (error === undefined) return;
  for (const one of all) {
    const [own] = all.length === 1 ? [error] : await compileWith(copy, [one]);
    if (own !== undefined) wrong.set(one.mutation, `it does not compile: ${own}`);
  }
  if (wrong.size === 0) throw new Error(`The mutations do not compile together: ${error}`);
}

async function compileWith(copy: string, all: readonly LocatedMutation[]): Promise<readonly string[]> {
  const files = [...new Set(all.map(({ place }) => place.file))];
  if (files.length === 0) return [];
  const undo = files.map((file) =>
    changeFile(
      copy,
      file,
      all.filter(({ place }) => place.file === file),
    ),
  );
  try {
    return await compile(copy, files, LONGEST_MS);
  } finally {
    for (const restore of undo) restore();
  }
}

/** Applies changes to a file. Returns a function that reverts them. */
function changeFile(copy: string, file: string, changes: readonly LocatedMutation[]): () => void {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    applyReplacements(
      text,
      changes.map(({ mutation, place }) => ({ place, becomes: mutation.replacement })),
    ),
  );
  return () => writeFileSync(path, text);
}

async function runUnchanged(copy: string, tests: readonly string[]): Promise<TestRun> {
  return runPatiently({ tests }, (files) => runTests(copy, files, { bail: false, mostMs: 3 * LONGEST_MS }));
}

async function tryOut(copy: string, located: LocatedMutation): Promise<Verdict> {
  const { mutation, place } = located;
  const restore = changeFile(copy, place.file, [located]);
  try {
    const ran = await runPatiently(mutation, (files) =>
      runTests(copy, files, { bail: true, mostMs: LONGEST_MS }),
    );
    return judge(ran, mutation, (file) => relative(copy, file));
  } finally {
    restore();
  }
}

function show({ name, in: owner, effect: breaks, tests }: Mutation, verdict: Verdict, ms: number): void {
  const head = `${name} (${owner}), ${(ms / 1_000).toFixed(1)} s`;
  switch (verdict.is) {
    case 'caught':
      console.log(`caught    ${head}\n          by ${verdict.by}`);
      break;
    case 'survived':
      console.log(`SURVIVED  ${head}\n          ${breaks}\n          not noticed by ${tests.join(', ')}`);
      break;
    case 'not-run':
      console.log(`NOT RUN   ${head}\n          ${verdict.why}`);
      break;
    case 'error':
      console.log(`ERROR     ${head}\n          ${verdict.why}`);
  }
}
