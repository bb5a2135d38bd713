import { allowKeys, defineMcpClient, mcpToolProvider, passThrough } from '../../../../src/mcp/tools/entry.ts';
import { hasHole, settings } from './settings.ts';

const limits = { timeout: 2_000, connectTimeout: 2_000, maxResponseBytes: 100_000 };

/** The hostile server. Each scenario has a separate path. */
export const remote = defineMcpClient({
  name: 'remote',
  url: ({ context }) => `${settings.REMOTE_URL}/${String(context.get('scenario'))}`,
  allowPrivate: true,
  bearer: 'REMOTE_TOKEN',
  meta: allowKeys('tenant'),
  elicitation: { by: 'manager' },
  refreshAfter: 0,
  ...limits,
});

/** A server that receives the whole context. */
const trusted = defineMcpClient({
  name: 'trusted',
  url: `${settings.REMOTE_URL}/trusted`,
  meta: passThrough,
  ...limits,
});

/** A server whose address comes from the sender of a message. */
const anywhere = defineMcpClient({
  name: 'anywhere',
  url: ({ context }) => String(context.get('address')),
  allowPrivate: hasHole('private-addresses'),
  bearer: 'REMOTE_TOKEN',
  ...limits,
});

export const remoteTools = [mcpToolProvider({ clients: [remote] })];
export const trustedTools = [mcpToolProvider({ clients: [trusted] })];
export const toolsAnywhere = [mcpToolProvider({ clients: [anywhere] })];
