/** What the handler of a module's route is given. */
import type { StoredEvent } from '../journal/events.ts';
import type { PendingCall } from '../journal/wait.ts';
import type { JsonObject, JsonSchema } from '../tool/json.ts';
import type { Log } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AppParts } from './app-seam.ts';
import type { Caller } from './host.ts';
import type { ProblemType } from './problem.ts';
import type { Session } from './session.ts';

/** An agent, as routes list it. */
export interface RouteAgent {
  readonly name: string;
  readonly description: string;
  /** The names of its own tools. Those that unfold, or that it is given by others, are not among them. */
  readonly tools: readonly string[];
  /** The JSON Schema of its answers, if it declares one. */
  readonly output?: JsonSchema | undefined;
  /** The uses of modules that hold for it: those of the app, its own, and those that its tools bring along. */
  readonly uses: readonly ModuleUse[];
}

/** Which session is meant: of this agent, and of whoever sent the request. */
export interface RouteSession {
  readonly agent: string;
  /** The id of the session: letters, digits and `_ . : @ -`, at most 128. */
  readonly session: string;
  /** Where the parts of its messages are in the body, as problems of them say. Defaults to `message`. */
  readonly partsAt?: string | undefined;
  /** Keys of the context of its messages that the protocol itself says, beside those that clients may. */
  readonly contextKeys?: readonly string[] | undefined;
  /**
   * What the protocol adds to the context of its messages, over what clients say. A message that is sent again under its key is the same one,
   * whatever is added then. Must be JSON.
   */
  readonly context?: JsonObject | undefined;
}

/** What went wrong, as a route reports it in the words of its protocol. */
export interface RouteProblem {
  readonly type: ProblemType;
  /** Of the response. */
  readonly status: number;
  /** Says what to do about it, and nothing of the inside of the Worker. */
  readonly detail: string;
  /** What a response has for it, such as `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What else is known, as of a SessionError. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** A request to a route of a module, of somebody whom the app knows. */
export interface ModuleRequest {
  /** Its body is read by `json`, within the limit of the app. */
  readonly request: Request;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
  /** The caller, or the person for whom it sends the request. Its `delegates` is `false` where that is known to be one person. */
  readonly caller: Caller;
  /** The tool-call context that `contextHeaders` of the app maps of the request's headers. Every turn that the request begins has it. */
  readonly context: JsonObject;
  /** The keys of the tool-call context that the app lets a client say. */
  readonly bodyContext: ReadonlySet<string>;
  /** The agents of the app, in the order of their list. */
  readonly agents: readonly RouteAgent[];
  /** What stands before every path of the app in a link. */
  readonly base: string;
  /**
   * What modules of the app bring for messages that are sent again. `forkBehind` makes a fork that ends with a turn of a session, and returns
   * its id, if other turns came behind that; `undefined` if what is sent behind the turn is for the session itself. `forkInstead` makes one
   * for a message in the place of a turn. Both are absent if the app has no `branches()`. `retry` retries a message that a client sends
   * again. Absent if the app has no `retry()`.
   */
  readonly parts: Pick<AppParts, 'forkBehind' | 'forkInstead' | 'retry'>;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Takes lines of the app's log. */
  readonly log: Log;
  /**
   * Reads the body, which must be a JSON object. Besides its texts it may weigh what `maxBodyBytes` of the app says, and with them as much as a
   * message with files, where an agent takes any. Rejects with a problem when it is larger, or no JSON object.
   */
  json(): Promise<JsonObject>;
  /**
   * A session of the caller's. What it refuses is thrown, and told by `refuse` of the route. The `context` of its messages is taken as what
   * the client says: of the keys that `bodyContext` of the app names, and under what `contextHeaders` maps.
   */
  session(of: RouteSession): Session;
  /**
   * Keeps a short text under a key, by which the protocol finds a session of its caller again: an id, and nothing that anybody has said. It
   * is kept as long as `retention` of the app says, for this module and whoever owns the caller's sessions. Never rejects: of what could not
   * be kept, the log says so.
   */
  keep(key: string, text: string): Promise<void>;
  /** The newest texts that were kept under a key, at most 20, the last one first. Whether they still lead anywhere is for the protocol to see. */
  kept(key: string): Promise<readonly string[]>;
  /**
   * Answers with server-sent events: `frames` are texts that are sent as they are, asked for as fast as the client reads. Comments keep
   * a silent stream open. When they throw, the stream ends, and the log says so.
   */
  stream(
    frames: (leave: AbortSignal) => AsyncIterable<string>,
    headers?: Readonly<Record<string, string>>,
  ): Response;
  /** Returns what a turn waits for, by its events. */
  pending(events: readonly StoredEvent[]): readonly PendingCall[];
  /** What a failure is told as: of what went wrong inside, only that something did. */
  problem(failure: unknown): RouteProblem;
  /**
   * Returns the address of a file of a session of the caller's. If the app has a key for that, it is one that a page draws without a token,
   * for a while; otherwise it needs the token as every other.
   */
  fileUrl(of: RouteSession & { readonly file: string }): Promise<string>;
  /** Keeps work going after the answer. */
  waitUntil(work: Promise<unknown>): void;
}

/** A request to a public route, of anybody: nobody's sessions are there for it. */
export type PublicRequest = Omit<ModuleRequest, 'caller' | 'session' | 'keep' | 'kept' | 'fileUrl'>;
