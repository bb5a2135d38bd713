import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyReplacements, locateMutation, type Place } from '../../../mutations/locate.ts';
import { MUTATIONS } from '../../../mutations.ts';
import { readLibrary } from '../../../source/parse-source.ts';
import { type Change, HOLES } from './holes.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const SHIM = new URL('./workers-shim.ts', import.meta.url).href;

/** Makes half of all turns write a snapshot, not only long ones. */
const SNAPSHOTS: Change = {
  in: 'createSnapshotIfDue',
  text: 'return (isLong',
  replacement: 'return Math.random() < 0.5 || (isLong',
};

interface LocatedChange {
  readonly place: Place;
  readonly becomes: string;
}

/**
 * Lets Node resolve the modules of workerd, and loads the library with these mutations of `test/mutations.ts`.
 * Must be called before the library is imported. @throws Error if a mutation does not exist.
 */
export function prepareImports(holes: readonly string[]): void {
  const sources = readLibrary(ROOT);
  const changes = [SNAPSHOTS, ...holes.flatMap(listChanges)].map(
    (one): LocatedChange => ({
      place: locateMutation(sources, { name: one.in, effect: '', tests: [''], ...one }),
      becomes: one.replacement,
    }),
  );
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'cloudflare:workers' ? { url: SHIM, shortCircuit: true } : next(specifier, context),
    load(url, context, next) {
      const own = changes.filter(({ place }) => url.endsWith(`/${place.file}`));
      if (own.length === 0) return next(url, context);
      const source = applyReplacements(readFileSync(fileURLToPath(url), 'utf8'), own);
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
}

function listChanges(name: string): readonly Change[] {
  const hole = HOLES.find((one) => one.name === name);
  if (hole) return hole.changes;
  const mutation = MUTATIONS.find((one) => one.name === name);
  if (mutation) return [mutation];
  const own = HOLES.map((one) => one.name).join(', ');
  throw new Error(`--hole must be a mutation of test/mutations.ts or one of ${own}, not '${name}'.`);
}
