/** Checks that a Worker contains rare features of calls only if one of its tools imports them. */
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { CLERK_ENTRY, createBundleOptions } from './bundles.ts';

let carriedFeatures: readonly string[] = [];

beforeAll(async () => {
  const { metafile } = await build(createBundleOptions(CLERK_ENTRY));
  const [output] = Object.values(metafile.outputs);
  carriedFeatures = Object.entries(output?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? file : [],
  );
});

it("the README's Worker contains the loop", () => {
  expect(carriedFeatures).toContain('src/loop/running-call.ts');
});

it.each(['nest', 'loop-agent', 'discovery', 'exclusively', 'read-result'])(
  "the README's Worker does not contain src/loop/%s.ts",
  (name) => {
    expect(carriedFeatures).not.toContain(`src/loop/${name}.ts`);
  },
);
