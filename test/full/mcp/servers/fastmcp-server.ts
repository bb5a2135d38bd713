import { setTimeout } from 'node:timers/promises';
import { FastMCP, type Logger } from 'fastmcp';
import { z } from 'zod';
import { findFreePort } from '../../../../src/examples/demo/ports.ts';
import type { Backend } from './backend.ts';
import { passOn } from './pass-on.ts';
import { PROGRESS_INTERVAL_MS } from './sdk-server.ts';

const doNothing = (): void => {};
const SILENT: Logger = {
  debug: doNothing,
  error: doNothing,
  info: doNothing,
  log: doNothing,
  warn: doNothing,
};

/**
 * Starts a server built with fastmcp in this process, with streamable HTTP. It serves all runs and cannot be
 * killed.
 */
export async function startFastMcp(): Promise<Backend> {
  const server = new FastMCP({ name: 'recipes', version: '1.0.0', ping: { enabled: false }, logger: SILENT });
  server.addTool({
    name: 'double',
    description: 'Doubles an amount.',
    parameters: z.object({ amount: z.number() }),
    annotations: { readOnlyHint: true },
    execute: async ({ amount }) => String(amount * 2),
  });
  server.addTool({
    name: 'tell_recipe',
    description: 'Tells a recipe, a line at a time.',
    parameters: z.object({ dish: z.string() }),
    annotations: { streamingHint: true },
    async execute({ dish }, { reportProgress, streamContent }) {
      await reportProgress({ progress: 1, total: 2 });
      await setTimeout(PROGRESS_INTERVAL_MS);
      await streamContent({ type: 'text', text: `Cook the ${dish}. ` });
      await streamContent({ type: 'text', text: 'Eat it.' });
      await reportProgress({ progress: 2, total: 2 });
    },
  });
  const port = await findFreePort();
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } });
  return {
    handle: async (arrived) => passOn(arrived, { host: '127.0.0.1', port }),
    kill: () => {},
    pids: () => [],
    stop: () => server.stop(),
  };
}
