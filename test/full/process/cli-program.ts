import { copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../../..');

/**
 * Bundles the command line program as the package does, and returns its path. A bundle starts several times
 * faster than its sources. It is removed when the process ends.
 */
export async function buildCliProgram(): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-cli-')));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'dist/cli/holdfast.js');
  await build({
    entryPoints: [join(root, 'src/cli/main.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    charset: 'utf8',
    logLevel: 'warning',
  });
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json')); // its version is printed
  return program;
}
