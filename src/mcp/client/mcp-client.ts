import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Effect, TurnPrincipal } from '../../tool/call.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Fetch } from './wire/guarded-fetch.ts';

/** The person on whose behalf a server is asked. */
export interface McpUser {
  readonly principal: TurnPrincipal;
  readonly context: ToolCallContext;
}

/** The person on whose behalf a server is asked, with credentials. */
export interface McpCaller extends McpUser {
  /** The credentials of this invocation. The client's own code decides which are sent. */
  readonly secrets: Secrets;
}

/**
 * Whether tools can ask users (MCP elicitation): `refuse`, or the users who can answer and the time limit.
 */
export type Elicitation =
  | 'refuse'
  | {
      /** The role of the users who can answer. Defaults to everyone with access to the session. */
      readonly by?: string | undefined;
      /**
       * Milliseconds until a question counts as unanswered. Defaults to 60,000 for a `once` call that stays
       * connected. Other calls are suspended and default to no limit. Every call to a server of the revision
       * 2026-07-28 is suspended.
       */
      readonly expires?: number | undefined;
    };

/** The argument of `defineMcpClient`. */
export interface McpClientConfig<Name extends string = string> {
  /**
   * The server's name in listings, logs and errors: 1 to 64 of A-Z a-z 0-9 _ -. A session stores its
   * knowledge of the tools under this name, so use one name for each server.
   */
  readonly name: Name;
  /**
   * The server's URL. Use a function for a URL that comes from data. Its result must be public `https`,
   * unless `allowPrivate` is set. The function must be pure and synchronous: a session identifies a server's
   * tools by the URL, and calls the function before every model call.
   */
  readonly url: string | ((user: McpUser) => string);
  /** `true` allows a URL from data to be private or plain `http`. */
  readonly allowPrivate?: boolean | undefined;
  /** The transport. Defaults to streamable HTTP, with SSE as a fallback for an older server. */
  readonly transport?: 'streamable-http' | 'sse' | undefined;
  /**
   * The name of the secret to send as a bearer token, from the caller's own secrets. It has letters, digits,
   * `_` and `-`. A text that looks like a secret is refused.
   */
  readonly bearer?: string | undefined;
  /**
   * Headers for every request, computed once for each connection. They count as credentials: if the server
   * quotes a value of at least six characters, `[secret <header>]` replaces it. The headers must not change
   * which tools one person sees. A session assumes one tool list for each person and URL. Define a separate
   * client for each such server.
   */
  readonly headers?:
    | ((caller: McpCaller) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /**
   * Creates an OAuth provider of the SDK, such as the one for client credentials. There is no browser to
   * redirect. If a provider requires a sign-in, `redirectToAuthorization` must have a token when it resolves.
   * Otherwise the server is not reached.
   *
   * The MCP server names the authorization server, which receives the client secret unless the provider knows
   * the right one. Name it with `expectedIssuer` of the SDK's providers.
   */
  readonly oauth?: ((caller: McpCaller) => OAuthClientProvider) | undefined;
  /**
   * `true` to resume the server's session in the next turn, for a server with state in it, such as a browser
   * page. Defaults to a session for each invocation. One invocation at a time can use it: for the same
   * person, the same URL and, if any property here is a function, the same context. If it cannot be resumed,
   * a new session begins, and the model is informed. The session id is stored outside the journal, and erased
   * with it. The server's own session then ends by the server's timeout. No effect for servers without
   * sessions, such as those of revision 2026-07-28.
   */
  readonly keepSession?: boolean | undefined;
  /** Selects the values of the tool-call context to send as `_meta`. Defaults to none. */
  readonly meta?: MetaConverter | undefined;
  /** The effects of tools, by the tools' names on the server. They override the tools' annotations. */
  readonly effects?: Readonly<Record<string, Effect>> | undefined;
  /** A prefix for the server's tool names: 1 to 32 of A-Z a-z 0-9 _ -. */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds for the server's response to a call, without its questions to users. Defaults to 30,000, at
   * most 900,000.
   */
  readonly timeout?: number | undefined;
  /** Milliseconds for connecting, and for listing tools. Defaults to 10,000, at most 900,000. */
  readonly connectTimeout?: number | undefined;
  /**
   * The maximum size of one response in bytes, or of a whole stream. From 1,024 to 32 MiB. Defaults to 4 MiB.
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Milliseconds for which a session treats a tool list as current. 0 requests it in every turn. Defaults to
   * the server's own period, between a minute and a day, or else to 600,000. A turn requests it once, and
   * again if the server reports a change of its tools.
   */
  readonly refreshAfter?: number | undefined;
  /**
   * What happens if a tool's definition has changed since the session first saw it.
   *
   * - `report` uses the new definition, and records the change in the journal and the log.
   * - `refuse` also blocks its calls in that session.
   * - `refuse-weaker`, the default, blocks them only for a weaker effect or a wider input.
   *
   * An effect is weaker if `once` becomes `idempotent` or `read`, by hints that `effects` does not override.
   * An input is wider unless it provably accepts no more than before, and has no new property. Changes of
   * text, such as a description, are used.
   *
   * A session remembers 100 lists, with 2 million characters in total. Beyond that it forgets the oldest
   * list, and the refusals with it. The server's next definition then counts as the first.
   */
  readonly drift?: 'report' | 'refuse' | 'refuse-weaker' | undefined;
  /** The users who answer its tools' questions. Defaults to everyone with access to the session. */
  readonly elicitation?: Elicitation | undefined;
  /** Replaces the global `fetch`, for example with that of a service binding. */
  readonly fetch?: Fetch | undefined;
}

/** The properties that a definition can omit and a client always has. */
type DefaultedOption = 'timeout' | 'connectTimeout' | 'maxResponseBytes' | 'drift' | 'elicitation';

type Settings = { readonly [Key in DefaultedOption]: Exclude<McpClientConfig[Key], undefined> };

/** An MCP server for agents. Created by `defineMcpClient`; it does not connect by itself. */
export interface McpClient<Name extends string = string>
  extends Settings,
    Omit<McpClientConfig<Name>, DefaultedOption> {
  /** For type inference only, never set. */
  readonly '~mcp'?: 'client';
}

/**
 * Selects the part of a tool-call context that a server receives as `_meta`. Used for every call. If it
 * throws, the call fails.
 */
export type MetaConverter = (context: ToolCallContext) => JsonObject;

/**
 * Sends the whole context except Holdfast's own keys. For a server that is trusted with everything in the
 * context.
 */
export const passThrough: MetaConverter = (context) => pickKeys(context, isAppKey);

/** Sends no context. This is the default. */
export const noOp: MetaConverter = () => ({});

/**
 * Sends these keys, if the context has them.
 *
 * @example
 * ```ts
 * const client = defineMcpClient({ name: 'wiki', url: 'https://wiki.example/mcp', meta: allowKeys('tenant') });
 * ```
 */
export function allowKeys(...keys: readonly string[]): MetaConverter {
  const allowed = new Set(keys);
  return (context) => pickKeys(context, (key) => allowed.has(key));
}

/**
 * Sends the whole context except these keys and Holdfast's own. Use it only if you know all secrets that a
 * context can contain.
 *
 * @example
 * ```ts
 * const client = defineMcpClient({ name: 'wiki', url: 'https://wiki.example/mcp', meta: denyKeys('email') });
 * ```
 */
export function denyKeys(...keys: readonly string[]): MetaConverter {
  const denied = new Set(keys);
  return (context) => pickKeys(context, (key) => isAppKey(key) && !denied.has(key));
}

/**
 * Returns whether a key belongs to the app. Loop ids stay private, since a server could infer from them which
 * of its calls belong together.
 */
const isAppKey = (key: string): boolean => !key.startsWith('holdfast.');

/** Returns the selected values. `fromEntries` creates own properties, even for a key such as `__proto__`. */
const pickKeys = (context: ToolCallContext, isSent: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(context.toJSON()).filter(([key]) => isSent(key)));
