import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Effect, TurnPrincipal } from '../../tool/call.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Fetch } from './wire/guarded-fetch.ts';

/** The person for whom a server is asked. */
export interface McpUser {
  readonly principal: TurnPrincipal;
  readonly context: ToolCallContext;
}

/** The person for whom a server is asked, with credentials. */
export interface McpCaller extends McpUser {
  /** Credentials of this invocation; what of them is sent is up to the client's own code. */
  readonly secrets: Secrets;
}

/** Whether tools may ask people (MCP elicitation): `refuse`, or who answers and how long is waited. */
export type Elicitation =
  | 'refuse'
  | {
      /** The role that may answer; whoever may see the session unless given. */
      readonly by?: string | undefined;
      /**
       * Milliseconds until a question counts as unanswered. Unless given: 60,000 for a `once` call that stays connected; no
       * limit for others, which are suspended: of a server of the revision 2026-07-28, all are.
       */
      readonly expires?: number | undefined;
    };

/** The literal that `defineMcpClient` takes. */
export interface McpClientConfig<Name extends string = string> {
  /**
   * Names the server in listings, logs and errors: 1 to 64 of A-Z a-z 0-9 _ -. What a session knows of its tools is kept under
   * it: one name, one server.
   */
  readonly name: Name;
  /**
   * Where the server answers. A function is for an address that comes from data: what it answers must be public `https`
   * unless `allowPrivate` is given. It must be pure and answer at once: a session knows a server's tools by the address, and
   * asks for that before every model call.
   */
  readonly url: string | ((user: McpUser) => string);
  /** Lets an address that comes from data be a private one, or plain `http`. */
  readonly allowPrivate?: boolean | undefined;
  /** Streamable HTTP, and SSE for a server that is too old for it, unless given. */
  readonly transport?: 'streamable-http' | 'sse' | undefined;
  /**
   * The name of the secret that is sent as bearer token: the caller's own, passed through. It has letters, digits, `_` and `-`; a text
   * that looks like a secret itself is refused.
   */
  readonly bearer?: string | undefined;
  /**
   * Sent with every request; asked once a connection. They count as credentials: where the server repeats a value of six
   * characters or more, `[secret <header>]` stands in its place. Show a server no other tools by what is sent here: a session
   * takes the tools that one person is shown at one address for the same; give such a server a client, with a name, of its own.
   */
  readonly headers?:
    | ((caller: McpCaller) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /**
   * An OAuth provider of the SDK, such as that for client credentials. No browser is there to be sent anywhere: one that
   * wants somebody to sign in is waited for, and has got a token when `redirectToAuthorization` resolves, or the server is
   * not reached.
   *
   * Which authorization server that is, the MCP server says. A client secret goes there unless the provider knows its own:
   * name that, by `expectedIssuer` of the SDK's providers.
   */
  readonly oauth?: ((caller: McpCaller) => OAuthClientProvider) | undefined;
  /**
   * Goes on with the server's session in the next turn, for a server that keeps something in it, such as a page in a browser; without
   * it a session begins and ends with each invocation. One invocation at a time has it, for the same person, at the same address, and,
   * where anything here is a function, in the same context. Where it cannot be gone on with, a new one is begun, and the model is told so. Its id
   * is kept beside the journal, and erased with it; the server's session is left to the server's own timeout then. Servers without
   * sessions, such as those of revision 2026-07-28, are as without it.
   */
  readonly keepSession?: boolean | undefined;
  /** Which values of the tool-call context are sent, as `_meta`; none unless given. */
  readonly meta?: MetaConverter | undefined;
  /** Effects of tools by the server's names, over what their annotations say. */
  readonly effects?: Readonly<Record<string, Effect>> | undefined;
  /** Put before the server's tool names: 1 to 32 of A-Z a-z 0-9 _ -. */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds the server has to answer a call, not counting its questions to people; 30,000 unless given, at most 900,000.
   */
  readonly timeout?: number | undefined;
  /** Milliseconds that connecting has, and listing tools; 10,000 unless given, at most 900,000. */
  readonly connectTimeout?: number | undefined;
  /** Bytes of one response, a stream counted over its life; 1,024 to 32 MiB, 4 MiB unless given. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Milliseconds for which a session takes a list of tools for current, and 0 asks in every turn. Unless given, what the server
   * says, a minute at the least and a day at the most; 600,000 where it does not say. A turn asks once, and once more when the
   * server says that its tools are others.
   */
  readonly refreshAfter?: number | undefined;
  /**
   * What becomes of a tool whose definition is another one than the session has seen. `report` uses the new one, and says so
   * in the journal and the log. `refuse` also keeps it from being called in that session. `refuse-weaker`, the default, does so
   * only where the server has weakened the tool's effect (what was `once` is `idempotent` or `read`, by hints that `effects` does
   * not overrule) or widened its input: whatever cannot be shown to take no more than before, and no property of another name,
   * counts as wider. Other words, such as a description, are used.
   *
   * A session remembers 100 lists, and 2 million characters of them in all. Beyond that the one that was found longest ago is
   * forgotten, and with it what is refused: what its server says then, counts as what was seen first.
   */
  readonly drift?: 'report' | 'refuse' | 'refuse-weaker' | undefined;
  /** Who answers questions of its tools; whoever may see the session unless given. */
  readonly elicitation?: Elicitation | undefined;
  /** In place of the global one, such as that of a service binding. */
  readonly fetch?: Fetch | undefined;
}

/** What a client's literal may leave out, and the client has. */
type Defaulted = 'timeout' | 'connectTimeout' | 'maxResponseBytes' | 'drift' | 'elicitation';

type Settings = { readonly [Key in Defaulted]: Exclude<McpClientConfig[Key], undefined> };

/** An MCP server as agents use it. Made by `defineMcpClient`: a declaration, which connects to nothing by itself. */
export interface McpClient<Name extends string = string>
  extends Settings,
    Omit<McpClientConfig<Name>, Defaulted> {
  /** For inference only; never set: it is listed among no tools. */
  readonly '~mcp'?: 'client';
}

/**
 * Decides what of a tool-call context a server is sent as `_meta`. It is applied on every path, and must not throw: a
 * call for which it does is answered with an error.
 */
export type MetaConverter = (context: ToolCallContext) => JsonObject;

/** Lets everything cross but what Holdfast itself put there, for a server that is trusted with whatever the context holds. */
export const passThrough: MetaConverter = (context) => picked(context, isOfTheApp);

/** Lets nothing cross, as without a converter. */
export const noOp: MetaConverter = () => ({});

/** Lets these keys cross, as far as the context has them. */
export function allowKeys(...keys: readonly string[]): MetaConverter {
  const allowed = new Set(keys);
  return (context) => picked(context, (key) => allowed.has(key));
}

/**
 * Lets all keys but these cross, and but what Holdfast itself put there. Use it only where all secrets that a context may ever
 * hold are known.
 */
export function denyKeys(...keys: readonly string[]): MetaConverter {
  const denied = new Set(keys);
  return (context) => picked(context, (key) => isOfTheApp(key) && !denied.has(key));
}

/** The ids of loops are nobody's business outside: by them a server could tell which of its calls belong together. */
const isOfTheApp = (key: string): boolean => !key.startsWith('holdfast.');

/** `fromEntries` makes own properties, also of a key such as `__proto__`. */
const picked = (context: ToolCallContext, isSent: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(context.toJSON()).filter(([key]) => isSent(key)));
