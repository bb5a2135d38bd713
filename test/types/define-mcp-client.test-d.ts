import { expectTypeOf } from 'vitest';
import {
  defineMcpClient,
  type Elicitation,
  type McpCaller,
  type McpClient,
  type McpUser,
} from '../../src/mcp/tools/entry.ts';

const base = { name: 'files', url: 'https://mcp.example.com/mcp' } as const;

// The name is a literal, and a client of any name fits a list of clients.
const files = defineMcpClient(base);
expectTypeOf(files).toEqualTypeOf<McpClient<'files'>>();
expectTypeOf(files.name).toEqualTypeOf<'files'>();
expectTypeOf(files.timeout).toEqualTypeOf<number>();
expectTypeOf(files.drift).toEqualTypeOf<'report' | 'refuse' | 'refuse-weaker'>();
expectTypeOf(files.elicitation).toEqualTypeOf<Elicitation>();
export const clients: readonly McpClient[] = [files, defineMcpClient({ ...base, name: 'other' })];

// Optional properties accept undefined.
defineMcpClient({
  ...base,
  allowPrivate: undefined,
  transport: undefined,
  bearer: undefined,
  headers: undefined,
  oauth: undefined,
  meta: undefined,
  effects: undefined,
  prefix: undefined,
  timeout: undefined,
  connectTimeout: undefined,
  maxResponseBytes: undefined,
  refreshAfter: undefined,
  drift: undefined,
  elicitation: undefined,
  fetch: undefined,
});

// The address and the headers may be the caller's, headers also later.
defineMcpClient({
  ...base,
  url: (user) => {
    expectTypeOf(user).toEqualTypeOf<McpUser>();
    return `https://${user.principal.tenant}.example.com/mcp`;
  },
  headers: async (caller) => {
    expectTypeOf(caller).toEqualTypeOf<McpCaller>();
    return { 'x-key': caller.secrets.require('KEY') };
  },
});

// @ts-expect-error: an address is no secret, and a session knows a server by it
defineMcpClient({ ...base, url: ({ secrets }) => secrets.require('URL') });

// A `fetch` of a service binding will do.
export const bound = (binding: Fetcher) =>
  defineMcpClient({ ...base, fetch: (url, init) => binding.fetch(url, init) });

// @ts-expect-error: an address later
defineMcpClient({ ...base, url: async () => 'https://mcp.example.com/' });
// @ts-expect-error: no address
defineMcpClient({ name: 'files' });
// @ts-expect-error: no such effect
defineMcpClient({ ...base, effects: { read_file: 'write' } });
// @ts-expect-error: no such transport
defineMcpClient({ ...base, transport: 'stdio' });
// @ts-expect-error: refused or not, with nothing between
defineMcpClient({ ...base, elicitation: 'allow' });
// @ts-expect-error: a secret is named, never given
defineMcpClient({ ...base, bearer: { token: 'x' } });
