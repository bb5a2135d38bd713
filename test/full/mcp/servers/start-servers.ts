import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findChromium } from '../../files/chromium.ts';
import { createBridgedBackend } from './bridged.ts';
import { eventStore } from './event-store.ts';
import { EVERYTHING_ENV, startEverything } from './everything-server.ts';
import { startFastMcp } from './fastmcp-server.ts';
import { type Front, startFront } from './front.ts';
import { playwrightServer } from './playwright-server.ts';
import type { RealServers } from './provided.ts';
import { runFolder } from './run-folder.ts';
import { sdkServer } from './sdk-server.ts';

export interface StartedServers extends RealServers {
  /** Returns the running processes. */
  pids(): readonly number[];
  stop(): Promise<void>;
}

export const mainOf = (server: string): string =>
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
    return startFront(await startEverything(mainOf('everything'), { transport, socketPath }));
  };
  const [everything, everythingSse] = await Promise.all([startOwn('streamableHttp'), startOwn('sse')]);
  const filesystem = await startFront(
    createBridgedBackend((run) => ({ args: [mainOf('filesystem'), runFolder(folder, run)] })),
  );
  const everythingStdio = await startFront(
    createBridgedBackend(() => ({ args: [mainOf('everything'), 'stdio'], env: EVERYTHING_ENV }), {
      streams: () => ({ eventStore: eventStore(), retryInterval: 100 }),
    }),
  );
  const memory = await startFront(
    createBridgedBackend((run) => ({
      args: [mainOf('memory')],
      env: { MEMORY_FILE_PATH: join(runFolder(folder, run), 'memory.jsonl') },
    })),
  );
  const thinking = await startFront(createBridgedBackend(() => ({ args: [mainOf('sequential-thinking')] })));
  const sdk2026 = await startFront(sdkServer('reject'));
  const sdkBoth = await startFront(sdkServer('stateless'));
  const fastmcp = await startFront(await startFastMcp());
  const chromium = findChromium();
  const playwright =
    chromium === undefined ? undefined : await startFront(playwrightServer(chromium, folder));
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
