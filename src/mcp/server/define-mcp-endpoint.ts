import { LIVE_TEXT } from '../../modules/live-text/live-text.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { ended } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { APP } from '../../worker/app-seam.ts';
import { readBytes } from '../../worker/body.ts';
import { mustHaveAgent } from '../../worker/check-app.ts';
import type { Problem } from '../../worker/problem.ts';
import { logFailure } from '../../worker/refusal.ts';
import { contextOfHeaders } from '../../worker/request-headers.ts';
import { type CallerRequest, defineRoute, type Route, type RouteRequest } from '../../worker/route.ts';
import { invoked } from '../../worker/target.ts';
import type { EndpointRequest } from './caller.ts';
import type { McpResource } from './define-mcp-resource.ts';
import { checkPrompt, type McpPrompt } from './prompts.ts';
import {
  checkedAuthorization,
  type McpAuthorization,
  McpEndpointDefinitionError,
  type PublishedAgent,
  publish,
} from './publish.ts';
import { serveMcp } from './serve-mcp.ts';
import { publishResources } from './session-resources.ts';

/** The literal that `defineMcpEndpoint` takes. */
export interface McpEndpointConfig {
  /** What clients know the server by; `holdfast` unless given. */
  readonly name?: string | undefined;
  /** `1` unless given. */
  readonly version?: string | undefined;
  /** What clients may tell their model of the whole. */
  readonly instructions?: string | undefined;
  /**
   * Each call runs the tool once, without a session: nothing of it is kept, and nobody can be asked to approve it. What needs
   * a session is published as an agent that has it.
   */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Each is a tool whose call runs a turn, in a session of the caller that later calls may go on with. */
  readonly agents?: readonly PublishedAgent[] | undefined;
  readonly prompts?: readonly McpPrompt[] | undefined;
  /** What clients may read, besides the files and artifacts of the sessions that these agents have, which their owners read. */
  readonly resources?: readonly McpResource[] | undefined;
  /**
   * Who signs in the endpoint's callers, told to clients that sign in by OAuth (RFC 9728): at `/.well-known/oauth-protected-resource`
   * and with 401. `servers` are issuers of authorization servers, `scopes` what clients ask them for. The tokens are checked by the
   * app's `auth`, which must refuse those that are not for this endpoint. Absent: nothing is told.
   */
  readonly authorization?: McpAuthorization | undefined;
}

/**
 * Declares what an app publishes to MCP clients, at `POST /mcp`: `createHoldfast({ use: [defineMcpEndpoint({ ... })] })`. It
 * answers each request by itself, of any revision of the protocol, so that there is no session of MCP's own; a request that was
 * sent cannot be cancelled by a later one, and holds one call at the most. A `GET` takes up the stream of an agent's call that has
 * broken, by the id of its last event. Callers are known as on every route.
 *
 * @throws McpEndpointDefinitionError when a key is not known or its value of another kind, a tool needs a session, two things have one name, or one cannot be a tool's name.
 *
 * @example
 * ```ts
 * const endpoint = defineMcpEndpoint({ tools: [findOrder], agents: ['support', { agent: 'triage', as: 'ask_triage' }] });
 * ```
 */
