/**
 * `npm run delete-modules` deletes each module in a copy of this checkout, compiles the remaining files, and
 * runs the tests of the kernel. Exits with 1 if the kernel does not work without a module.
 * `-- --only compaction` deletes only this module.
 */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Deletion, deleteModule, listModules, readCheckout } from './delete-module.ts';

const KERNEL_TESTS = ['in-memory', 'journal', 'session', 'tool-loop'].map(
  (folder) => `test/gate/node/${folder}`,
);

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const checkout = readCheckout(resolve(import.meta.dirname, '../..'));
const modules = listModules(checkout).filter(
  ({ path }) => values.only === undefined || basename(path) === values.only,
);
if (modules.length === 0)
  throw new Error(`--only must be the folder name of a module, not '${values.only}'.`);
for (const module of modules) {
  const deletion = await deleteModule(checkout, module, KERNEL_TESTS);
  console.log(formatDeletion(module.path, deletion));
  if (deletion.problem !== undefined) process.exitCode = 1;
}

function formatDeletion(path: string, { problem, alongside, tests }: Deletion): string {
  if (problem !== undefined) return `FAIL  ${path}: ${problem}`;
  const gone = tests.gone > 0 ? `, ${tests.gone} import it` : '';
  const withIt = alongside.length > 0 ? ` With it go: ${alongside.join(', ')}.` : '';
  return `pass  ${path}: the library compiles, ${tests.passed} test files of the kernel pass${gone}.${withIt}`;
}
