/** The routes of modules: protocols other than the Worker's own, for the sessions of their callers. */
import { parseEvent, toRow, toTurnStart } from '../journal/event-rows.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { toReader } from '../session/fold-session.ts';
import { toSessionName } from '../session/read-secrets.ts';
import { attempt, computeSha256Hex } from '../tool/async.ts';
import type { JsonObject } from '../tool/json.ts';
import { createWarningEntry } from '../tool/log.ts';
import { createUse, type ModuleIdentity, type ModuleUse } from '../tool/module-use.ts';
import { describeValue } from '../tool/shown.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { APP, type AppParts, collectAppParts } from './app-seam.ts';
import { readBody } from './body.ts';
import { checkCollisions, checkRoutes } from './check-routes.ts';
import type { Caller, HostedApp, InvokedHost } from './host.ts';
import type { ModuleRequest, PublicRequest, RouteProblem } from './module-request.ts';
import type { Problem } from './problem.ts';
import { toProblem } from './refusal.ts';
import { readContextHeaders } from './request-headers.ts';
import {
  type CallerRequest,
  type PathParamsOf,
  type Route,
  type RouteRequest,
  defineRoute as routeEntry,
} from './route.ts';
import { createSessionFromCode } from './session-from-code.ts';
import { COMMENT, createEventStream } from './sse.ts';
import { findAgentFiles, getOwner, getSessionPath, toInvokedHost } from './target.ts';

/** A route of a module. */
export interface ModuleRoute<
  Path extends string = string,
  Public extends true | undefined = true | undefined,
> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** A path with names in braces: `/agents/{agent}/chat`. It must not be one of the app's own. */
  readonly path: Path;
  /** `true` if it may start a turn. Modules such as `rateLimit()` can then refuse its callers. */
  readonly isCounted?: true | undefined;
  /**
   * `true` if it needs no token and accepts requests from any page, such as a description of how to sign in.
   * Its request has no caller and no sessions.
   */
  readonly isPublic?: Public;
  /** `true` if it may respond with `asked.stream`. The app's `maxStreams` then limits its callers. */
  readonly streams?: true | undefined;
  /** Handles a request. `named` has the values in its path, by name. */
  handle(
    asked: Public extends true ? PublicRequest : ModuleRequest,
    named: PathParamsOf<Path>,
  ): Response | Promise<Response>;
  /**
   * Formats a problem for the protocol, including refused authentication. The first route whose path begins
   * with the same word also formats
   * 404 responses for unknown paths. Defaults to RFC 9457.
   */
  refuse?(problem: RouteProblem, request: Request): Response;
}

/**
 * Defines a route of a module, for its `routes`. The names in its path determine the type of `named`: for
 * `/chat/{agent}`, it has only `agent`. The handler of an `isPublic` route receives a request without a
 * caller.
 *
 * @example
 * ```ts
 * const plain = defineModule({ name: 'plain' });
 * const plainText = plain.use({
 *   routes: [
 *     defineRoute({
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
export const defineRoute = <const Path extends string, Public extends true | undefined = undefined>(
  route: ModuleRoute<Path, Public>,
): ModuleRoute => route as ModuleRoute; // the types of names and request follow from this path and flag

interface RoutesConfig {
  readonly name: string;
  readonly routes: readonly ModuleRoute[];
}

/**
 * Creates a use of a module with routes, and the properties of `more`. @throws ConfigurationError as
 * `createRouteMounter` does.
 */
export function createRoutesUse(
  module: ModuleIdentity,
  routes: readonly ModuleRoute[],
  more?: AppParts,
): ModuleUse {
  const use = createUse(module);
  const own = createRouteMounter({ name: module.name, routes });
  APP.give(use, { ...more, routes: (app) => [...own(app), ...(more?.routes?.(app) ?? [])] });
  return use;
}

