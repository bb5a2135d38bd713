import { inject } from 'vitest';
import type { RecordedRequest, ServerName } from '../servers/provided.ts';

/** A test's connection to a real server. */
export interface RealRun {
  /** The URL of the MCP server. */
  readonly url: string;
  /** The path of the run's folder. */
  readonly folder: string;
  /** Returns all requests so far. */
  requests(): Promise<readonly RecordedRequest[]>;
  /** Breaks the open connections. */
  cut(): Promise<void>;
  /** Breaks the connections, kills the server process, and refuses later requests. */
  kill(): Promise<void>;
}

/** Returns `true` if this machine has the server's requirements, such as a browser. */
export const isThere = (server: ServerName): boolean => inject('realServers').urls[server] !== undefined;

/** Creates a run that is isolated from all others. */
export function createRealRun(server: ServerName): RealRun {
  const { urls, folder } = inject('realServers');
  const name = crypto.randomUUID();
  const at = `${urls[server] ?? `http://nowhere-of-${server}.test`}/${name}`;
  const sendAction = async (action: string): Promise<void> => {
    await fetch(`${at}/${action}`, { method: 'POST' });
  };
  return {
    url: server === 'everything-sse' ? `${at}/sse` : `${at}/mcp`,
    folder: `${folder}/${name}`,
    requests: async () => (await fetch(`${at}/requests`)).json(),
    cut: () => sendAction('cut'),
    kill: () => sendAction('kill'),
  };
}
