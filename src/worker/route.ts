import type { ExecutionContext } from 'hono';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Authenticate } from './auth.ts';
import type { Origins } from './cors.ts';
import type { ComponentName } from './described.ts';
import type { Caller, Env, Host, Invoked } from './host.ts';
import type { OnBehalfOf } from './on-behalf-of.ts';
import type { OpenStreams } from './open-streams.ts';
import type { Problem, ProblemType } from './problem.ts';
import type { ContextHeaders } from './request-headers.ts';
import type { SessionAccess } from './target.ts';
import type { Schema } from './typed-schema.ts';

/** What the HTTP app is built on. */
export interface HttpHost extends Host {
  readonly webhooks: ReadonlyMap<string, Webhook>;
  readonly surfaces: ReadonlyMap<string, Surface>;
  readonly auth: Authenticate;
  readonly onBehalfOf?: OnBehalfOf | undefined;
  readonly contextHeaders: ContextHeaders;
  /** The keys of the tool-call context that a body may have. */
  readonly bodyContext: ReadonlySet<string>;
  readonly origins: Origins;
  /** What a request body may weigh, in bytes. */
  readonly maxBodyBytes: number;
  /** The event streams that callers have open. */
  readonly streams: OpenStreams;
  /** Whether files of messages may be named by addresses in private networks. */
  readonly allowPrivateFiles: boolean;
  /** What is served at `/mcp`; absent: nothing. */
  readonly mcp?: McpEndpoint | undefined;
  /** @throws DeploymentError when an agent needs the model of the settings, and these choose none. */
  checkModel(env: Env): void;
  /** What in the Worker's deployment makes sessions work less well than they could. */
  warnings(env: Env): readonly string[];
}

/** A request as it came in. */
export interface RouteRequest {
  readonly host: HttpHost;
  readonly env: Env;
  /** What stands before every path in a link of the answer; nothing unless given. */
  readonly base?: string | undefined;
  readonly request: Request;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
  /** Keeps work going after the answer. */
  readonly execution: Pick<ExecutionContext, 'waitUntil'>;
}

/** A request of somebody whom the app knows, sent by no page of a foreign site. */
export interface CallerRequest extends RouteRequest {
  readonly caller: Caller;
}

/** A request to one session of its caller, and the app as this invocation of the Worker has it. */
export interface SessionRequest extends CallerRequest, SessionAccess {
  readonly host: HttpHost & Invoked;
  readonly request: Request;
  readonly requestId: string;
}

/** What the handler of a route is given, by who may use the route. */
interface Requests {
  /** Anybody may: no token is asked for. */
  readonly open: RouteRequest;
  /** Whoever the app's `auth` knows. */
  readonly caller: CallerRequest;
  /** The same, for a session of theirs; the path names its `{agent}` and its `{session}`. */
  readonly session: SessionRequest;
}

/** What `createHoldfast({ mcp })` serves at `/mcp`. `defineMcpEndpoint` makes it, so that an app without one carries nothing of MCP. */
export interface McpEndpoint {
  /** The names of the agents that it publishes; each must be one of the app's. */
  readonly agents: readonly string[];
  /** Its routes, in an app that is served below `basePath`. */
  routes(basePath: string | undefined): readonly Route[];
}

/** A protocol that a Worker speaks beside its own. `defineSurface` makes it, so that an app without one carries nothing of it. */
export interface Surface {
  readonly name: string;
  /** Its routes. @throws ConfigurationError when the app has one of their paths already, by these others. */
  routesBeside(others: readonly Route[]): readonly Route[];
}

/** The names that a path has in braces, with what a request's path has in their places. */
export type NamesOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & NamesOf<Rest>
  : unknown;

/** An entry of the route table: the app, the methods of a path and OpenAPI are folds over these. */
export interface RouteEntry<Access extends keyof Requests, Path extends string> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** What generated clients call it; made of the method and the path unless given. */
  readonly operation?: string;
  /** As OpenAPI writes it, with names in braces: `/hooks/{hook}`. */
  readonly path: Path;
  readonly access: Access;
  /** Says in OpenAPI what the route does. */
  readonly summary: string;
  readonly parameters?: readonly Parameter[] | undefined;
  /** Absent: a body is not read. */
  readonly body?: BodySchema | undefined;
  /** It may start a turn, so that what the Worker binds as `RATE_LIMIT` counts its callers. */
  readonly isCounted?: true | undefined;
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** What it may refuse, beside what every route of its access does. */
  readonly problems?: readonly ProblemAnswer[] | undefined;
  /** What is said of other statuses, which a protocol may have of its own. */
  readonly others?: string | undefined;
  /** Tells a problem to clients that do not read RFC 9457, or that need more than it says. */
  refuse?(problem: Problem, asked: Pick<RouteRequest, 'request' | 'base'>): Response;
  /** What `refuse` answers, by its media type. Absent: anything. */
  readonly refusal?: Refusal | undefined;
  /** What it throws becomes a problem response. */
  handle(request: Requests[Access], named: NamesOf<Path>): Response | Promise<Response>;
}

