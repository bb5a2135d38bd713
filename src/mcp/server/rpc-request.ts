/** One request of a client, in the form that its handlers receive. */
import {
  type ClientCapabilities,
  isJsonContentType,
  type RequestId,
  type ServerNotification,
} from '@modelcontextprotocol/server';
import { type AwaitedTurn, awaitOutcome } from '../../session/watching/turn-outcome.ts';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { Problem } from '../../worker/problem.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { createEventStream, formatFrame } from '../../worker/sse.ts';
import { createTarget, type SessionAccess } from '../../worker/target.ts';
import { createTurnFeed } from '../../worker/turn-feed.ts';
import { RPC_CODE } from '../content/rpc.ts';
import type { EndpointRequest } from './caller.ts';
import type { McpPrompt } from './prompts.ts';
import type { Publication } from './publish.ts';
import type { PublishedResource } from './resources.ts';
import {
  createNotifier,
  createTurnNotifier,
  formatPrimingFrame,
  readEventId,
  type SeenCall,
  type SeenStream,
  StreamPosition,
} from './stream-position.ts';
import { toAgentResult } from './to-call-result.ts';

/** Everything that an endpoint publishes. */
export interface PublishedItems {
  readonly callable: ReadonlyMap<string, Publication>;
  readonly prompts: ReadonlyMap<string, McpPrompt>;
  readonly resources: readonly PublishedResource[];
}

/** One JSON-RPC request, and the HTTP request that contains it. */
export interface RpcRequest {
  readonly within: EndpointRequest;
  /**
   * `modern` for the revision 2026-07-28 or later, in which each request declares the client's capabilities.
   */
  readonly era: 'modern' | 'legacy';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The capabilities that the client declares in the request. Empty for an older revision. */
  readonly client: ClientCapabilities;
  /** The client's answers to questions, by key. Not validated. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The state from the previous response. */
  readonly state: string | undefined;
  /** Sends a notification on the response. */
  readonly send: (notification: ServerNotification) => Promise<void>;
  /** The progress of the response, from which its client can resume a broken stream. */
  readonly position: StreamPosition;
  /** Aborts when the client disconnects. */
  readonly leave: AbortSignal;
  readonly logFailure: FailureLog;
}

/** The content of a `POST`, and the form of its response. */
export interface McpMessage {
  /** The parsed body. The SDK checks whether it is a message. */
  readonly body: unknown;
  /** The response forms that the client accepts. */
  readonly takes: ResponseForms;
}

/** The response forms that a client can accept. */
type ResponseForms = 'both' | 'json' | 'events';

/** Reads a request of checked size. Returns an error response if no revision of the protocol allows it. */
export async function readMessage(request: Request): Promise<McpMessage | Response> {
  const takes = parseAccept(request.headers.get('accept'));
  if (!takes) return createRefusal(406, HTTP_ERROR_CODE, NOT_ACCEPTABLE_MESSAGE);
  if (!isJsonContentType(request.headers.get('content-type')))
    return createRefusal(415, HTTP_ERROR_CODE, CONTENT_TYPE_MESSAGE);
  const text = await request.clone().text();
  const parsed = attempt((): unknown => JSON.parse(text));
  if (!parsed.ok) return createRefusal(400, RPC_CODE.parseError, 'Parse error: Invalid JSON');
  const body = parsed.value;
  if (isTooDeep(body)) return createRefusal(400, RPC_CODE.invalidRequest, TOO_DEEP_MESSAGE);
  const problem = Array.isArray(body) ? findBatchProblem(body) : undefined;
  return problem === undefined ? { body, takes } : createRefusal(400, RPC_CODE.invalidRequest, problem);
}

/** Returns the method of a message, or `undefined` if it has none or is not a message. */
export const findMethod = (body: unknown): string | undefined =>
  isJsonObject(body) && typeof body.method === 'string' ? body.method : undefined;

/**
 * Returns the problem with a batch, which is an array of messages from an older client (MCP removed batches
 * in 2025-06-18). Only one of them can begin a turn or run other code of the app, because the invocation's
 * budget and the app's rate limit assume so. The others only return published data, which can be long.
 */
function findBatchProblem(messages: readonly unknown[]): string | undefined {
  const { length } = messages;
  if (length > MAX_MESSAGES)
    return `A batch can have at most ${MAX_MESSAGES} messages, but this one has ${length}.`;
  if (messages.some((message) => findMethod(message) === 'initialize')) return INITIALIZE_IN_BATCH_MESSAGE;
  const runs = messages.filter((message) => CODE_METHODS.has(findMethod(message) ?? '')).length;
  if (runs <= 1) return undefined;
  const methods = [...CODE_METHODS].join(', ');
  return `A batch can have only one of ${methods}, but this one has ${runs}. Send each in its own request.`;
}

const MAX_MESSAGES = 20;
/**
 * The only revision with batches forbids this. In other revisions, the other messages would belong to a
 * session that has not begun.
 */
const INITIALIZE_IN_BATCH_MESSAGE = 'A batch cannot contain `initialize`. Send it in its own request.';

/** Methods that run code of the app, possibly with high costs or large responses. */
const CODE_METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'resources/list',
  'prompts/get',
  'completion/complete',
]);

/** The maximum nesting of a message. The SDK reads parts of it with recursive functions. */
const MAX_DEPTH = 500;
const TOO_DEEP_MESSAGE = `Bad Request: the message is nested more than ${MAX_DEPTH} levels deep`;

