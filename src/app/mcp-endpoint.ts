import type { ToolCallContext } from '../tools/tool-call-context.ts';
import type { Caller } from './caller.ts';
import type { Env } from './host.ts';
import type { Invoked } from './invoked.ts';

/** A request that the app hands to an endpoint: its caller is known, it comes from no foreign page, and its size is checked. */
export interface EndpointRequest {
  readonly host: Invoked;
  readonly env: Env;
  readonly caller: Caller;
  /** Its body is there as a whole. Its signal aborts when the client goes. */
  readonly request: Request;
  /** Values of the headers that the app maps; what they are under is up to whoever runs something. */
  readonly context: ToolCallContext;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
}

/**
 * What `createHoldfast({ mcp })` serves at `POST /mcp`. `defineMcpEndpoint` makes it, so an app without one carries nothing of
 * MCP.
 */
export interface McpEndpoint {
  /** The names of the agents that it publishes; each must be one of the app's. */
  readonly agents: readonly string[];
  /** Answers a `POST`. What it throws becomes a problem response. */
  serve(request: EndpointRequest): Promise<Response>;
}
