import { LIVE_TEXT_PARTS } from '../../modules/live-text/live-text.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { withFullStop } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { APP } from '../../worker/app-seam.ts';
import { readBytes } from '../../worker/body.ts';
import { assertKnownAgent } from '../../worker/check-app.ts';
import type { Problem } from '../../worker/problem.ts';
import { logFailure } from '../../worker/refusal.ts';
import { readContextHeaders } from '../../worker/request-headers.ts';
import { type CallerRequest, defineRoute, type Route, type RouteRequest } from '../../worker/route.ts';
import { toInvokedHost } from '../../worker/target.ts';
import type { EndpointRequest } from './caller.ts';
import type { McpResource } from './define-mcp-resource.ts';
import { checkPrompt, type McpPrompt } from './prompts.ts';
import {
  collectPublications,
  copyAuthorization,
  type McpAuthorization,
  McpEndpointDefinitionError,
  type PublishedAgent,
} from './publish.ts';
import { serveMcp } from './serve-mcp.ts';
import { collectResources } from './session-resources.ts';

/** The argument of `defineMcpEndpoint`. */
export interface McpEndpointConfig {
  /** The server's name for clients. Defaults to `holdfast`. */
  readonly name?: string | undefined;
  /** The server's version. Defaults to `1`. */
  readonly version?: string | undefined;
  /** Instructions that clients can pass to their model. */
  readonly instructions?: string | undefined;
  /**
   * Tools to publish. Each call runs the tool once, without a session: no data is kept, and no person can
   * approve it. To publish a tool that needs a session, publish an agent with it.
   */
  readonly tools?: readonly AnyTool[] | undefined;
  /**
   * Agents to publish, each as a tool. A call runs a turn in a session of the caller, which later calls can
   * continue.
   */
  readonly agents?: readonly PublishedAgent[] | undefined;
  readonly prompts?: readonly McpPrompt[] | undefined;
  /**
   * Resources to publish, besides the files and artifacts in sessions of these agents, which their owners can
   * read.
   */
  readonly resources?: readonly McpResource[] | undefined;
  /**
   * The authorization servers for clients that sign in by OAuth (RFC 9728). Published at
   * `/.well-known/oauth-protected-resource` and in 401 responses. `servers` are issuers, and `scopes` are the
   * scopes to request. The app's `auth` checks the tokens, and must refuse those for another audience. If
   * absent, no such data is published.
   */
  readonly authorization?: McpAuthorization | undefined;
}

/**
 * Publishes tools, agents, prompts and resources to MCP clients at `POST /mcp`: `createHoldfast({ use:
 * [defineMcpEndpoint({ ... })] })`. It handles each request independently, for any revision of the protocol,
 * so MCP sessions do not exist. A later request cannot cancel an earlier one, and each holds at most one
 * call. A `GET` resumes the broken stream of an agent's call by the id of its last event. Callers
 * authenticate as on every route.
 *
 * @throws McpEndpointDefinitionError if a key is unknown, a value has the wrong type, a tool needs a session,
 * two entries share a name, or a name is not valid for a tool.
 *
 * @example
 * ```ts
 * const endpoint = defineMcpEndpoint({ tools: [findOrder], agents: ['support', { agent: 'triage', as: 'ask_triage' }] });
 * ```
 */
export function defineMcpEndpoint(config: McpEndpointConfig): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new McpEndpointDefinitionError(fault.field, `it ${withFullStop(fault.problem)}`);
  const { name = 'holdfast', version = '1', instructions, authorization } = config;
  for (const [field, text] of Object.entries({ name, version })) {
    if (text.trim() === '') throw new McpEndpointDefinitionError(field, `its ${field} is blank.`);
  }
  const { tools = [], agents = [], prompts = [], resources = [] } = config;
  const callable = collectPublications(tools, agents);
  const served = {
    info: { name, version },
    instructions,
    published: {
      callable,
      prompts: indexPrompts(prompts),
      resources: collectResources(resources, callable),
    },
    logFailure,
  };
  const told = authorization && copyAuthorization(authorization);
  const use = createUse(MCP);
  APP.give(use, {
    ...LIVE_TEXT_PARTS, // a resumed stream reports the progress of its calls
    routes({ host: { agents, basePath } }) {
      for (const one of callable.values()) {
        if (one.kind === 'agent') assertKnownAgent(agents, 'The MCP endpoint publishes the agent', one.agent);
      }
      return createMcpRoutes({
        serve: (request) => serveMcp(served, request),
        authorization: told,
        basePath,
      });
    },
  });
  return use;
}

const MCP = createModule({ name: 'mcp' });

const SHAPE = {
  of: 'defineMcpEndpoint',
  keys: {
    name: 'text',
    version: 'text',
    instructions: 'text',
    tools: 'list',
    agents: 'list',
    prompts: 'list',
    resources: 'list',
    authorization: 'any',
  },
  required: [],
  foreign: {
    agent: 'agents',
    tool: 'tools',
    resource: 'resources',
    auth: 'authorization',
    oauth: 'authorization',
  },
} satisfies LiteralShape<keyof McpEndpointConfig>;

