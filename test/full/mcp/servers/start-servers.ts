import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findChromium } from '../../files/chromium.ts';
import { createBridgedBackend } from './bridged.ts';
import { createEventStore } from './event-store.ts';
import { EVERYTHING_ENV, startEverything } from './everything-server.ts';
import { startFastMcp } from './fastmcp-server.ts';
import { type Front, startFront } from './front.ts';
import { createPlaywrightServer } from './playwright-server.ts';
import type { RealServers } from './provided.ts';
import { runFolder } from './run-folder.ts';
import { createSdkServer } from './sdk-server.ts';

export interface StartedServers extends RealServers {
  /** Returns the running processes. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

export const getMainPath = (server: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${server}/dist/index.js`);

/**
 * Starts the real servers on loopback. Each run has its own folder and server state. The processes end on
 * `stop` or with the calling process.
 */
export async function startServers(): Promise<StartedServers> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mcp-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // An interrupted run exits without calling `stop`.
  process.once('exit', remove);
  const startOwn = async (transport: 'streamableHttp' | 'sse'): Promise<Front> => {
    const socketPath = join(folder, `${transport}.sock`);
    return startFront(await startEverything(getMainPath('everything'), { transport, socketPath }));
  };
  const [everything, everythingSse] = await Promise.all([startOwn('streamableHttp'), startOwn('sse')]);
  const filesystem = await startFront(
    createBridgedBackend((run) => ({ args: [getMainPath('filesystem'), runFolder(folder, run)] })),
  );
  const everythingStdio = await startFront(
    createBridgedBackend(() => ({ args: [getMainPath('everything'), 'stdio'], env: EVERYTHING_ENV }), {
      streams: () => ({ eventStore: createEventStore(), retryInterval: 100 }),
    }),
  );
  const memory = await startFront(
    createBridgedBackend((run) => ({
      args: [getMainPath('memory')],
      env: { MEMORY_FILE_PATH: join(runFolder(folder, run), 'memory.jsonl') },
    })),
  );
  const thinking = await startFront(
    createBridgedBackend(() => ({ args: [getMainPath('sequential-thinking')] })),
  );
  const sdk2026 = await startFront(createSdkServer('reject'));
  const sdkBoth = await startFront(createSdkServer('stateless'));
  const fastmcp = await startFront(await startFastMcp());
  const chromium = findChromium();
  const playwright =
    chromium === undefined ? undefined : await startFront(createPlaywrightServer(chromium, folder));
  const fronts = [
    everything,
    everythingSse,
    everythingStdio,
    filesystem,
    memory,
    thinking,
    sdk2026,
    sdkBoth,
    fastmcp,
    ...(playwright ? [playwright] : []),
  ];
  return {
    urls: {
      everything: everything.url,
      'everything-sse': everythingSse.url,
      'everything-stdio': everythingStdio.url,
      filesystem: filesystem.url,
      memory: memory.url,
      'sequential-thinking': thinking.url,
      'sdk-2026': sdk2026.url,
      'sdk-both': sdkBoth.url,
      fastmcp: fastmcp.url,
      ...(playwright && { playwright: playwright.url }),
    },
    folder,
    pids: () => fronts.flatMap((front) => front.pids()),
    stop: async () => {
      await Promise.all(fronts.map((front) => front.stop()));
      process.off('exit', remove);
      remove();
    },
  };
}
