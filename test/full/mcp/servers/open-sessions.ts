import type { RealServers } from './provided.ts';

/** The skipped servers: they have another transport, no sessions, or a browser for each session. */
const SKIPPED_SERVERS = new Set(['everything-sse', 'sdk-2026', 'playwright']);

/** Opens a session with each server, so that each has a running process. */
export async function openSessions({ urls }: RealServers): Promise<void> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  for (const [name, url] of Object.entries(urls)) {
    if (SKIPPED_SERVERS.has(name)) continue;
    const response = await fetch(`${url}/run/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    });
    const text = await response.text();
    if (!text.includes('serverInfo'))
      throw new Error(`The server did not open a session: ${response.status} ${text}`);
  }
}