function indexPrompts(prompts: readonly McpPrompt[]): ReadonlyMap<string, McpPrompt> {
  const named = new Map<string, McpPrompt>();
  for (const [index, prompt] of prompts.entries()) {
    const field = `prompts[${index}]`;
    checkPrompt(prompt);
    if (named.has(prompt.name))
      throw new McpEndpointDefinitionError(field, `two prompts are called '${prompt.name}'. Rename one.`);
    named.set(prompt.name, prompt);
  }
  return named;
}

/** Handles a `POST`, or a `GET` that resumes a stream. Its errors become problem responses. */
type ServeRequest = (request: EndpointRequest) => Promise<Response>;

interface EndpointRoutes {
  readonly serve: ServeRequest;
  /** Absent if clients must already know the authorization server. */
  readonly authorization: McpAuthorization | undefined;
  /** The path prefix of the app, as configured. */
  readonly basePath: string | undefined;
}

/** The path of an app's MCP endpoint. */
const MCP_PATH = '/mcp';

export function createMcpRoutes({ serve, authorization, basePath = '' }: EndpointRoutes): readonly Route[] {
  const refuse =
    authorization &&
    ((problem: Problem, asked: RequestUrl) => addAuthenticateHeader(problem, asked, authorization));
  const told = refuse && { refuse };
  return [
    { ...createCallRoute(serve), ...told },
    { ...createResumeRoute(serve), ...told },
    ...(authorization ? createMetadataRoutes(authorization, basePath) : []),
  ];
}

const createCallRoute = (serve: ServeRequest) =>
  defineRoute({
    method: 'POST',
    path: MCP_PATH,
    access: 'caller',
    isCounted: true,
    streams: true,
    link: 'mcp',
    handle: async (asked) =>
      serve(toEndpointRequest(asked, await readBytes(asked.request, asked.host.maxBodyBytes))),
  });

const createResumeRoute = (serve: ServeRequest) =>
  defineRoute({
    method: 'GET',
    path: MCP_PATH,
    access: 'caller',
    streams: true,
    handle: (asked) => serve(toEndpointRequest(asked)),
  });

/** Returns the request with its complete body, which the app has checked against its size limit. */
function toEndpointRequest(asked: CallerRequest, body?: Uint8Array): EndpointRequest {
  const { host, env, base = '', caller, request, requestId, execution } = asked;
  const { url, method, headers, signal } = request;
  return {
    host: toInvokedHost(host, env, execution),
    env,
    base,
    caller,
    request: new Request(url, { method, headers, signal, ...(body && { body }) }),
    context: readContextHeaders(headers, host.contextHeaders),
    requestId,
  };
}

/**
 * The path prefix for metadata about authorization, before the resource's own path (RFC 9728, section 3.1).
 */
const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Returns the public routes with the authorization metadata, for any origin. At the root of the origin, the
 * metadata is below the endpoint's own path. If an app is mounted below the root, clients find the metadata
 * by the 401 response.
 */
const createMetadataRoutes = (authorization: McpAuthorization, basePath: string): readonly Route[] =>
  [...new Set([METADATA_PATH + MCP_PATH, METADATA_PATH + basePath + MCP_PATH, METADATA_PATH])].map((path) =>
    defineRoute({
      method: 'GET',
      path,
      access: 'open',
      handle: (asked) => Response.json(createMetadata(asked, authorization), { headers: ANY_ORIGIN_HEADERS }),
    }),
  );

const ANY_ORIGIN_HEADERS = { 'access-control-allow-origin': '*' };

function createMetadata({ request, base = '' }: RequestUrl, { servers, scopes }: McpAuthorization) {
  return {
    resource: new URL(base + MCP_PATH, request.url).href,
    authorization_servers: servers,
    ...(scopes && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
}

type RequestUrl = Pick<RouteRequest, 'request' | 'base'>;

/**
 * Adds the location of the authorization metadata to a 401 response. If a token was refused, also adds an
 * error, so the client requests a new token. A request without a token gets no error (RFC 6750, section 3.1).
 */
function addAuthenticateHeader(
  problem: Problem,
  { request, base = '' }: RequestUrl,
  { scopes }: McpAuthorization,
): Response {
  const response = problem.toResponse();
  if (problem.status !== 401) return response;
  const where = new URL(base + METADATA_PATH + MCP_PATH, request.url).href;
  const error = /^bearer /i.test(request.headers.get('authorization') ?? '') ? 'error="invalid_token", ' : '';
  const scope = scopes ? `, scope="${scopes.join(' ')}"` : '';
  response.headers.set('www-authenticate', `Bearer ${error}resource_metadata="${where}"${scope}`);
  return response;
}
