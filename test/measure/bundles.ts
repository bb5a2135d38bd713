import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Entry } from './public-names.ts';

/** The README's Worker: one agent with one tool. */
export const CLERK = 'src/examples/first/worker.ts';

/** What a Worker carries, minified as `wrangler deploy --minify` does it. */
export interface Bundle {
  /** In bytes, gzipped. */
  readonly gzipped: number;
  /** Bytes of each folder before compression, the largest first. */
  readonly folders: readonly { readonly folder: string; readonly bytes: number }[];
}

/** What one entry of the package adds to the clerk's Worker if that uses all of it. */
export interface AddedBytes {
  readonly entry: string;
  /** In bytes, gzipped. */
  readonly added: number;
}

const root = resolve(import.meta.dirname, '../..');

/** Bundles the README's Worker. */
export const bundleClerk = (): Promise<Bundle> => bundled(`export * from './${CLERK}'; ${DEFAULT}`);

const DEFAULT = `export { default } from './${CLERK}';`;

/** Bundles the README's Worker with each entry in turn. */
export async function bundleEntries(entries: readonly Entry[]): Promise<AddedBytes[]> {
  const clerk = await bundleClerk();
  const added: AddedBytes[] = [];
  for (const { entry, file } of entries) {
    const { gzipped } = await bundled(
      `export * from './${CLERK}'; ${DEFAULT} export * as added from './${file}';`,
    );
    added.push({ entry, added: gzipped - clerk.gzipped });
  }
  return added;
}

async function bundled(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['cloudflare:*', 'node:*', 'react', 'react/*'],
  });
  const [output] = Object.values(metafile.outputs);
  const bytes = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    if (bytesInOutput === 0) continue;
    const folder = folderOf(file);
    bytes.set(folder, (bytes.get(folder) ?? 0) + bytesInOutput);
  }
  return {
    gzipped: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    folders: [...bytes]
      .map(([folder, size]) => ({ folder, bytes: size }))
      .toSorted((a, b) => b.bytes - a.bytes),
  };
}

/** A package, a folder directly in `src`, or the first folder of the path. */
function folderOf(file: string): string {
  const packaged = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  if (packaged) return packaged[1] ?? file;
  const [top = file, next, ...rest] = file.split('/');
  return top === 'src' && next !== undefined && rest.length > 0 ? `src/${next}` : top;
}
