/** How a Worker speaks another protocol than its own: a list of routes over its sessions. */
import { attempt } from '../tool/async.ts';
import type { JsonObject } from '../tool/json.ts';
import { createModule, type ModuleUse, useOf } from '../tool/module-use.ts';
import { shown } from '../tool/shown.ts';
import { filesOfAgent } from '../worker/agent-model.ts';
import { APP, type AppParts } from '../worker/app-seam.ts';
import { readBody } from '../worker/body.ts';
import type { Caller } from '../worker/host.ts';
import { keepText, keptTexts } from '../worker/kept-texts.ts';
import type { Problem, ProblemType } from '../worker/problem.ts';
import { toProblem } from '../worker/refusal.ts';
import { contextOfHeaders } from '../worker/request-headers.ts';
import {
  type CallerRequest,
  defineRoute,
  type NamesOf,
  type Route,
  type RouteRequest,
} from '../worker/route.ts';
import type { Session } from '../worker/session.ts';
import { sessionFromCode } from '../worker/session-from-code.ts';
import { COMMENT, eventStream } from '../worker/sse.ts';
import { invoked } from '../worker/target.ts';
import { checkBeside, checkSurface } from './check-surface.ts';

/** An agent, as a surface lists it. */
export interface SurfaceAgent {
  readonly name: string;
  readonly description: string;
  /** The names of its own tools. Those that unfold, or that it is given by others, are not among them. */
  readonly tools: readonly string[];
}

/** Which session is meant: of this agent, and of whoever sent the request. */
export interface SurfaceSession {
  readonly agent: string;
  /** The id of the session: letters, digits and `_ . : @ -`, at most 128. */
  readonly session: string;
}

/** What went wrong, as a surface tells it in the words of its protocol. */
export interface SurfaceProblem {
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

/** A request to a surface, of somebody whom the app knows. */
export interface SurfaceRequest {
  /** Its body is read by `json`, within the limit of the app. */
  readonly request: Request;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
  /** The caller, or the person for whom it sends the request. Its `delegates` is `false` where that is known to be one person. */
  readonly caller: Caller;
  /** The tool-call context that `contextHeaders` of the app maps of the request's headers. Every turn that the request begins has it. */
  readonly context: JsonObject;
  /** The agents of the app, in the order of their list. */
  readonly agents: readonly SurfaceAgent[];
  /** What stands before every path of the app in a link. */
  readonly base: string;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /**
   * Reads the body, which must be a JSON object. Besides its texts it may weigh what `maxBodyBytes` of the app says, and with them as much as a
   * message with files, where an agent takes any. Rejects with a problem when it is larger, or no JSON object.
   */
  json(): Promise<JsonObject>;
  /**
   * A session of the caller's. What it refuses is thrown, and told by `refuse` of the route. The `context` of its messages is taken as what
   * the client says: of the keys that `bodyContext` of the app names, and under what `contextHeaders` maps.
   */
  session(of: SurfaceSession): Session;
  /**
   * Keeps a short text under a key, by which the protocol finds a session of its caller again: an id, and nothing that anybody has said. It
   * is kept as long as `retention` of the app says, for this surface and whoever owns the caller's sessions. Never rejects: of what could not
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
  /** What a failure is told as: of what went wrong inside, only that something did. */
  problem(failure: unknown): SurfaceProblem;
  /** Keeps work going after the answer. */
  waitUntil(work: Promise<unknown>): void;
}

/** A request to a public route, of anybody: nobody's sessions are there for it. */
export type PublicRequest = Omit<SurfaceRequest, 'caller' | 'session' | 'keep' | 'kept'>;

/** A route of a surface. */
export interface SurfaceRoute<
  Path extends string = string,
  Public extends true | undefined = true | undefined,
> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With names in braces: `/agents/{agent}/chat`. It must be none of the app's own. */
  readonly path: Path;
  /** It may start a turn, so that modules may refuse its callers, as `rateLimit()` does. */
  readonly isCounted?: true | undefined;
  /** Anybody may ask it, with no token and from any page, as for what says how to sign in: its request has no caller, and no sessions. */
  readonly isPublic?: Public;
  /** It may answer with `asked.stream`, so that `maxStreams` of the app bounds its callers. */
  readonly streams?: true | undefined;
  /** Answers a request. `named`: what its path has in the place of each name. */
  handle(
    asked: Public extends true ? PublicRequest : SurfaceRequest,
    named: NamesOf<Path>,
  ): Response | Promise<Response>;
  /**
   * Tells a problem in the words of the protocol: also why nobody was let in, and, of the first route whose path begins with the same word, that
   * there is nothing at some other path. As RFC 9457 has it unless given.
   */
  refuse?(problem: SurfaceProblem): Response;
}

/** The literal that `defineSurface` takes. */
export interface SurfaceConfig {
  readonly name: string;
  readonly routes: readonly SurfaceRoute[];
}

/**
 * Types the handler of a surface's route by the names in its path: `named` of `/chat/{agent}` has an `agent`, and nothing else. One
 * that `isPublic` is given a request without a caller.
 */
