/**
 * `npm run measure-code`: measures how the library is built, and shows the walk of one message. `-- --json` prints the figures
 * as JSON; `-- --check` ends with 1 when a goal is not met.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readLibrary } from '../source/parse-source.ts';
import { measureCode } from './measure-code.ts';
import type { Manifest } from './public-names.ts';
import { goalsOf, report } from './report.ts';
import { WALK } from './walk.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
});
const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // our own package.json
const figures = measureCode(readLibrary(root), WALK, manifest);
const goals = goalsOf(figures);
console.log(values.json ? JSON.stringify({ ...figures, goals }, null, 2) : report(figures));
if (values.check && goals.some(({ isMet }) => !isMet)) process.exitCode = 1;
