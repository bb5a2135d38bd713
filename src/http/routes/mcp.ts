import type { Caller, Env, Invoked, McpEndpoint } from '../../app/host.ts';
import { readBytes } from '../body.ts';
import { contextOfHeaders } from '../context-headers.ts';
import type { HttpHost } from '../http-host.ts';

/** One request to the app's MCP endpoint. */
interface McpExchange {
  readonly host: HttpHost & Invoked;
  readonly env: Env;
  readonly caller: Caller;
  readonly request: Request;
  readonly requestId: string;
}

/** `POST /mcp`: hands the request on as a whole, so that the app's own limit of its size holds. @throws Problem 413 or 400. */
export async function postMcp(
  endpoint: McpEndpoint,
  { host, env, caller, request, requestId }: McpExchange,
): Promise<Response> {
  const { url, method, headers, signal } = request;
  const body = await readBytes(request, host.maxBodyBytes);
  return endpoint.serve({
    host,
    env,
    caller,
    request: new Request(url, { method, headers, body, signal }),
    context: contextOfHeaders(headers, host.contextHeaders),
    requestId,
  });
}