export const surfaceRoute = <const Path extends string, Public extends true | undefined = undefined>(
  route: SurfaceRoute<Path, Public>,
): SurfaceRoute => route as SurfaceRoute; // names are read off the very path, and the request is made by the very flag

const SURFACES = createModule({ name: 'surfaces' });

/**
 * Makes a surface for `createHoldfast({ use })`: routes that speak a protocol of their own over the sessions of the app.
 *
 * @throws ConfigurationError when the literal or one of its routes is none, or a route is in it twice. `createHoldfast` throws it when
 *   a path is one of the app's own, or of another surface.
 *
 * @example
 * ```ts
 * const plain = defineSurface({
 *   name: 'plain',
 *   routes: [
 *     surfaceRoute({
 *       method: 'POST',
 *       path: '/plain/{agent}/{session}',
 *       isCounted: true,
 *       async handle(asked, { agent, session }) {
 *         const { text } = await asked.json();
 *         const answer = await asked.session({ agent, session }).send(String(text));
 *         return new Response(answer.text ?? 'Later.');
 *       },
 *     }),
 *   ],
 * });
 * ```
 */
export function defineSurface(config: SurfaceConfig): ModuleUse {
  const routes = routesOf(config);
  const use = useOf(SURFACES, config.name);
  APP.give(use, { routes });
  return use;
}

/** What mounts the routes of a surface. @throws ConfigurationError as `defineSurface` does. */
export function routesOf(config: SurfaceConfig): NonNullable<AppParts['routes']> {
  checkSurface(config);
  const { name } = config;
  const routes = config.routes.map((route) => toRoute(name, route));
  return ({ table }) => {
    checkBeside(name, routes, table);
    return routes;
  };
}

function toRoute(surface: string, { handle, refuse, isPublic, ...route }: SurfaceRoute): Route {
  return defineRoute({
    ...route,
    // What a public route is given has no caller, and by its type no sessions: asked for all the same, they fail for want of one.
    access: (isPublic ? 'open' : 'caller') as 'caller',
    ...(refuse && {
      refuse: (problem: Problem) => copied('refuse', refuse(toSurfaceProblem(problem))),
    }),
    handle: async (asked, named) => copied('handle', await handle(toSurfaceRequest(asked, surface), named)),
  });

  /** A copy, since what was fetched has headers that cannot be added to. @throws TypeError when it is no response. */
  function copied(by: 'handle' | 'refuse', response: unknown): Response {
    if (response instanceof Response) return new Response(response.body, response);
    const what = `${route.method} ${route.path} of surface '${surface}'`;
    throw new TypeError(`${what} answered ${shown(response)}: its \`${by}\` must answer a Response.`);
  }
}

function toSurfaceRequest(asked: CallerRequest, surface: string): SurfaceRequest {
  const { host, env, base = '', request, requestId, caller, execution } = asked;
  const waitUntil = (work: Promise<unknown>): void => execution.waitUntil(work);
  // A client that closes its stream has gone, also where its request tells nothing of it.
  const gone = new AbortController();
  const { bodyContext } = host;
  const mapped = contextOfHeaders(request.headers, host.contextHeaders);
  const texts = () => ({ host: invoked(host, env, { waitUntil }), env, caller, surface });
  return {
    request,
    requestId,
    caller,
    context: mapped.toJSON(),
    agents: [...host.agents.values()].map(({ name, description, tools }) => ({
      name,
      description,
      tools: tools.map(({ name }) => name),
    })),
    base,
    signal: AbortSignal.any([request.signal, gone.signal]),
    json: async () => (await readBody(request, mostOf(asked), host.maxBodyBytes)).value,
    session: (of) =>
      sessionFromCode(
        {
          host: { ...host, basePath: base },
          waitUntil,
          sentBy: { bodyContext, contextOfHeaders: mapped },
        },
        env,
        { ...of, principal: caller, request },
      ),
    keep: (key, text) => keepText(texts(), key, text),
    kept: (key) => keptTexts(texts(), key),
    stream(frames, headers) {
      const leaving = (leave: AbortSignal): AsyncIterable<string> => {
        leave.addEventListener('abort', () => gone.abort());
        return frames(leave);
      };
      // Clients of other protocols read all but comments as events of theirs: OpenAI's for Python fails on `retry`.
      return eventStream(asked, leaving, { headers, first: COMMENT });
    },
    problem: (failure) => toSurfaceProblem(toProblem(failure)),
    waitUntil,
  };
}

/** What a body may weigh: whose message it holds is known when it is read. */
const mostOf = ({ host, env }: RouteRequest): number =>
  Math.max(
    ...Array.from(host.agents.values(), (agent) => {
      const files = attempt(() => filesOfAgent({ host, env }, agent));
      return (files.ok && files.value?.mostBytes) || host.maxBodyBytes;
    }),
  );

/** What refuses a message names two parameters of the REST API at its end, which a route of a surface does not take. */
const REST_ALONE = /, or (?:now|send the message) with \?\w+=.*$/;

const toSurfaceProblem = ({ type, status, message, headers, more }: Problem): SurfaceProblem => ({
  type,
  status,
  detail: message.replace(REST_ALONE, '.'),
  headers,
  more,
});
