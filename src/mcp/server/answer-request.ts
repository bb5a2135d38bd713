import {
  isSpecType,
  type ListToolsResult,
  type Result,
  type Tool,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { DEFAULT_POLICIES } from '../../loop/policies.ts';
import { createNotFoundResult } from '../../loop/tool-not-found.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { Host } from '../../worker/host.ts';
import { isUnknownTarget } from '../../worker/target.ts';
import {
  createInternalRpcError,
  createInvalidParamsError,
  IDEMPOTENCY_KEY,
  RPC_CODE,
  RpcError,
} from '../content/rpc.ts';
import { isFirstRequest, toAgentTool } from './agent-tool.ts';
import { type AgentCall, callAgent } from './call-agent.ts';
import { callTool } from './call-tool.ts';
import { type AskingClient, UNASKABLE_CLIENT } from './caller.ts';
import { complete, hasCompletions } from './completion.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import type { Publication } from './publish.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import type { PublishedItems, RpcRequest } from './rpc-request.ts';
import { type AcceptedCall, createNotifier, type Notifier, type ProgressToken } from './stream-position.ts';
import { callAsTask, cancelTask, getTask, supportsTasks, updateTask } from './tasks.ts';

/**
 * Handles every request of a client except `initialize` and `ping`, which the SDK handles.
 *
 * @throws RpcError only. Internal errors are logged, and their details are not sent.
 */
export async function answerRequest(published: PublishedItems, request: RpcRequest): Promise<Result> {
  try {
    return await dispatchRequest(published, request);
  } catch (thrown) {
    const refused = toRpcError(thrown);
    const isExpected = thrown === refused || isUnknownTarget(thrown) || request.leave.aborted;
    if (!isExpected) request.logFailure(request.within.host.log, thrown, request.within.requestId);
    throw refused;
  }
}

async function dispatchRequest(published: PublishedItems, request: RpcRequest): Promise<Result> {
  const answering = isOffered(published, request.method) ? METHODS.get(request.method) : undefined;
  if (!answering) throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
  const result = await answering(published, request);
  return request.era === 'modern' && CACHED_LISTS.has(request.method) ? { ...result, ...CACHING } : result;
}

type MethodHandler = (published: PublishedItems, request: RpcRequest) => Result | Promise<Result>;

const METHODS: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  [
    'tools/list',
    ({ callable }, { within, params }) =>
      listSinglePage(params, () => listTools(callable, within.host.agents)),
  ],
  ['tools/call', ({ callable }, request) => handleCall(callable, request)],
  ['prompts/list', ({ prompts }, { params }) => listSinglePage(params, () => listPrompts(prompts))],
  ['prompts/get', ({ prompts }, request) => getPrompt(prompts, request.params, toAskingClient(request))],
  [
    'resources/list',
    ({ resources }, request) => listSinglePage(request.params, () => listResources(resources, request)),
  ],
  [
    'resources/templates/list',
    ({ resources }, { params }) => listSinglePage(params, () => listTemplates(resources)),
  ],
  ['resources/read', ({ resources }, request) => readResource(resources, request)],
  ['completion/complete', complete],
  ['logging/setLevel', (_, { params }) => setLevel(params)],
  ['tasks/get', getTask],
  ['tasks/update', updateTask],
  ['tasks/cancel', cancelTask],
]);

/** Returns the capabilities to declare to clients. */
export const getCapabilities = (published: PublishedItems) => ({
  resources: published.resources.length > 0,
  completions: hasCompletions(published),
});

/** Returns whether requests of this method are handled: its capability must be declared. */
export function isOffered(published: PublishedItems, method: string): boolean {
  const { resources, completions } = getCapabilities(published);
  if (method.startsWith('resources/') && !resources) return false;
  return METHODS.has(method) && (method !== 'completion/complete' || completions);
}

/** The lists that are the same for every caller and change only with a deployment. */
const CACHED_LISTS: ReadonlySet<string> = new Set(['tools/list', 'prompts/list', 'resources/templates/list']);

/** How long, in ms, and for whom a client can cache lists (MCP specification, Caching). */
export const CACHING = { ttlMs: 5 * 60 * 1000, cacheScope: 'public' } as const;

/** Refuses a cursor. Every list has a single page, so no cursor was issued. */
function listSinglePage<Listed>({ cursor }: JsonObject, list: () => Listed): Listed {
  if (cursor !== undefined)
    throw createInvalidParamsError('There is no such page. The first page lists everything.');
  return list();
}

/** The levels of log messages (MCP specification, Logging). */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * Only validates the level, because requests share no state. Tools' messages to the user have the level
 * `info`.
 */
function setLevel({ level }: JsonObject): Result {
  if (isSpecType.LoggingLevel(level)) return {};
  throw createInvalidParamsError(`\`level\` must be one of ${LEVELS.join(', ')}.`);
}

