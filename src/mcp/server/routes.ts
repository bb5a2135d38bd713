/** Where an endpoint is found: the routes that it brings to its app. */
import { readBytes } from '../../worker/body.ts';
import type { Problem } from '../../worker/problem.ts';
import { contextOfHeaders } from '../../worker/request-headers.ts';
import { type CallerRequest, defineRoute, type Route, type RouteRequest } from '../../worker/route.ts';
import { invoked } from '../../worker/target.ts';
import type { EndpointRequest } from './endpoint-request.ts';

/** Who signs in the callers of an endpoint. Their tokens are checked by the app's own `auth`. */
export interface McpAuthorization {
  /** The issuers of OAuth authorization servers: `https://login.example`. */
  readonly servers: readonly string[];
  /** What clients ask them for. */
  readonly scopes?: readonly string[] | undefined;
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
const MCP = '/mcp';

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
    path: MCP,
    access: 'caller',
    isCounted: true,
    streams: true,
    link: 'mcp',
    handle: async (asked) => serve(handedOn(asked, await readBytes(asked.request, asked.host.maxBodyBytes))),
  });

const resumeMcp = (serve: Serve) =>
  defineRoute({
    method: 'GET',
    path: MCP,
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
  [...new Set([WELL_KNOWN + MCP, WELL_KNOWN + basePath + MCP, WELL_KNOWN])].map((path) =>
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
    resource: new URL(base + MCP, request.url).href,
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
  const where = new URL(base + WELL_KNOWN + MCP, request.url).href;
  const error = /^bearer /i.test(request.headers.get('authorization') ?? '') ? 'error="invalid_token", ' : '';
  const scope = scopes ? `, scope="${scopes.join(' ')}"` : '';
  response.headers.set('www-authenticate', `Bearer ${error}resource_metadata="${where}"${scope}`);
  return response;
}
