import { readBytes } from '../body.ts';
import { ANY_OBJECT } from '../description.ts';
import { invoked, type McpEndpoint } from '../host.ts';
import { contextOfHeaders } from '../request-headers.ts';
import { type CallerRequest, defineRoute, type Route } from '../route.ts';

/** Where an app's MCP endpoint is served. */
export const MCP = '/mcp';

/** The route of an app that has an MCP endpoint. */
export const mcpRoute = (endpoint: McpEndpoint): Route =>
  defineRoute({
    method: 'POST',
    path: MCP,
    access: 'caller',
    summary: 'Takes messages of the Model Context Protocol (streamable HTTP, without sessions)',
    body: ANY_OBJECT,
    answers: {
      200: { description: 'What a request is answered', json: ANY_OBJECT, streams: true },
      202: { description: 'A notification was taken' },
    },
    handle: (asked) => serve(endpoint, asked),
  });

/** Hands the request on as a whole, so that the app's own limit of its size holds. @throws Problem 413 or 400. */
async function serve(endpoint: McpEndpoint, asked: CallerRequest): Promise<Response> {
  const { host, env, caller, request, requestId, execution } = asked;
  const here = invoked(host, env, execution);
  const { url, method, headers, signal } = request;
  const body = await readBytes(request, host.maxBodyBytes);
  return endpoint.serve({
    host: here,
    env,
    caller,
    request: new Request(url, { method, headers, body, signal }),
    context: contextOfHeaders(headers, host.contextHeaders),
    requestId,
  });
}
