/** The server of an example declares every package that it imports, so that a user can install them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const folder = join(root, 'src/examples/files/server');
const readManifest = (path: string) =>
  JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };

it('the server of the files example declares the packages that it imports, in the tested versions', () => {
  const code = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const named = [...code.matchAll(/'(@[\w-]+\/[\w-]+)[/']/g)].map(([, name = '']) => name);
  const { dependencies } = readManifest(folder);
  expect(Object.keys(dependencies).toSorted()).toEqual([...new Set(named)].toSorted());
  expect(readManifest(root).devDependencies).toMatchObject(dependencies);
});

it('docs/mcp.md lists the packages of the MCP SDK', () => {
  const text = readFileSync(join(root, 'docs/mcp.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(text).toContain(
    '`@modelcontextprotocol/client` and `@modelcontextprotocol/server` are the official MCP SDK, version 2',
  );
});
