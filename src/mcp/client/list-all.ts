import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema, type Tool, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import { MAX_WAIT } from './open-wire.ts';
import { WireError } from './wire-error.ts';

/** What is remembered of one server in a session, and may be shown to a model, ends somewhere. */
export const MAX_TOOLS = 1_000;
export const MAX_PAGES = 100;

/** A server has more than is read, or does not come to an end. */
export class EndlessListError extends WireError {
  override readonly name = 'EndlessListError';
  readonly phrase: string;

  constructor(phrase: string) {
    super(phrase);
    this.phrase = phrase;
  }
}

/**
 * Every tool of a server, of all pages (MCP specification, Pagination), in its order. Definitions that are none are left out:
 * one bad tool does not take the others away. A server without the capability has none, and is not asked.
 *
 * @throws EndlessListError, and what the request throws.
 */
export async function listAll(sdk: Client, signal: AbortSignal): Promise<readonly Tool[]> {
  if (!sdk.getServerCapabilities()?.tools) return [];
  const tools: Tool[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await sdk.request({ method: 'tools/list', params }, ResultSchema, {
      signal,
      timeout: MAX_WAIT,
    });
    tools.push(...toolsOf(page.tools));
    if (tools.length > MAX_TOOLS) throw new EndlessListError(`it has more than ${MAX_TOOLS}`);
    if (typeof page.nextCursor !== 'string') return tools;
    cursor = page.nextCursor;
    if (seen.has(cursor)) throw new EndlessListError('its pages go round in circles');
    if (seen.add(cursor).size === MAX_PAGES)
      throw new EndlessListError(`it has more than ${MAX_PAGES} pages`);
  }
}

const toolsOf = (listed: unknown): readonly Tool[] =>
  Array.isArray(listed) ? listed.flatMap((item) => ToolSchema.safeParse(item).data ?? []) : [];
