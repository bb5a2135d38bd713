import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';

/** The README's Worker: one agent with one tool. */
export const CLERK = 'src/examples/first/worker.ts';

/** The content of a Worker's bundle, minified as by `wrangler deploy --minify`. */
export interface Bundle {
  /** The gzipped size in bytes. */
  readonly gzipped: number;
  /** Bytes of each folder before compression, the largest first. */
  readonly folders: readonly { readonly folder: string; readonly bytes: number }[];
}

/** A part of the library that a Worker may import, with its files. */
export interface Part {
  readonly name: string;
  readonly files: readonly string[];
}

/** The size that a part adds to the README's Worker if the Worker uses all exports of its files. */
export interface AddedBytes {
  readonly name: string;
  /** The gzipped size in bytes. */
  readonly added: number;
}

const root = resolve(import.meta.dirname, '../..');

/** The code of an entry that contains only the README's Worker. */
export const CLERK_ENTRY = `export * from './${CLERK}'; export { default } from './${CLERK}';`;

/** Bundles the README's Worker. */
export const bundleClerk = (): Promise<Bundle> => bundleContents(CLERK_ENTRY);

/** Bundles the README's Worker with each part in turn. */
export async function bundleParts(parts: readonly Part[]): Promise<AddedBytes[]> {
  const clerk = await bundleClerk();
  const added: AddedBytes[] = [];
  for (const { name, files } of parts) {
    const exported = files.map((file, index) => `export * as added${index} from './${file}';`);
    const { gzipped } = await bundleContents([CLERK_ENTRY, ...exported].join(''));
    added.push({ name, added: gzipped - clerk.gzipped });
  }
  return added;
}

/** Returns the options of esbuild for a bundle as in `wrangler deploy --minify`. */
export const createBundleOptions = (contents: string) =>
  ({
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
  }) as const satisfies BuildOptions;

async function bundleContents(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build(createBundleOptions(contents));
  const [output] = Object.values(metafile.outputs);
  const bytes = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    if (bytesInOutput === 0) continue;
    const folder = getFolder(file);
    bytes.set(folder, (bytes.get(folder) ?? 0) + bytesInOutput);
  }
  return {
    gzipped: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    folders: [...bytes]
      .map(([folder, size]) => ({ folder, bytes: size }))
      .toSorted((a, b) => b.bytes - a.bytes),
  };
}

/** Returns the group of a file: its package, its folder directly in `src`, or the first folder of its path. */
function getFolder(file: string): string {
  const packaged = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
  if (packaged) return packaged[1] ?? file;
  const [top = file, next, ...rest] = file.split('/');
  return top === 'src' && next !== undefined && rest.length > 0 ? `src/${next}` : top;
}
