/**
 * `npm run measure-code` measures the structure of the library, the functions that messages execute, and the
 * bundles of Workers. `-- --json` prints the figures as JSON. `-- --check` exits with 1 if a goal or a budget
 * is not met.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readLibrary } from '../source/parse-source.ts';
import { CLERK_KIB, EXECUTED_BUDGETS } from './budgets.ts';
import { bundleClerk, bundleParts } from './bundles.ts';
import { type ExecutionFigures, measureExecuted } from './executed/measure-executed.ts';
import { SCENARIOS } from './executed/scenarios.ts';
import { collectFeatures, isModule, isOfFeature } from './features.ts';
import { measureCode } from './measure-code.ts';
import type { Manifest } from './public-names.ts';
import { computeBudgetGoals, computeGoals, formatReport } from './report.ts';
import { WALK } from './walk.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
});
const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // the package.json of this repository
const sources = readLibrary(root);
const figures = measureCode(sources, WALK, manifest);
const files = sources.map(({ file }) => file);
const modules = collectFeatures(manifest, files)
  .filter(isModule)
  .map(({ path }) => ({ name: path, files: files.filter((file) => isOfFeature(file, path)) }));
const executedScenarios: ExecutionFigures[] = [];
for (const scenario of SCENARIOS) executedScenarios.push(await measureExecuted(scenario));
const runtimeFigures = {
  executed: executedScenarios,
  clerk: await bundleClerk(),
  added: await bundleParts(figures.entries.map(({ entry, file }) => ({ name: entry, files: [file] }))),
  modules: await bundleParts(modules),
};
const goals = [
  ...computeGoals(figures),
  ...computeBudgetGoals(runtimeFigures, { executed: EXECUTED_BUDGETS, clerk: CLERK_KIB }),
];
console.log(
  values.json
    ? JSON.stringify({ ...figures, ...runtimeFigures, goals }, null, 2)
    : formatReport(figures, runtimeFigures, goals),
);
if (values.check && goals.some(({ isMet }) => !isMet)) process.exitCode = 1;
