/** What the core weighs in a Worker: tools, loop, journal and session, with the libraries that they stand on. */
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const LIMIT = 40 * 1024;

/** As a user's Worker imports it: the library, and of Valibot what a schema of ordinary tools takes. */
const ENTRY = `
  export * from './src/index.ts';
  export * from './src/session/run-turn.ts';
  export * from './src/session/object-session.ts';
  export * from './src/session/follow-session.ts';
  export { SessionObject } from './durable-objects/index.ts';
  export { Validator } from '@cfworker/json-schema';
  export { array, boolean, description, email, integer, maxLength, minLength, nullable, number, object, optional, picklist,
    pipe, record, regex, strictObject, string, union } from 'valibot';
`;

it('the core weighs at most 40 KiB, minified and gzipped', async () => {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: resolve(import.meta.dirname, '../..'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  console.log(`size: the core is ${(bytes / 1024).toFixed(1)} KiB gzipped`);
  expect(bytes).toBeGreaterThan(10 * 1024);
  expect(bytes).toBeLessThan(LIMIT);
});
