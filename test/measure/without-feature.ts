import { createHash } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { CLERK_ENTRY, createBundleOptions } from './bundles.ts';
import { isOfFeature } from './features.ts';

const root = resolve(import.meta.dirname, '../..');

/** A bundle of the README's Worker without one feature. */
export interface BundleWithout {
  /** The files that import the feature, sorted. Only an empty list allows a bundle. */
  readonly importedBy: readonly string[];
  /** The SHA-256 of the bundle, or `undefined` if the build failed. */
  readonly sha256: string | undefined;
}

/**
 * Bundles the README's Worker as if the feature's folder were deleted, so that each import of it fails. `null`
 * deletes no folder.
 *
 * @throws BuildFailure if the bundle fails for another reason.
 */
export async function bundleWithout(path: string | null): Promise<BundleWithout> {
  const importedBy = new Set<string>();
  const plugins = path === null ? [] : [createMissingPlugin(path, importedBy)];
  try {
    const { outputFiles } = await build({ ...createBundleOptions(CLERK_ENTRY), plugins, logLevel: 'silent' });
    const contents = outputFiles[0]?.contents ?? new Uint8Array();
    return { importedBy: [], sha256: createHash('sha256').update(contents).digest('hex') };
  } catch (failure) {
    if (importedBy.size === 0) throw failure;
    return { importedBy: [...importedBy].sort(), sha256: undefined };
  }
}

function createMissingPlugin(path: string, importedBy: Set<string>): Plugin {
  return {
    name: 'missing',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path: specifier, resolveDir, importer }) => {
        const file = relative(root, join(resolveDir, specifier)).replaceAll('\\', '/');
        if (!isOfFeature(file, path)) return undefined;
        importedBy.add(relative(root, importer).replaceAll('\\', '/'));
        return { errors: [{ text: `${file} is missing.` }] };
      });
    },
  };
}