function isTooDeep(message: unknown): boolean {
  let level: unknown[] = [message];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

/** Reads `Accept`, which older clients omit. Returns `undefined` if the client accepts neither form. */
function parseAccept(accept: string | null): ResponseForms | undefined {
  const types = (accept || '*/*').split(',').map((range) => range.replace(/;.*$/s, '').trim().toLowerCase());
  const acceptsType = (type: string): boolean =>
    [type, '*/*', type.replace(/\/.*$/, '/*')].some((range) => types.includes(range));
  const json = acceptsType('application/json');
  if (acceptsType('text/event-stream')) return json ? 'both' : 'events';
  return json ? 'json' : undefined;
}

/** The SDK's code for errors at the level of HTTP. */
const HTTP_ERROR_CODE = -32000;
const NOT_ACCEPTABLE_MESSAGE =
  'Not Acceptable: the response is application/json or text/event-stream. Send Accept: application/json, text/event-stream.';
const CONTENT_TYPE_MESSAGE = 'Unsupported Media Type: Content-Type must be application/json';

const createRefusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

/**
 * Resumes the stream of an agent's call after the last event that its client has seen. It sends the later
 * events of the session's journal, up to the answer. The caller is checked as on every route, and finds only
 * their own sessions.
 *
 * @throws Problem 405 without an event id, 400 for an invalid id, and 404 if this caller has no such turn.
 * Throws SessionError if the session's name is invalid.
 */
export async function resumeCall({ callable }: PublishedItems, within: EndpointRequest): Promise<Response> {
  const { host, caller, request } = within;
  const last = request.headers.get('last-event-id');
  if (last === null)
    throw new Problem('method-not-allowed', USE_POST_MESSAGE, { headers: { allow: 'POST' } });
  const seen = readEventId(last);
  if (!seen) throw new Problem('invalid-header', UNKNOWN_EVENT_MESSAGE);
  const { id, call } = seen;
  const asked = { host, request, execution: { waitUntil: host.waitUntil } };
  if (!call) return createEventStream(asked, () => yieldError(id, NOT_KEPT_MESSAGE));
  const published = callable.get(call.name);
  if (published?.kind !== 'agent') throw createUnknownTurnProblem(call.turn);
  const target = createTarget(within, caller, { agent: published.agent, session: call.session });
  const page = await target.port.read({ from: 1, turn: call.turn, limit: 1 });
  if (!page || page.rows.length === 0) throw createUnknownTurnProblem(call.turn);
  return createEventStream(asked, (signal) => yieldUnseenEvents({ ...within, target, signal }, { id, call }));
}

const USE_POST_MESSAGE =
  'Use POST here. A GET resumes the broken stream of a call, and needs the id of its last event as Last-Event-ID.';
const UNKNOWN_EVENT_MESSAGE =
  'Last-Event-ID is not the id of an event of this endpoint. Send the request again.';
const NOT_KEPT_MESSAGE =
  'The connection broke before the answer, and results of tools are not stored: it is unknown whether it completed. ' +
  'Call it again.';
const ERASED_MESSAGE = 'The session was erased, and the answer with it.';

const createUnknownTurnProblem = (turn: string): Problem =>
  new Problem('unknown-turn', `You have no turn '${turn.slice(0, 64)}' whose answer can be resumed.`);

/** Yields one error without an id, so the stream cannot be resumed after it. */
async function* yieldError(id: SeenStream['id'], message: string): AsyncGenerator<string, void, undefined> {
  yield formatFrame('message', { jsonrpc: '2.0', id, error: { code: RPC_CODE.internalError, message } });
}

/**
 * Yields the events that the client has not seen. If this invocation must end before the turn, the stream
 * ends without an answer, and the client returns.
 */
async function* yieldUnseenEvents(
  at: SessionAccess,
  { id, call }: { readonly id: SeenStream['id']; readonly call: SeenCall },
): AsyncGenerator<string, void, undefined> {
  const { name, turn, isNew, progressToken, progress } = call;
  const position = new StreamPosition();
  position.recordCall({ id, call });
  yield formatPrimingFrame(await position.firstEventId);
  const told: ServerNotification[] = [];
  const notifier = createNotifier({ name, progressToken, progress }, async (notification) => {
    told.push(notification);
  });
  const notify = createTurnNotifier(notifier);
  for await (const item of createTurnFeed(at, { turn }, { signal: at.signal })) {
    if (item.type === 'continues') return;
    if (item.type === 'erased') return yield* yieldError(id, ERASED_MESSAGE);
    if (item.type === 'answer' || item.type === 'suspended' || item.type === 'later') break;
    const isEvent = 'seq' in item;
    // Events that the client has seen are needed only for the names of calls.
    if (isEvent && item.seq <= call.seq && item.type !== 'model-replied') continue;
    if (isEvent && item.seq > call.seq) position.recordEvent(item.seq);
    notify('seq' in item ? { type: 'event', stored: item } : item);
    for (const notification of told.splice(0)) yield toFrame(position, { jsonrpc: '2.0', ...notification });
  }
  const result = toAgentResult(
    { target: at.target, name, isNew },
    await awaitOutcome(toAwaitedTurn(at, turn)),
  );
  yield toFrame(position, { jsonrpc: '2.0', id, result });
}

const toFrame = (position: StreamPosition, message: Parameters<StreamPosition['idOf']>[0]): string =>
  formatFrame('message', message, position.idOf(message));

const toAwaitedTurn = ({ host, target, signal }: SessionAccess, turn: string): AwaitedTurn => ({
  port: target.port,
  clock: host.clock,
  meter: host.meter,
  signal,
  session: target.session,
  agent: target.agent.name,
  turn,
});