/**
 * Returns a function that mounts the routes of a module. That function throws ConfigurationError if a path
 * collides with the app or another module.
 *
 * @throws ConfigurationError if an item is not a route, or is in the list twice.
 */
export function createRouteMounter(config: RoutesConfig): NonNullable<AppParts['routes']> {
  checkRoutes(config);
  const { name } = config;
  const routes = config.routes.map((route) => toRoute(name, route));
  return ({ table }) => {
    checkCollisions(name, routes, table);
    return routes;
  };
}

function toRoute(module: string, { handle, refuse, isPublic, ...route }: ModuleRoute): Route {
  return routeEntry({
    ...route,
    // The handler of a public route has no caller and, by its type, no sessions. Without a caller, access to
    // a session fails.
    access: (isPublic ? 'open' : 'caller') as 'caller',
    ...(refuse && {
      refuse: (problem: Problem, { request }: Pick<RouteRequest, 'request'>) =>
        copyResponse('refuse', refuse(toRouteProblem(problem), request)),
    }),
    handle: async (asked, named) =>
      copyResponse('handle', await handle(toModuleRequest(asked, module), named)),
  });

  /**
   * Copies a response, since the headers of a fetched one are immutable. @throws TypeError if it is not a
   * response.
   */
  function copyResponse(by: 'handle' | 'refuse', response: unknown): Response {
    if (response instanceof Response) return new Response(response.body, response);
    const what = `${route.method} ${route.path} of module '${module}'`;
    throw new TypeError(
      `${what} returned ${describeValue(response)}, but its \`${by}\` must return a Response.`,
    );
  }
}

/** Makes the request for a handler of this module. */
function toModuleRequest(asked: CallerRequest, module: string): ModuleRequest {
  const { host, env, base = '', request, requestId, caller, execution } = asked;
  const waitUntil = (work: Promise<unknown>): void => execution.waitUntil(work);
  // A client that closes its stream has disconnected, even if its request does not report it.
  const gone = new AbortController();
  const { bodyContext } = host;
  const mapped = readContextHeaders(request.headers, host.contextHeaders);
  const createTextScope = () => ({ host: toInvokedHost(host, env, { waitUntil }), env, caller, module });
  return {
    request,
    requestId,
    caller,
    context: mapped.toJSON(),
    bodyContext,
    log: host.log,
    // A getter, since most requests do not use it.
    get agents() {
      return [...host.agents.values()].map(({ name, description, tools, output, uses }) => ({
        name,
        description,
        tools: tools.map(({ name }) => name),
        uses: [...host.appUses, ...uses],
        ...(output?.format && { output: output.format.schema }),
      }));
    },
    base,
    get parts() {
      return Object.assign({}, ...collectAppParts(host));
    },
    signal: AbortSignal.any([request.signal, gone.signal]),
    json: () => readJson(asked),
    session: ({ partsAt, contextKeys = [], context = {}, ...of }) =>
      createSessionFromCode(
        {
          host: { ...host, basePath: base },
          waitUntil,
          sentBy: {
            bodyContext: new Set([...bodyContext, ...contextKeys]),
            contextOfHeaders: mapped.merge(ToolCallContext.of(context)),
            partsAt,
          },
        },
        env,
        { ...of, principal: caller, request },
      ),
    async fileUrl({ agent, session, file }) {
      const place = { owner: getOwner(caller), agent, session, file };
      const query = await host.files?.sign?.({ env, now: host.clock.now() }, place);
      const url = new URL(`${getSessionPath(place, base)}/files/${encodeURIComponent(file)}`, request.url);
      url.search = query ?? '';
      return url.href;
    },
    keep: (key, text) => storeText(createTextScope(), key, text),
    kept: (key) => readTexts(createTextScope(), key),
    stream(frames, headers) {
      const startFrames = (leave: AbortSignal): AsyncIterable<string> => {
        leave.addEventListener('abort', () => gone.abort());
        return frames(leave);
      };
      // Clients of other protocols treat all fields except comments as events: OpenAI's Python client fails
      // on `retry`.
      return createEventStream(asked, startFrames, { headers, first: COMMENT });
    },
    pending: (events) => host.answers?.pending(events) ?? [],
    problem: (failure) => toRouteProblem(toProblem(failure)),
    waitUntil,
  };
}

