/** The bridge from HTTP to stdio MCP servers, which the example agent and the tests use. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { type BridgeOptions, createStdioBridge } from '../../../src/examples/files/server/stdio-bridge.ts';

const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');

/** Starts a bridge on loopback. */
async function startBridge(options?: BridgeOptions) {
  const bridged = createStdioBridge({ args: [main] }, options);
  const server = createServer((request, response) => void bridged.handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await bridged.stop();
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The bridge is not listening on a port.');
  return { ...bridged, url: `http://127.0.0.1:${address.port}` };
}

const post = (url: string, method: string, params: object, session?: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

const INITIALIZE_PARAMS = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** Begins a session, and returns its id. */
async function begin(url: string): Promise<string> {
  const response = await post(url, 'initialize', INITIALIZE_PARAMS);
  expect(await response.text()).toContain('serverInfo');
  return response.headers.get('mcp-session-id') ?? '';
}

const hasEnded = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};

it('the bridge starts one process per session, but no process for requests that do not start a session', async () => {
  const { url, pids } = await startBridge();
  expect((await post(url, 'tools/list', {})).status).toBe(400);
  expect(pids()).toEqual([]);
  const [one, other] = [await begin(url), await begin(url)];
  expect(one).not.toBe(other);
  expect(new Set(pids()).size).toBe(2);
});

it('the bridge limits the number of concurrent sessions', async () => {
  const { url, pids } = await startBridge({ sessions: 1 });
  const session = await begin(url);
  expect((await post(url, 'initialize', INITIALIZE_PARAMS)).status).toBe(503);
  expect((await post(url, 'tools/list', {}, session)).status).toBe(200);
  expect(pids()).toHaveLength(1);
  await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
  const postInitialize = async () => (await post(url, 'initialize', INITIALIZE_PARAMS)).status;
  await expect.poll(postInitialize, { timeout: 10_000 }).toBe(200);
});

it('the bridge ends a session and its process after its client has been idle for a while', async () => {
  const started: number[] = [];
  const { url, pids } = await startBridge({ idle: 50, heard: () => started.push(...pids()) });
  const session = await begin(url);
  await expect.poll(() => [pids(), started.map(hasEnded)], { timeout: 10_000 }).toEqual([[], [true]]);
  expect((await post(url, 'tools/list', {}, session)).status).toBe(404);
});

it('the bridge keeps a session whose client is listening', async () => {
  const { url, pids } = await startBridge({ idle: 1_000 });
  const session = await begin(url);
  const leave = new AbortController();
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
  await fetch(url, { headers, signal: leave.signal });
  await (await post(url, 'tools/list', {}, session)).text();
  // Waits longer than the idle timeout, after which the process of an idle session would have ended.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(pids()).toHaveLength(1);
  leave.abort();
  await expect.poll(pids, { timeout: 10_000 }).toEqual([]);
});

it('the bridge ends a session whose process has exited', async () => {
  const { url, pids } = await startBridge();
  const session = await begin(url);
  process.kill(pids()[0] ?? 0, 'SIGKILL');
  await expect.poll(pids, { timeout: 10_000 }).toEqual([]);
  expect((await post(url, 'tools/list', {}, session)).status).toBe(404);
});
