import { type Client, isSpecType, specTypeSchemas, type Tool } from '@modelcontextprotocol/client';
import type { ToolList } from './mcp-connection.ts';
import { MAX_WAIT } from './open-wire.ts';
import { isTtl, passes, UNSAID } from './readable.ts';
import { WireError } from './wire/wire-error.ts';

/** The most pages of a list: each is a request. */
const MAX_PAGES = 20;

/** A server's list does not come to an end, or not soon enough. */
class EndlessListError extends WireError {
  override readonly name = 'EndlessListError';
  readonly phrase: string;

  constructor(phrase: string) {
    super(phrase);
    this.phrase = phrase;
  }
}

/**
 * Lists every tool of a server, of all pages (MCP specification, Pagination), in its order. Definitions that are none are left out:
 * one bad tool does not take the others away. A server without the capability has none, and is not asked. How many of them are
 * used is up to whoever lists them; all pages together may be as long as one response, `maxLength`.
 *
 * @throws EndlessListError, and what the request throws.
 */
export async function listAll(sdk: Client, signal: AbortSignal, maxLength: number): Promise<ToolList> {
  if (!sdk.getServerCapabilities()?.tools) return { tools: [] };
  const tools: Tool[] = [];
  let ttl: number | undefined;
  const seen = new Set<string>();
  let length = 0;
  for (let cursor: string | undefined; ; ) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await whileAsked(signal, (asked) =>
      sdk.request({ method: 'tools/list', params }, specTypeSchemas.Result, {
        signal: asked,
        timeout: MAX_WAIT,
      }),
    );
    length += JSON.stringify(page).length;
    if (length > maxLength) throw new EndlessListError(`its list is longer than ${maxLength} characters`);
    tools.push(...toolsOf(page.tools));
    ttl = shorterOf(ttl, page.ttlMs);
    if (typeof page.nextCursor !== 'string') return { tools, ttl };
    cursor = page.nextCursor;
    if (seen.has(cursor)) throw new EndlessListError('its pages go round in circles');
    if (seen.add(cursor).size === MAX_PAGES)
      throw new EndlessListError(`it has more than ${MAX_PAGES} pages`);
  }
}

/** Gives the SDK a signal that ends with the request: it would cancel an answered request, by a reason of ours, much later. */
export async function whileAsked<T>(
  signal: AbortSignal,
  ask: (asked: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const onAbort = () => over.abort('The list is not waited for.');
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await ask(over.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const toolsOf = (listed: unknown): readonly Tool[] =>
  Array.isArray(listed) ? listed.filter((one) => passes(isSpecType.Tool, one)) : [];

const shorterOf = (before: number | undefined, said: unknown): number | undefined =>
  isTtl(said) && said !== UNSAID ? Math.min(said, before ?? said) : before;
