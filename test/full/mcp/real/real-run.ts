import { inject } from 'vitest';
import type { RecordedRequest, ServerName } from '../servers/provided.ts';

/** One test's own use of a real server. */
export interface RealRun {
  /** Where its MCP server answers. */
  readonly url: string;
  /** Its own folder, as the servers see it. */
  readonly folder: string;
  /** Everything that the server was sent so far. */
  requests(): Promise<readonly RecordedRequest[]>;
  /** Breaks its open connections. */
  cut(): Promise<void>;
  /** Breaks them, kills the process at the other end, and has nobody answer from then on. */
  kill(): Promise<void>;
}

/** Tells whether this machine has what a server needs: a browser, for one. */
export const isThere = (server: ServerName): boolean => inject('realServers').urls[server] !== undefined;

/** A use of a real server that shares nothing with others. */
export function realRun(server: ServerName): RealRun {
  const { urls, folder } = inject('realServers');
  const name = crypto.randomUUID();
  const at = `${urls[server] ?? `http://nowhere-of-${server}.test`}/${name}`;
  const tell = async (action: string): Promise<void> => {
    await fetch(`${at}/${action}`, { method: 'POST' });
  };
  return {
    url: server === 'everything-sse' ? `${at}/sse` : `${at}/mcp`,
    folder: `${folder}/${name}`,
    requests: async () => (await fetch(`${at}/requests`)).json(),
    cut: () => tell('cut'),
    kill: () => tell('kill'),
  };
}