/** A route of any kind, as the table of routes holds it. */
export type Route = { [Access in keyof Requests]: RouteEntry<Access, string> }[keyof Requests];

/** A problem that a route may answer; with a status, where that is not its usual one. */
export type ProblemAnswer = ProblemType | readonly [status: number, type: ProblemType];

/** Types the entry's handler by its access and by the names in its path. */
export const defineRoute = <Access extends keyof Requests, const Path extends string>(
  route: RouteEntry<Access, Path>,
): RouteEntry<Access, Path> => route;

/** The path of a session, below which most routes are. */
export const SESSION = '/agents/{agent}/sessions/{session}';

/** The routes of each path, both in the order of the table. */
export const byPath = (routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> =>
  Map.groupBy(routes, ({ path }) => path);

/** The JSON of a body. OpenAPI describes one that has a name once, among its components. */
export interface BodySchema {
  readonly name?: string;
  readonly schema: Schema;
  /** Of a request's body that may come as `multipart/form-data` too: its fields. */
  readonly form?: Schema;
}

/** A component of the description by its name, or a schema that a surface brings. */
export type AnswerSchema = ComponentName | BodySchema;

/** Some JSON object, whose properties are not described. */
export const ANY_OBJECT: BodySchema = { schema: { type: 'object', additionalProperties: true } };

const OF_CALLERS: readonly ProblemAnswer[] = [
  'unauthorized',
  'invalid-person',
  'not-configured',
  'only-localhost',
  'tenant-required',
  'misconfigured',
  'internal-error',
];

/** What every route may refuse, by who may use it. */
export const OF_ACCESS: Readonly<Record<keyof Requests, readonly ProblemAnswer[]>> = {
  open: ['internal-error'],
  caller: OF_CALLERS,
  session: [
    ...OF_CALLERS,
    'unknown-agent',
    'invalid-session-id',
    'session-erased',
    'session-unavailable',
    'session-unreadable',
    'newer-deployment',
  ],
};

/** Schemas of problems as a protocol tells them, by their media types: `{ 'text/plain': { schema: { type: 'string' } } }`. */
export type Refusal = Readonly<Record<string, AnswerSchema>>;

/** What a status of a route says; without JSON, a stream or a file, it has no body. */
export interface Answer {
  readonly description: string;
  /** One of these, where there are several. */
  readonly json?: AnswerSchema | readonly AnswerSchema[];
  /** Server-sent events, of this kind or of any; where there is JSON too, for a client whose `Accept` asks for them. */
  readonly streams?: ComponentName | true;
  /** The answer is a file of any media type. */
  readonly isFile?: true;
}

/** A parameter of the query or of the headers, as OpenAPI writes it. Those of the path are read off it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly schema: Schema;
  readonly description?: string;
}

/** Describes a header as OpenAPI writes it. */
export const headerParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** What a request may say whose answer is a stream that goes on. */
export const RESUMES: readonly Parameter[] = [
  headerParameter('Last-Event-ID', 'The stream shows only what comes after this event.'),
  {
    name: 'after',
    in: 'query',
    schema: { type: ['integer', 'string'], minimum: 0 },
    description: 'The same, by the sequence of the event or its id. `Last-Event-ID` stands over it.',
  },
];

export const IDEMPOTENCY_KEY = headerParameter(
  'Idempotency-Key',
  'A retry under the same key joins or replays the same turn.',
);

/** What every request may say that may run a turn. */
export const TURN_HEADERS: readonly Parameter[] = [
  IDEMPOTENCY_KEY,
  headerParameter(
    'Prefer',
    '`respond-async` runs the turn in the background. So does `wait=10`, and its answer is waited for, 60 seconds at the most.',
  ),
  ...RESUMES,
];

/** What a request is answered that may run a turn. */
export const TURN_ANSWERS: Readonly<Record<number, Answer>> = {
  200: { description: 'The turn has ended', json: 'TurnAnswer', streams: 'TurnStream' },
  202: {
    description:
      'The turn runs in the background, waits for its time or for those before it, or for somebody: `pending` tells for what. ' +
      '`Location` leads to its answer',
    json: ['SuspendedTurn', 'LaterTurn'],
  },
};

/** What every request with a JSON body may be refused for. */
export const OF_JSON_BODIES: readonly ProblemAnswer[] = [
  'bad-json',
  'invalid-body',
  'body-too-large',
  'unsupported-media-type',
];
