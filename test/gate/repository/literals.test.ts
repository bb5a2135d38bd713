/** Checks that development validates literals, and that a production bundle has no code for it. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { CLERK } from '../../measure/bundles.ts';
import { listSourceFiles } from '../../source/parse-source.ts';

const root = resolve(import.meta.dirname, '../../..');

type Mode = 'production' | 'development';

/** How a Worker is bundled. Without a mode, `process.env.NODE_ENV` is not replaced. */
interface BundleOptions {
  readonly mode?: Mode | undefined;
  readonly minify?: boolean | undefined;
}

async function bundle(
  contents: string,
  { mode, minify = false }: BundleOptions,
): Promise<{ readonly text: string; readonly bytes: Readonly<Record<string, number>> }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    minify,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'bundled',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    // For the platform `browser`, esbuild itself would replace `process.env.NODE_ENV`.
    ...(mode
      ? { define: { 'process.env.NODE_ENV': JSON.stringify(mode) } }
      : { platform: 'neutral', mainFields: ['module', 'main'] }),
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'error',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const carried = inputs.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [[file, bytesInOutput] as const] : [],
  );
  return { text: outputFiles[0]?.text ?? '', bytes: Object.fromEntries(carried) };
}

const CHECK_FILES = ['src/tool/check-literal.ts', 'src/tool/kernel-literals.ts'];

/**
 * Texts that only development code contains: table keys, errors for unknown keys, and a header of the local
 * mode.
 */
const WORDS = ['systemPrompt', 'needsApproval', 'reasoningEffort', 'has an unknown option ', 'x-forwarded'];

const clerk = `export { default } from './${CLERK}';`;

describe('the Worker of the first example', () => {
  it.each([true, false])(
    'contains no checks or tables of literals in production (minify: %s)',
    async (minify) => {
      const { text, bytes } = await bundle(clerk, { mode: 'production', minify });
      expect(CHECK_FILES.filter((file) => file in bytes)).toEqual([]);
      expect(WORDS.filter((word) => text.includes(word))).toEqual([]);
      expect(bytes['src/tool/literals.ts']).toBeLessThan(100);
    },
  );

  it('contains the checks and tables in development', async () => {
    const { text, bytes } = await bundle(clerk, { mode: 'development' });
    expect(CHECK_FILES.filter((file) => file in bytes)).toEqual(CHECK_FILES);
    expect(WORDS.filter((word) => text.includes(word))).toEqual(WORDS);
  });
});

it('a Worker with all definitions contains no literal checks in production', async () => {
  const entries = [
    ...['index', 'create-holdfast', 'kinds/entry', 'modules/decorators/entry', 'module'],
    ...['modules/webhooks/entry', 'modules/outgoing-webhooks/entry'],
    ...['mcp/tools/entry', 'mcp/server/entry', 'modules/tool-calling/entry', 'modules/tool-objects/entry'],
  ];
  const all = entries.map((entry) => `export * from './src/${entry}.ts';`).join('');
  const { text, bytes } = await bundle(all, { mode: 'production' });
  expect(bytes['src/tool/define-tool.ts']).toBeGreaterThan(1000);
  expect(CHECK_FILES.filter((file) => bytes[file])).toEqual([]);
  expect(text).not.toContain('has an unknown option ');
});

/** Defines an agent with a misspelt key, and one with an invalid name. */
const MISSPELT_APP = `
  import { defineAgent } from './src/index.ts';
  const define = (literal) => { try { return defineAgent(literal).name; } catch (error) { return error.message; } };
  const clerk = { name: 'clerk', description: 'Answers.', instructions: 'Answer.' };
  export const said = [define({ ...clerk, limit: {} }), define({ ...clerk, name: 'the clerk' })];
`;

/** Runs a bundle without the globals of Node, as in a runtime without `process`. */
async function runMisspelt(mode: Mode | undefined): Promise<unknown> {
  const { text } = await bundle(MISSPELT_APP, { mode });
  const web = { URL, TextEncoder, TextDecoder, AbortController, crypto, console };
  return runInNewContext(`${text}; [...bundled.said]`, web);
}

describe('a misspelt key', () => {
  const NO_NAME = "Agent 'the clerk' is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -.";
  const MISSPELT_KEY = "Agent 'clerk' has an unknown option 'limit'. Did you mean 'limits'?";

  it.each<[string, Mode | undefined, string]>([
    ['is an error in a development bundle', 'development', MISSPELT_KEY],
    ['is ignored in a production bundle, unlike an invalid name', 'production', 'clerk'],
    ['is ignored in a runtime without `process`, unlike an invalid name', undefined, 'clerk'],
  ])('%s', async (_, mode, said) => {
    expect(JSON.stringify(await runMisspelt(mode))).toBe(JSON.stringify([said, NO_NAME]));
  });
});

it('only three files of the library read `process.env`', () => {
  const files = ['src', 'durable-objects'].flatMap((folder) => listSourceFiles(root, folder));
  const says = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env.'));
  expect(says.filter((file) => !file.startsWith('src/examples/') && file !== 'src/worker.ts')).toEqual([
    'src/offline-model/offline-model.ts',
    'src/tool/literals.ts',
    'src/worker/auth.ts',
  ]);
});
