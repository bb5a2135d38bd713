/** What the core weighs in a Worker: tools, loop, journal and session, with the libraries that they stand on. */
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** What every Worker of agents carries: `defineAgent`, `defineTool` and results, the loop, the journal, the session. */
const CORE = `
  export { artifact, defineAgent, defineTool, error, ModelError, text, ToolCallContext } from './src/index.ts';
  export * from './src/session/run-turn.ts';
  export * from './src/session/object-session.ts';
  export * from './src/session/follow-session.ts';
  export * from './src/session/turn-stopped.ts';
  export { SessionObject } from './durable-objects/index.ts';
  export { Validator } from '@cfworker/json-schema';
  export { array, boolean, description, email, integer, maxLength, minLength, nullable, number, object, optional, picklist,
    pipe, record, regex, strictObject, string, union } from 'valibot';
`;

/** The same with every decorator, sink, approval, pipeline and group of the entry, though nobody uses them all. */
const VOCABULARY = `export * from './src/index.ts';${CORE}`;

/** Bytes of a bundle, minified and gzipped. */
async function weigh(entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: resolve(import.meta.dirname, '../..'), loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

it.each([
  ['the core', CORE, 62],
  ['the core with the whole tool vocabulary', VOCABULARY, 86],
])('%s weighs at most its limit, minified and gzipped', async (what, entry, limit) => {
  const bytes = await weigh(entry);
  console.log(`size: ${what} is ${(bytes / 1024).toFixed(1)} KiB gzipped (limit ${limit})`);
  expect(bytes).toBeGreaterThan(10 * 1024);
  expect(bytes).toBeLessThan(limit * 1024);
});
