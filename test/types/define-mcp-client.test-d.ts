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

// The address and the headers can depend on the caller, and the headers can be a promise.
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

// @ts-expect-error: an address is not a secret, because it identifies the server in a session
defineMcpClient({ ...base, url: ({ secrets }) => secrets.require('URL') });

// `fetch` can be that of a service binding.
export const createBindingClient = (binding: Fetcher) =>
  defineMcpClient({ ...base, fetch: (url, init) => binding.fetch(url, init) });

// @ts-expect-error: the address cannot be a promise
defineMcpClient({ ...base, url: async () => 'https://mcp.example.com/' });
// @ts-expect-error: the address is missing
defineMcpClient({ name: 'files' });
// @ts-expect-error: there is no such effect
defineMcpClient({ ...base, effects: { read_file: 'write' } });
// @ts-expect-error: there is no such transport
defineMcpClient({ ...base, transport: 'stdio' });
// @ts-expect-error: there is no such setting
defineMcpClient({ ...base, elicitation: 'allow' });
// @ts-expect-error: the token is the name of a secret
defineMcpClient({ ...base, bearer: { token: 'x' } });
