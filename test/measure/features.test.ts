import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listSourceFiles, readLibrary, readSource } from '../source/parse-source.ts';
import { collectSeams } from '../source/seams.ts';
import { CONTAINED_FEATURES, SEAMS } from './budgets.ts';
import { collectFeatures, isModule, listImportedFeatures, readLibraryFeatures } from './features.ts';
import { type BundleWithout, bundleWithout } from './without-feature.ts';

const root = resolve(import.meta.dirname, '../..');

it('a feature is the folder of a module, or the folder or file of an entry outside the kernel', () => {
  const createExport = (file: string) => ({ types: `./dist/src/${file}.d.ts` });
  const exports = {
    '.': createExport('index'),
    './worker': createExport('create-holdfast'),
    './durable-objects': { types: './dist/durable-objects/index.d.ts' },
    './inspect': createExport('inspect'),
    './mcp': createExport('mcp/entry'),
    './mcp/client': createExport('mcp/tools/entry'),
    './openapi': createExport('modules/openapi/entry'),
  };
  const files = [
    'src/index.ts',
    'src/modules/openapi/entry.ts',
    'src/modules/openapi/document.ts',
    'src/modules/wallet/fold.ts',
  ];
  expect(collectFeatures({ name: 'holdfast', exports }, files)).toEqual([
    { path: 'src/inspect.ts', entries: ['./inspect'] },
    { path: 'src/mcp', entries: ['./mcp', './mcp/client'] },
    { path: 'src/modules/openapi', entries: ['./openapi'] },
    { path: 'src/modules/wallet', entries: [] },
  ]);
});

describe("the README's Worker", () => {
  const example = listSourceFiles(root, 'src/examples/first').map((file) => readSource(root, file));
  const features = readLibraryFeatures();
  const own = listImportedFeatures(features, example);
  const others = features.filter((feature) => !own.includes(feature));
  let whole: BundleWithout;
  beforeAll(async () => {
    whole = await bundleWithout(null);
  });
  const isFree = ({ path }: { readonly path: string }): boolean => !(path in CONTAINED_FEATURES);

  it('imports the adapter of its model and the planner, and no module', () => {
    expect(own.map(({ path }) => path)).toEqual(['src/model/openai-compatible', 'src/offline-model']);
    expect(others.filter(isModule).length).toBeGreaterThan(3);
  });

  it.each(others.filter(isFree))('has an identical bundle without $path', async ({ path }) => {
    expect(await bundleWithout(path)).toEqual(whole);
  });

  // Remove a feature from the list when the Worker can be built without it.
  it.each(Object.keys(CONTAINED_FEATURES))('cannot be built without %s yet', async (path) => {
    expect(others.map((feature) => feature.path)).toContain(path);
    expect((await bundleWithout(path)).importedBy).not.toEqual([]);
  });
});

it(`the library defines at most ${SEAMS} seams`, () => {
  const names = readLibrary(root)
    .flatMap(collectSeams)
    .map(({ name }) => name);
  expect(names).toContain('LOOPS');
  expect(names.length).toBeLessThanOrEqual(SEAMS);
});
