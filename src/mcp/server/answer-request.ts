import {
  ErrorCode,
  LoggingLevelSchema,
  type ServerNotification,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { DEFAULT_POLICIES } from '../../tool-loop/policies.ts';
import { toolNotFound } from '../../tool-loop/tool-not-found.ts';
import type { JsonObject } from '../../tools/json.ts';
import type { EndpointRequest } from '../../worker/host.ts';
import { UnknownTargetError } from '../../worker/target.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';
import { getPrompt, listPrompts } from './answer-prompts.ts';
import { callAgent } from './call-agent.ts';
import { callTool } from './call-tool.ts';
import type { McpPrompt } from './define-mcp-prompt.ts';
import { listTools } from './list-tools.ts';
import type { Publication } from './publish.ts';
import { readCallParams } from './read-call-params.ts';
import { createTelling } from './telling.ts';

/** What an endpoint has to offer. */
export interface Published {
  readonly callable: ReadonlyMap<string, Publication>;
  readonly prompts: ReadonlyMap<string, McpPrompt>;
}

/** One JSON-RPC request, and the HTTP request that it came in. */
export interface RpcRequest {
  readonly within: EndpointRequest;
  readonly method: string;
  readonly params: JsonObject;
  /** Puts a notification on the response. */
  readonly send: (notification: ServerNotification) => Promise<void>;
  /** Aborts when the client has gone. */
  readonly leave: AbortSignal;
}

/**
 * Answers everything that a client asks for but `initialize` and `ping`, which the SDK does.
 *
 * @throws RpcError, and nothing else: what failed inside is logged, and not told.
 */
export async function answerRequest(published: Published, request: RpcRequest): Promise<ServerResult> {
  try {
    return await answer(published, request);
  } catch (thrown) {
    const refused = toRpcError(thrown);
    const isExpected = thrown === refused || thrown instanceof UnknownTargetError || request.leave.aborted;
    if (!isExpected) console.error(`holdfast: request ${request.within.requestId} failed`, thrown);
    throw refused;
  }
}

async function answer(published: Published, request: RpcRequest): Promise<ServerResult> {
  const { within, method, params } = request;
  switch (method) {
    case 'tools/list':
      onlyPage(params);
      return listTools(published.callable, within.host.agents);
    case 'tools/call':
      return call(published.callable, request);
    case 'prompts/list':
      onlyPage(params);
      return listPrompts(published.prompts);
    case 'prompts/get':
      return getPrompt(published.prompts, params);
    case 'logging/setLevel':
      return setLevel(params);
    default:
      throw new RpcError(ErrorCode.MethodNotFound, 'Method not found');
  }
}

/** Nothing is listed on more than one page, so that no cursor was given out. */
function onlyPage({ cursor }: JsonObject): void {
  if (cursor !== undefined)
    throw invalidParams('There is no such page: everything is listed on the first one.');
}

/** Nobody remembers it: each request is answered by itself. What tools say to the user is of the level `info`. */
function setLevel({ level }: JsonObject): ServerResult {
  if (LoggingLevelSchema.safeParse(level).success) return {};
  throw invalidParams(`\`level\` must be one of ${LoggingLevelSchema.options.join(', ')}.`);
}

function call(
  callable: Published['callable'],
  { within, params, send, leave }: RpcRequest,
): Promise<ServerResult> {
  const { name, input, key, progressToken } = readCallParams(params);
  const found = callable.get(name);
  if (!found) throw invalidParams(toolNotFound(name, callable, DEFAULT_POLICIES.unknownTools).content);
  const telling = createTelling({ name, progressToken }, send);
  const calling =
    found.kind === 'tool'
      ? callTool(within, { tool: found.tool, input, key, telling })
      : callAgent(within, { published: found, input, key, telling, leave });
  // What was begun is left in good order, even when its client has gone.
  within.host.waitUntil(calling.catch(() => {}));
  return calling;
}

function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof UnknownTargetError) return invalidParams(thrown.message);
  if (thrown instanceof ConfigurationError) return new RpcError(ErrorCode.InternalError, thrown.message);
  return new RpcError(
    ErrorCode.InternalError,
    'The request failed inside the Worker. What was accepted is kept.',
  );
}
