/** The lock file, by which CI and the release install: every package in it is of the registry, with the hash of its contents. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

const REGISTRY = 'https://registry.npmjs.org/';

/** What of an entry of the lock file is read. */
interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as {
  packages: Readonly<Record<string, Entry>>;
}; // our own
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }; // our own
const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));

it('has the integrity of every package, which the registry has, but for the folder that it links', () => {
  expect(installed.length).toBeGreaterThan(500);
  // Without an address, npm asks its registry.
  const isWhole = ({ integrity = '', resolved = REGISTRY }: Entry): boolean =>
    /^sha512-[\w+/]{86}==$/.test(integrity) && resolved.startsWith(REGISTRY);
  const lacking = installed.filter(([, entry]) => !isWhole(entry)).map(([path]) => path);
  expect(lacking).toEqual(['node_modules/codegen-of-tests']);
  expect(packages['node_modules/codegen-of-tests']).toMatchObject({ link: true });
  expect(Object.keys(packages).filter((path) => !path.includes('node_modules/'))).toEqual([
    '',
    '.ci/codegen',
  ]);
});

it('has the version of the package, which MCP servers and the README name too', () => {
  expect(packages['']).toMatchObject({ version });
  expect(readFileSync(`${root}/src/mcp/client/open-wire.ts`, 'utf8')).toContain(
    `{ name: 'holdfast', version: '${version}' }`,
  );
  expect(readFileSync(`${root}/README.md`, 'utf8')).toContain(`holdfast-${version}.tgz`);
});