/** Reads a body. Uses the largest limit, since the agent of its message is known only afterwards. */
async function readJson({ host, env, request }: RouteRequest): Promise<JsonObject> {
  const [files] = Array.from(host.agents.values(), (agent) =>
    attempt(() => findAgentFiles({ host, env }, agent)),
  )
    .flatMap((taken) => (taken.ok && taken.value) || [])
    .toSorted((one, other) => other.mostBytes - one.mostBytes);
  return (await readBody(request, files?.mostBytes ?? host.maxBodyBytes, files?.mustFit)).value;
}

/** Converts a problem for a route of another protocol. */
const toRouteProblem = ({ type, status, message, worded, headers, more }: Problem): RouteProblem => ({
  type,
  status,
  detail: worded?.() ?? message,
  headers,
  more,
});

/** The place and owner of stored texts. */
interface TextScope extends HostedApp {
  readonly host: InvokedHost;
  readonly caller: Caller;
  /** The name of the module whose routes store them. Other modules cannot read them. */
  readonly module: string;
}

/** The maximum number of texts to read: the newest. */
const MAX_TEXTS = 20;

/**
 * The maximum number of attempts while another invocation stores a text under the same key. Storing takes two
 * messages to the object.
 */
const MAX_ATTEMPTS = 5;

/**
 * Stores a text under a key, for all callers with the same owner. It is stored as the message of a turn that
 * ends without a model call. Never rejects: failures are logged.
 */
export async function storeText(of: TextScope, key: string, text: string): Promise<void> {
  const { host } = of;
  const message = 'a surface could not store the session of a client, which must name it next time';
  try {
    const port = await openTextSession(of, key);
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) if (await tryStoreText(port, of, text)) return;
    host.log(createWarningEntry(message));
  } catch (thrown) {
    host.log(createWarningEntry(message, thrown));
  }
}

async function tryStoreText(port: SessionPort, { host, caller }: TextScope, text: string): Promise<boolean> {
  const said = { agent: NO_AGENT, message: text, context: ToolCallContext.EMPTY, from: caller };
  const start = toTurnStart(said, host.newId);
  // Existing events are not read.
  const reader = { ...toReader(host.modules), maxBytes: 1 };
  const leased = await port.begin({ start, nonce: host.newId(), reader });
  if (leased.status !== 'leased') return false;
  const ended = toRow({ type: 'turn-ended', turn: start.turn, outcome: 'completed' });
  const { status } = await port.append(leased.epoch, leased.page.head + 1, {
    events: [ended],
    release: 'ended',
  });
  return status === 'appended';
}

/** Returns the newest texts that were stored under a key, newest first. */
export async function readTexts(of: TextScope, key: string): Promise<readonly string[]> {
  const port = await openTextSession(of, key);
  // Each text is two events, after the event that opens the session.
  const limit = 2 * MAX_TEXTS;
  const first = await port.read({ from: 1, limit: limit + 1 });
  const page = first?.next ? await port.read({ from: first.head - limit + 1, limit }) : first;
  const events = (page?.rows ?? []).map(parseEvent);
  return events.flatMap((event) => (event.type === 'turn-started' ? [event.message] : [])).toReversed();
}

/** Every real agent has a name, so routes cannot reach a session with this one. */
const NO_AGENT = '';

async function openTextSession({ host, env, caller, module }: TextScope, key: string): Promise<SessionPort> {
  const session = `${module}:${await computeSha256Hex(key)}`;
  return host.session(env, toSessionName({ owner: getOwner(caller), agent: NO_AGENT, session }));
}
