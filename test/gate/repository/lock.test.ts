/**
 * Checks that the lock file used by CI and the release takes every package from the registry, with a content
 * hash.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

const REGISTRY = 'https://registry.npmjs.org/';

/** The fields of a lock file entry that the tests read. */
interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as {
  packages: Readonly<Record<string, LockEntry>>;
}; // this repository's lock file
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }; // this repository's manifest
const installedPackages = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));

it('every installed package has a hash and comes from the registry, except one linked folder', () => {
  expect(installedPackages.length).toBeGreaterThan(500);
  // If an address is missing, npm uses its registry.
  const isWhole = ({ integrity = '', resolved = REGISTRY }: LockEntry): boolean =>
    /^sha512-[\w+/]{86}==$/.test(integrity) && resolved.startsWith(REGISTRY);
  const lacking = installedPackages.filter(([, entry]) => !isWhole(entry)).map(([path]) => path);
  expect(lacking).toEqual(['node_modules/codegen-of-tests']);
  expect(packages['node_modules/codegen-of-tests']).toMatchObject({ link: true });
  expect(Object.keys(packages).filter((path) => !path.includes('node_modules/'))).toEqual([
    '',
    '.ci/codegen',
  ]);
});

it('the lock file, the MCP client and the README have the version of the package', () => {
  expect(packages['']).toMatchObject({ version });
  expect(readFileSync(`${root}/src/mcp/client/open-wire.ts`, 'utf8')).toContain(
    `{ name: 'holdfast', version: '${version}' }`,
  );
  expect(readFileSync(`${root}/README.md`, 'utf8')).toContain(`holdfast-${version}.tgz`);
});

it('the SBOM distinguishes the packages that users install from development tools', () => {
  const written = execFileSync('npm', ['run', '--silent', 'sbom'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const { bomFormat, components } = JSON.parse(written) as {
    bomFormat: string;
    components: readonly {
      readonly name: string;
      readonly properties?: readonly { readonly name: string }[];
    }[];
  }; // the CycloneDX format
  const isTool = ({ properties = [] }: (typeof components)[number]): boolean =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const [tools, brought] = [components.filter(isTool), components.filter((one) => !isTool(one))].map((all) =>
    all.map(({ name }) => name),
  );
  expect(bomFormat).toBe('CycloneDX');
  expect(brought).toEqual(
    expect.arrayContaining(['hono', '@cfworker/json-schema', '@valibot/to-json-schema']),
  );
  expect(brought).not.toContain('vitest');
  expect(tools).toContain('vitest');
});

it('the release workflow publishes with an OIDC token instead of a stored one', () => {
  const release = readFileSync(`${root}/.github/workflows/release.yml`, 'utf8');
  expect(release).toMatch(/^ {6}id-token: write\b/m);
  expect(release).not.toContain('NPM_TOKEN');
  const ci = readFileSync(`${root}/.github/workflows/ci.yml`, 'utf8');
  expect(ci).toMatch(/^ {6}- run: \.ci\/run$/m);
});

it('every file that the release script updates contains the version', () => {
  const script = readFileSync(`${root}/build/write-version.ts`, 'utf8');
  const [, list = ''] = /const VERSIONED_FILES = \[\n([^\]]+)\];/.exec(script) ?? [];
  const files = [...list.matchAll(/'(.+)'/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(5);
  const without = files.filter((file) => !readFileSync(`${root}/${file}`, 'utf8').includes(version));
  expect(without).toEqual([]);
});