export function defineMcpEndpoint(config: McpEndpointConfig): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new McpEndpointDefinitionError(fault.field, `it ${ended(fault.problem)}`);
  const { name = 'holdfast', version = '1', instructions, authorization } = config;
  for (const [field, text] of Object.entries({ name, version })) {
    if (text.trim() === '') throw new McpEndpointDefinitionError(field, `it has a ${field} that is blank.`);
  }
  const { tools = [], agents = [], prompts = [], resources = [] } = config;
  const callable = publish(tools, agents);
  const served = {
    info: { name, version },
    instructions,
    published: {
      callable,
      prompts: promptsByName(prompts),
      resources: publishResources(resources, callable),
    },
    logFailure,
  };
  const told = authorization && checkedAuthorization(authorization);
  const use = useOf(MCP);
  APP.give(use, {
    ...LIVE_TEXT, // a stream that is taken up again tells the progress of its calls
    routes({ host: { agents, basePath } }) {
      for (const one of callable.values()) {
        if (one.kind === 'agent') mustHaveAgent(agents, 'The MCP endpoint publishes the agent', one.agent);
      }
      return mcpRoutes({ serve: (request) => serveMcp(served, request), authorization: told, basePath });
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

function promptsByName(prompts: readonly McpPrompt[]): ReadonlyMap<string, McpPrompt> {
  const named = new Map<string, McpPrompt>();
  for (const [index, prompt] of prompts.entries()) {
    const field = `prompts[${index}]`;
    checkPrompt(prompt);
    if (named.has(prompt.name))
      throw new McpEndpointDefinitionError(field, `two prompts are called '${prompt.name}'.`);
    named.set(prompt.name, prompt);
  }
  return named;
}

/** Answers a `POST`, or a `GET` that takes up a stream. What it throws becomes a problem response. */
type Serve = (request: EndpointRequest) => Promise<Response>;

/** What is served where. */
interface ServedAt {
  readonly serve: Serve;
  /** Absent: clients have to know whose tokens are taken. */
  readonly authorization: McpAuthorization | undefined;
  /** The path below which the app is served, as it says. */
  readonly basePath: string | undefined;
}

/** Where an app's MCP endpoint is served. */
const MCP_PATH = '/mcp';

/** The routes of an endpoint. */
export function mcpRoutes({ serve, authorization, basePath = '' }: ServedAt): readonly Route[] {
  const refuse =
    authorization && ((problem: Problem, asked: Asked) => tellWho(problem, asked, authorization));
  const told = refuse && { refuse };
  return [
    { ...callMcp(serve), ...told },
    { ...resumeMcp(serve), ...told },
    ...(authorization ? metadataRoutes(authorization, basePath) : []),
  ];
}

const callMcp = (serve: Serve) =>
  defineRoute({
    method: 'POST',
    path: MCP_PATH,
    access: 'caller',
    isCounted: true,
    streams: true,
    link: 'mcp',
    handle: async (asked) => serve(handedOn(asked, await readBytes(asked.request, asked.host.maxBodyBytes))),
  });

const resumeMcp = (serve: Serve) =>
  defineRoute({
    method: 'GET',
    path: MCP_PATH,
    access: 'caller',
    streams: true,
    handle: (asked) => serve(handedOn(asked)),
  });

/** The request as a whole, so that the app's own limit of its size holds. */
function handedOn(asked: CallerRequest, body?: Uint8Array): EndpointRequest {
  const { host, env, base = '', caller, request, requestId, execution } = asked;
  const { url, method, headers, signal } = request;
  return {
    host: invoked(host, env, execution),
    env,
    base,
    caller,
    request: new Request(url, { method, headers, signal, ...(body && { body }) }),
    context: contextOfHeaders(headers, host.contextHeaders),
    requestId,
  };
}

/** Where clients look for who signs in, before what they look for it of (RFC 9728, section 3.1). */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Tells anybody, any page included, who signs in for the endpoint. At the root of its origin that is told below the endpoint's own
 * path; what a mounted app is not given of that root, clients find by what they are told with 401.
 */
const metadataRoutes = (authorization: McpAuthorization, basePath: string): readonly Route[] =>
  [...new Set([WELL_KNOWN + MCP_PATH, WELL_KNOWN + basePath + MCP_PATH, WELL_KNOWN])].map((path) =>
    defineRoute({
      method: 'GET',
      path,
      access: 'open',
      handle: (asked) => Response.json(metadata(asked, authorization), { headers: ANY_PAGE }),
    }),
  );

const ANY_PAGE = { 'access-control-allow-origin': '*' };

function metadata({ request, base = '' }: Asked, { servers, scopes }: McpAuthorization) {
  return {
    resource: new URL(base + MCP_PATH, request.url).href,
    authorization_servers: servers,
    ...(scopes && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
  };
}

/** Where a request came in. */
type Asked = Pick<RouteRequest, 'request' | 'base'>;

/**
 * Says with 401 where clients find out who signs in; and of a token that it is not taken, by which a client knows that it needs another
 * one. Who has sent none is told of no error (RFC 6750, section 3.1).
 */
function tellWho(problem: Problem, { request, base = '' }: Asked, { scopes }: McpAuthorization): Response {
  const response = problem.toResponse();
  if (problem.status !== 401) return response;
  const where = new URL(base + WELL_KNOWN + MCP_PATH, request.url).href;
  const error = /^bearer /i.test(request.headers.get('authorization') ?? '') ? 'error="invalid_token", ' : '';
  const scope = scopes ? `, scope="${scopes.join(' ')}"` : '';
  response.headers.set('www-authenticate', `Bearer ${error}resource_metadata="${where}"${scope}`);
  return response;
}
