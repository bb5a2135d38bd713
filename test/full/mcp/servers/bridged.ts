import process from 'node:process';
import {
  type BridgeOptions,
  type StdioBridge,
  type StdioCommand,
  stdioBridge,
} from '../../../../src/examples/files/server/stdio-bridge.ts';
import type { Backend } from './backend.ts';

/** Creates a backend for a stdio server, with the bridge of the examples. Each run has its own process. */
export function createBridgedBackend(
  commandOf: (run: string) => StdioCommand,
  options: BridgeOptions = {},
): Backend {
  const bridges = new Map<string, StdioBridge>();
  const all = (): readonly StdioBridge[] => [...bridges.values()];
  return {
    async handle({ run, request, response, body }) {
      const bridge = bridges.get(run) ?? stdioBridge(commandOf(run), options);
      bridges.set(run, bridge);
      await bridge.handle(request, response, body === '' ? undefined : JSON.parse(body));
    },
    kill(run) {
      for (const pid of bridges.get(run)?.pids() ?? []) process.kill(pid, 'SIGKILL');
    },
    pids: () => all().flatMap((bridge) => bridge.pids()),
    async stop() {
      await Promise.all(all().map((bridge) => bridge.stop()));
    },
  };
}