function handleCall(callable: PublishedItems['callable'], request: RpcRequest): Promise<Result> {
  const { within, id, params, position } = request;
  const { name, input, key, progressToken } = readCallParams(params);
  const found = callable.get(name);
  if (!found)
    throw createInvalidParamsError(
      createNotFoundResult(name, callable, DEFAULT_POLICIES.unknownTools).content,
    );
  const notifier = createNotifier({ name, progressToken }, request.send);
  // A call of a tool stores no data. A call of an agent does, from the moment its message is accepted.
  if (found.kind === 'tool') position.recordCall({ id });
  const onAccepted = (call: AcceptedCall): void =>
    position.recordCall({ id, call: { ...call, progressToken, seq: 0, progress: 0 } });
  const calling =
    found.kind === 'tool'
      ? callTool(within, { tool: found.tool, input, key, notifier, client: toAskingClient(request) })
      : handleAgentCall(request, { published: found, input, key, notifier, onAccepted });
  // A started call runs to its end, even if its client disconnects.
  within.host.waitUntil(calling.catch(() => {}));
  return calling;
}

const toAskingClient = ({ era, client: capabilities, answers, state }: RpcRequest): AskingClient =>
  era === 'modern' ? { capabilities, answers, state } : UNASKABLE_CLIENT;

/**
 * Returns a task if the client supports tasks and begins a call. Otherwise returns the answer of the turn.
 */
function handleAgentCall(
  request: RpcRequest,
  calling: AgentCall & { readonly notifier: Notifier; readonly onAccepted: (call: AcceptedCall) => void },
): Promise<Result> {
  const { leave, position } = request;
  const asking = toAskingClient(request);
  return supportsTasks(request) && isFirstRequest(asking)
    ? callAsTask(request, calling)
    : callAgent(request.within, { ...calling, signal: leave, position, asking });
}

function toRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (isUnknownTarget(thrown)) return createInvalidParamsError(thrown.message);
  if (thrown instanceof ConfigurationError) return new RpcError(RPC_CODE.internalError, thrown.message);
  return createInternalRpcError();
}

/** The params of a `tools/call`. */
interface CallParams {
  readonly name: string;
  readonly input: JsonObject;
  /** The name of the call. A repeated call with the same key counts as the same call. */
  readonly key: string | undefined;
  /** The token that identifies the call in progress notifications. */
  readonly progressToken: ProgressToken | undefined;
}

/** Reads the params of a `tools/call`. @throws RpcError if they are invalid. */
export function readCallParams({ name, arguments: input = {}, _meta = {} }: JsonObject): CallParams {
  if (typeof name !== 'string') throw createInvalidParamsError('`name` must be the name of a tool.');
  if (!isJsonObject(input)) throw createInvalidParamsError('`arguments` must be an object.');
  if (!isJsonObject(_meta)) throw createInvalidParamsError('`_meta` must be an object.');
  return { name, input, key: readIdempotencyKey(_meta), progressToken: readProgressToken(_meta) };
}

function readIdempotencyKey({ [IDEMPOTENCY_KEY]: key }: JsonObject): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw createInvalidParamsError(
    `\`_meta["${IDEMPOTENCY_KEY}"]\` must be 1 to 255 visible ASCII characters.`,
  );
}

function readProgressToken({ progressToken: token }: JsonObject): ProgressToken | undefined {
  if (token === undefined) return undefined;
  if (typeof token === 'string' || Number.isInteger(token)) return token as ProgressToken; // as just checked
  throw createInvalidParamsError('`_meta.progressToken` must be text or a whole number.');
}

/** Handles `tools/list` (MCP specification, Tools): a single page, in the order of publication. */
const listTools = (published: ReadonlyMap<string, Publication>, agents: Host['agents']): ListToolsResult => ({
  tools: Array.from(published.values(), (one) =>
    one.kind === 'tool' ? toListedTool(one.tool) : toAgentTool(getAgent(agents, one.agent), one),
  ),
});

/**
 * Throws a ConfigurationError if the agent is unknown. `createHoldfast` checks agents, but an endpoint can be
 * served without it.
 */
function getAgent(agents: Host['agents'], name: string) {
  const agent = agents.get(name);
  if (!agent) throw new ConfigurationError(`This deployment has no agent '${name}'.`);
  return agent;
}

/**
 * Omits the output schema: a tool can also return text, which clients refuse if a schema promises an object.
 */
function toListedTool({ name, description, inputSchema, effect, metadata: { title } }: AnyTool): Tool {
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description,
    inputSchema: { $schema: SCHEMA_DIALECT, ...inputSchema, type: 'object' },
    annotations: getHints(effect),
  };
}

/** The dialect of all schemas. Many clients assume an older one by default. */
const SCHEMA_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Omits `destructiveHint` and `openWorldHint`, because tools do not declare either property. */
function getHints(effect: AnyTool['effect']): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true };
  return { readOnlyHint: false, idempotentHint: effect === 'idempotent' };
}
