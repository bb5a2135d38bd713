import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { OpenApiDocument } from '../../src/examples/catalog/openapi.ts';

/** The measured description of GitHub's API. Its package unpacks to 385 MB, so it is not a dependency. */
export const PACKAGE = '@octokit/openapi@23.0.2';
const INTEGRITY =
  'sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==';
const FILE = 'package/generated/api.github.com.json';

const cache = fileURLToPath(new URL('../../node_modules/.cache/holdfast-catalog/', import.meta.url));
const run = promisify(execFile);

/**
 * Returns the document from the cache, or from the package, which npm downloads.
 *
 * @throws Error with instructions if it is not available.
 */
export async function openApiDocument(): Promise<OpenApiDocument> {
  const file = join(cache, `${PACKAGE.replaceAll(/[^\w.-]+/g, '_')}.json`);
  if (!existsSync(file)) await fetchTo(file);
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function fetchTo(file: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  process.stderr.write(`catalog: npm fetches ${PACKAGE} (29 MB, once) ...\n`);
  const archive = join(cache, await packDocument());
  try {
    const integrity = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (integrity !== INTEGRITY)
      throw new Error(`${PACKAGE} has the integrity ${integrity}, not ${INTEGRITY}.`);
    process.stderr.write(`catalog: ${FILE} is unpacked to ${cache}\n`);
    await run('tar', ['-xzf', archive, '-C', cache, FILE]);
    renameSync(join(cache, FILE), file);
  } finally {
    rmSync(archive, { force: true });
    rmSync(join(cache, 'package'), { recursive: true, force: true });
  }
}

/** Downloads the package. Returns the name of the archive in the cache. */
async function packDocument(): Promise<string> {
  const args = ['pack', PACKAGE, '--json', '--loglevel=error', '--pack-destination', cache];
  const windows = process.platform === 'win32'; // on Windows, npm is a shell script
  try {
    const { stdout } = await run('npm', args, { shell: windows, timeout: 10 * 60_000 });
    const [archive]: readonly { readonly filename: string }[] = JSON.parse(stdout);
    if (!archive) throw new Error('npm pack did not report an archive');
    return archive.filename;
  } catch (failure) {
    const reason = /"summary": "([^"]+)"/.exec(String(Object(failure).stdout))?.[1] ?? String(failure);
    throw new Error(
      `npm could not fetch ${PACKAGE}, which is then cached in ${cache}. ` +
        `Connect to the network and try again. npm reported: ${reason}`,
    );
  }
}
