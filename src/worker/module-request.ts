/** The request that the handler of a module's route receives. */
import type { StoredEvent } from '../journal/events.ts';
import type { PendingCall } from '../journal/wait.ts';
import type { JsonObject, JsonSchema } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AppParts } from './app-seam.ts';
import type { Caller } from './host.ts';
import type { ProblemType } from './problem.ts';
import type { Session } from './session.ts';

/** An agent in the list for routes. */
export interface RouteAgent {
  readonly name: string;
  readonly description: string;
  /** The names of its own tools, without unfolded tools and tools from other sources. */
  readonly tools: readonly string[];
  /** The JSON Schema of its answers, if it declares one. */
  readonly output?: JsonSchema | undefined;
  /** The uses of modules that apply to it: those of the app, its own, and those of its tools. */
  readonly uses: readonly ModuleUse[];
}

/** Identifies a session of the request's caller. */
export interface RouteSession {
  readonly agent: string;
  /** The id of the session: letters, digits and `_ . : @ -`, at most 128. */
  readonly session: string;
  /** The path of its messages' parts in the body, for problems. Defaults to `message`. */
  readonly partsAt?: string | undefined;
  /** Context keys that the protocol sets in messages, in addition to those that clients may set. */
  readonly contextKeys?: readonly string[] | undefined;
  /**
   * The protocol's context for its messages. Overrides the client's. A message that is resent under its key
   * counts as the same message, even if this context differs. Must be JSON.
   */
  readonly context?: JsonObject | undefined;
}

/** A problem, for a route to report in the format of its protocol. */
export interface RouteProblem {
  readonly type: ProblemType;
  /** The status of the response. */
  readonly status: number;
  /** Explains how to fix the problem, without internals of the Worker. */
  readonly detail: string;
  /** Headers for the response, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** More data, such as `more` of a SessionError. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** An authenticated request to a module's route. */
export interface ModuleRequest {
  /** Read its body with `json`, which enforces the app's limit. */
  readonly request: Request;
  /** The id of the request in logs and in `x-request-id`. */
  readonly requestId: string;
  /**
   * The caller, or the person for whom it sends the request. Its `delegates` is `false` if the caller is
   * known to be one person.
   */
  readonly caller: Caller;
  /**
   * The tool-call context from the request's headers, as mapped by the app's `contextHeaders`. It applies to
   * every turn that the request starts.
   */
  readonly context: JsonObject;
  /** The keys of the tool-call context that the app lets clients set. */
  readonly bodyContext: ReadonlySet<string>;
  /** The agents of the app, in the order of their list. */
  readonly agents: readonly RouteAgent[];
  /** The prefix of the app's paths in links. */
  readonly base: string;
  /**
   * Functions of the app's modules for resent messages. `forkBehind` creates a fork that ends with a turn of
   * a session, if other turns follow it, and returns its id. It returns `undefined` if the session itself can
   * accept a message after the turn. `forkInstead` creates a fork for a message that replaces a turn. Both
   * are absent without `branches()` in the app. `retry` retries a message that a client resends. Absent
   * without `retry()` in the app.
   */
  readonly parts: Pick<AppParts, 'forkBehind' | 'forkInstead' | 'retry'>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Receives entries of the app's log. */
  readonly log: Log;
  /**
   * Reads the body, which must be a JSON object. Without the content of its strings, its limit is the app's
   * `maxBodyBytes`. With it, the limit is that of a message with files, if an agent accepts files. Rejects
   * with a problem if it is larger, or not a JSON object.
   */
  json(): Promise<JsonObject>;
  /**
   * Returns a session of the caller. Its methods throw refusals, which the route's `refuse` formats. The
   * `context` of its messages counts as the client's: only keys in the app's `bodyContext` are accepted, and
   * `contextHeaders` overrides them.
   */
  session(of: RouteSession): Session;
  /**
   * Stores a short text under a key, so that the protocol can find a session of its caller again. Store an
   * id, not content. The app's `retention` determines how long it is stored, for this module and the owner of
   * the caller's sessions. Never rejects: failures are logged.
   */
  keep(key: string, text: string): Promise<void>;
  /**
   * Returns the newest texts that were stored under a key, at most 20, newest first. The protocol must check
   * whether they are still valid.
   */
  kept(key: string): Promise<readonly string[]>;
  /**
   * Returns a response with server-sent events. `frames` are sent unchanged, and requested as fast as the
   * client reads. Comments keep an idle stream open. If `frames` throws, the stream ends and the error is
   * logged.
   */
  stream(
    frames: (leave: AbortSignal) => AsyncIterable<string>,
    headers?: Readonly<Record<string, string>>,
  ): Response;
  /** Returns the calls that a turn waits for, from its events. */
  pending(events: readonly StoredEvent[]): readonly PendingCall[];
  /** Converts a failure to a problem. An internal failure becomes a general problem without details. */
  problem(failure: unknown): RouteProblem;
  /**
   * Returns the URL of a file of one of the caller's sessions. If the app has a signing key, a page can use
   * the URL without a token for a limited time. Otherwise, it needs the token like every other URL.
   */
  fileUrl(of: RouteSession & { readonly file: string }): Promise<string>;
  /** Keeps work running after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/** A request to a public route. It has no caller, and therefore no sessions. */
export type PublicRequest = Omit<ModuleRequest, 'caller' | 'session' | 'keep' | 'kept' | 'fileUrl'>;
