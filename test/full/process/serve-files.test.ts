/** The program that serves the files of a folder to local MCP clients. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';

const program = resolve(import.meta.dirname, '../../../src/examples/files/server/serve-files.ts');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-served-')));
writeFileSync(join(folder, 'notes.txt'), 'Two tents.\n');

let server: ChildProcess;
let said = '';
let url: URL;
/** The standard error of the filesystem server, by line. */
let errors: AsyncIterator<string>;

beforeAll(async () => {
  const child = spawn(process.execPath, [program, folder, '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  server = child;
  errors = createInterface(child.stderr)[Symbol.asyncIterator]();
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    said += `${line}\n`;
  });
  const [first] = await once(lines, 'line');
  url = new URL(String(first).match(/http:\S+\/mcp/)?.[0] ?? '');
});
afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a session of the SDK's client, which can declare roots. */
async function withSession<Answer>(
  talk: (client: Client, transport: StreamableHTTPClientTransport) => Promise<Answer>,
  roots: readonly string[] = [],
): Promise<Answer> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: roots.length > 0 ? { roots: { listChanged: true } } : {} },
  );
  if (roots.length > 0) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  const transport = new StreamableHTTPClientTransport(url);
  // The types of the SDK disagree about a missing session id.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  try {
    return await talk(client, transport);
  } finally {
    await client.close();
  }
}

const readTextFile = (client: Client, path: string) =>
  client.callTool({ name: 'read_text_file', arguments: { path } });

it('serve-files logs its folder, its URL and its requests', async () => {
  const answer = await withSession((client) => readTextFile(client, 'notes.txt'));
  expect(answer.structuredContent).toEqual({ content: 'Two tents.\n' });
  expect(said).toBe(
    `Serving ${folder} at ${url}, to any program on this machine.\n` +
      'initialize\nnotifications/initialized\ntools/call "read_text_file"\n',
  );
});

it.each([
  ['a page on another site', 403, { origin: 'https://evil.example' }],
  ['a page with another host name for this address', 403, { host: 'evil.example' }],
  ['a page that hides its origin', 403, { origin: 'null' }],
  ['a local page with an unknown session', 404, { origin: 'http://localhost:6274' }],
])('a request from %s receives the status %i', async (_, status, headers) => {
  expect(await fetchStatus('/mcp', { 'mcp-session-id': 'none', ...headers })).toBe(status);
});

it('serve-files refuses other addresses, and starts no process for a request without a session', async () => {
  expect(await fetchStatus('/')).toBe(404);
  expect(await fetchStatus('/mcp')).toBe(406);
  expect(said).not.toContain('tools/list');
});

it('serve-files serves only its folder, regardless of the roots that a client declares', async () => {
  const answer = await withSession(
    async (client) => {
      await client.listTools();
      await client.sendRootsListChanged();
      await waitForLog(/^(Failed to request roots|Updated allowed directories)/);
      return readTextFile(client, '/etc/hostname');
    },
    ['file:///etc'],
  );
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toContain('Access denied - path outside allowed directories');
});

it('serve-files returns 404 for a session that its client has ended', async () => {
  await withSession(async (client, transport) => {
    const { sessionId = '' } = transport;
    await transport.terminateSession();
    expect(await fetchStatus('/mcp', { 'mcp-session-id': sessionId })).toBe(404);
    await expect(client.listTools()).rejects.toThrow();
  });
});

it('serve-files reports a missing folder', async () => {
  const child = spawn(process.execPath, [program, join(folder, 'none')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [text] = await once(child.stderr.setEncoding('utf8'), 'data');
  expect(text).toBe(`Usage: npm run serve-files -- FOLDER [PORT]\n${join(folder, 'none')} is no folder.\n`);
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  expect(code).toBe(1);
});

/** Waits until the filesystem server has printed a matching line. */
async function waitForLog(line: RegExp): Promise<void> {
  for (let told = await errors.next(); !told.done; told = await errors.next()) {
    if (line.test(told.value)) return;
  }
  throw new Error(`The filesystem server exited before it printed a line that matches ${line}.`);
}

/** Returns the status of a request. Uses `node:http`, because `fetch` sets the host header itself. */
async function fetchStatus(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { promise, resolve: answered, reject } = Promise.withResolvers<number>();
  request(new URL(path, url), { headers }, (response) => {
    response.resume();
    answered(response.statusCode ?? 0);
  })
    .on('error', reject)
    .end();
  return promise;
}
