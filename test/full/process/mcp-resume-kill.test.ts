/**
 * Kills the Worker of an MCP endpoint, or cuts its connection, during a call of an agent. The client must still
 * receive the answer.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KillableWorker, startKillable } from './killable-worker.ts';

let storage: string;
let worker: KillableWorker;
/** The open requests of the tool. */
const pendingResponses: ServerResponse[] = [];
const outsideServer = createServer((_, response) => pendingResponses.push(response));

beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'holdfast-mcp-resume-'));
  outsideServer.listen(0, '127.0.0.1');
  await once(outsideServer, 'listening');
  await start();
});
afterAll(async () => {
  await worker.kill();
  outsideServer.closeAllConnections();
  outsideServer.close();
  await rm(storage, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<void> {
  const { port } = outsideServer.address() as AddressInfo; // the server is listening
  worker = await startKillable('test/fixtures/mcp-lookout-worker.ts', {
    storage,
    vars: { LEASE_MS: '300' },
    build: { constants: { OUTSIDE: `http://127.0.0.1:${port}/` } },
  });
}

/** Answers all open requests, including those of killed Workers. */
const answerAll = (words: string): void => {
  for (const response of pendingResponses.splice(0)) response.end(words);
};

const ENDPOINT = new URL('http://worker.example/mcp');
const RECONNECT_OPTIONS = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100,
};

/** A call of a client. Its requests reach the running Worker. */
interface CallNetwork {
  readonly resumed: string[];
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Breaks the connection of the call. */
  cut(): void;
}

function createNetwork(): CallNetwork {
  const resumed: string[] = [];
  const cutting = new AbortController();
  return {
    resumed,
    cut: () => cutting.abort(),
    async fetch(_, init = {}) {
      const last = new Headers(init.headers).get('last-event-id');
      if (last !== null) resumed.push(last);
      const isCall = String(init.body).includes('tools/call');
      const signals = [...(init.signal ? [init.signal] : []), ...(isCall ? [cutting.signal] : [])];
      return fetch(`${worker.url}/mcp`, { ...init, signal: AbortSignal.any(signals) });
    },
  };
}

const LOOKOUT_CALL = { name: 'lookout', arguments: { message: 'What is outside?' } };

async function connectFirstClient(fetch: CallNetwork['fetch'], heard: (string | undefined)[]) {
  const client = new Client({ name: 'process-test', version: '1' });
  const transport = new StreamableHTTPClientTransport(ENDPOINT, {
    fetch,
    reconnectionOptions: RECONNECT_OPTIONS,
  });
  await client.connect(transport as Transport); // the types of the SDK disagree about a missing session id
  return {
    client,
    call: () =>
      client.callTool(LOOKOUT_CALL, undefined, { onprogress: ({ message }) => heard.push(message) }),
  };
}

async function connectSecondClient(fetch: CallNetwork['fetch'], heard: (string | undefined)[]) {
  const client = new NewClient(
    { name: 'process-test', version: '1' },
    { versionNegotiation: { mode: 'legacy' } },
  );
  await client.connect(new NewTransport(ENDPOINT, { fetch, reconnectionOptions: RECONNECT_OPTIONS }));
  return {
    client,
    call: () => client.callTool(LOOKOUT_CALL, { onprogress: ({ message }) => heard.push(message) }),
  };
}

describe.each([
  ['1.x', connectFirstClient],
  ['2.x', connectSecondClient],
])('a call of an agent by the client of SDK %s', (_, connect) => {
  it.each([
    ['its connection is cut', async ({ cut }: CallNetwork) => cut()],
    [
      'its Worker is killed',
      async () => {
        await worker.kill();
        await start();
      },
    ],
  ])('receives its response if %s during the call', { timeout: 60_000 }, async (_what, lose) => {
    const asked = createNetwork();
    const heard: (string | undefined)[] = [];
    const { client, call } = await connect(asked.fetch, heard);
    const answer = call();
    await expect.poll(() => pendingResponses.length, { timeout: 20_000 }).toBe(1);
    await expect.poll(() => heard).toContain('look: looking');
    await lose(asked);
    await expect.poll(() => asked.resumed.length, { timeout: 20_000 }).toBeGreaterThan(0);
    // The Worker that resumes the turn repeats the interrupted call.
    const told = setInterval(() => answerAll('a lighthouse'), 100);
    const { structuredContent } = await answer.finally(() => clearInterval(told));
    expect(structuredContent).toMatchObject({ outcome: 'completed', text: 'It said: a lighthouse' });
    await client.close();
    const { session } = structuredContent as { readonly session: string }; // the client validates structured content
    const page = await fetch(`${worker.url}/agents/lookout/sessions/${session}/events`);
    const { events } = (await page.json()) as { readonly events: readonly { readonly type: string }[] };
    expect(events.filter(({ type }) => type === 'turn-started').length).toBe(1);
  });
});
