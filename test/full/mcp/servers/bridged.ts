import process from 'node:process';
import {
  type BridgeOptions,
  createStdioBridge,
  type StdioBridge,
  type StdioCommand,
} from '../../../../src/examples/files/server/stdio-bridge.ts';
import type { Backend } from './backend.ts';

/** Creates a backend for a stdio server, with the bridge of the examples. Each run has its own process. */
export function createBridgedBackend(
  commandOf: (run: string) => StdioCommand,
  options: BridgeOptions = {},
): Backend {
  const bridges = new Map<string, StdioBridge>();
  const listBridges = (): readonly StdioBridge[] => [...bridges.values()];
  return {
    async handle({ run, request, response, body }) {
      const bridge = bridges.get(run) ?? createStdioBridge(commandOf(run), options);
      bridges.set(run, bridge);
      await bridge.handle(request, response, body === '' ? undefined : JSON.parse(body));
    },
    kill(run) {
      for (const pid of bridges.get(run)?.pids() ?? []) process.kill(pid, 'SIGKILL');
    },
    pids: () => listBridges().flatMap((bridge) => bridge.pids()),
    async stop() {
      await Promise.all(listBridges().map((bridge) => bridge.stop()));
    },
  };
}
