import { memoized } from '../../tool/async.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { knownListing, type ListedTool, type McpListing } from './listing.ts';
import { mcpTool } from './mcp-tool.ts';

/** A tool of a server, as its server listed it. */
export interface McpTool {
  readonly tool: AnyTool;
  readonly listed: ListedTool;
  readonly client: McpClient;
}

/** Tells which tools of a server are wanted. */
export type McpToolFilter = (tool: ListedTool, client: McpClient) => boolean;

/** Answers the tools of a server as far as the session knows them: the same ones for the same list, none before it was asked. */
export function knownMcpTools(client: McpClient, view: LoopView): readonly McpTool[] {
  const known = knownListing(client, view);
  return known ? madeFor(client)(known.listing).at(known.address) : [];
}

const madeFor = memoized((client: McpClient) =>
  memoized((listing: McpListing): MadeAt => {
    const addresses = new Map<string, readonly McpTool[]>();
    return {
      at(address) {
        const made = addresses.get(address) ?? madeOf(client, listing, address);
        addresses.set(address, made);
        return made;
      },
    };
  }),
);

/** The tools of a list, by the address that the server had: a session keeps a list for one, so there is hardly another. */
interface MadeAt {
  at(address: string): readonly McpTool[];
}

function madeOf(client: McpClient, { tools, spoken }: McpListing, address: string): readonly McpTool[] {
  const names = toolNames(client, tools);
  return tools.map((listed) => {
    const name = names.get(listed.name) ?? listed.name;
    return { tool: mcpTool({ client, listed, name, address, spoken }), listed, client };
  });
}

/** What every provider takes as a tool's name. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME = 64;

/**
 * Names the tools of a server for models: the server's names as keys, with the client's prefix in front. A name that every
 * provider takes stays as it is; another one is written with `_` for what is not allowed, cut, and ends in a hash of the
 * server's name. So a tool's name depends on nothing but its own, and not on the order; the exception are two whose names
 * would meet, of which the second in the order of code units gets another hash.
 */
export function toolNames(client: McpClient, tools: readonly ListedTool[]): ReadonlyMap<string, string> {
  const { prefix = '' } = client;
  const served = [...new Set(tools.map(({ name }) => name))];
  const kept = served.filter((name) => isPlain(prefix + name));
  const names = new Map(kept.map((name) => [name, prefix + name]));
  const taken = new Set(names.values());
  for (const name of served.filter((one) => !names.has(one)).sort()) {
    let made = hashed(prefix, name, name);
    for (let again = 2; taken.has(made); again += 1) made = hashed(prefix, name, `${name} ${again}`);
    taken.add(made);
    names.set(name, made);
  }
  return names;
}

/** `__proto__` is no plain name, since somebody's code may use names as keys of a plain object. */
const isPlain = (name: string): boolean => PLAIN_NAME.test(name) && name !== '__proto__';

function hashed(prefix: string, name: string, salted: string): string {
  const ending = `_${hash(salted)}`;
  const words = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'tool';
  return (prefix.replaceAll(/[^A-Za-z0-9_-]/g, '_') + words).slice(0, MAX_NAME - ending.length) + ending;
}

/** Hashes by FNV-1a with 32 bits, in base 36: synchronous, unlike a digest, and the same everywhere. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36).padStart(7, '0');
}
