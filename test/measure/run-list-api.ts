/**
 * `npm run list-api` prints every exported name of the package by entry, so that `diff` can compare two
 * versions.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readLibrary } from '../source/parse-source.ts';
import { collectEntries, type Manifest } from './public-names.ts';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../..'));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // the package.json of a version of this package
for (const { entry, values, types, hints: elsewhere } of collectEntries(manifest, readLibrary(root))) {
  for (const name of values) console.log(`${entry} ${name}`);
  for (const name of types) console.log(`${entry} type ${name}`);
  for (const name of elsewhere) console.log(`${entry} says where ${name} is`);
}
