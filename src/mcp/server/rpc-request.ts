/** One request of a client, as whoever answers it is given it. */
import {
  type ClientCapabilities,
  isJsonContentType,
  type RequestId,
  type ServerNotification,
} from '@modelcontextprotocol/server';
import { type AwaitedTurn, outcomeElsewhere } from '../../session/watching/turn-outcome.ts';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import { Problem } from '../../worker/problem.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { eventStream, framed } from '../../worker/sse.ts';
import { type SessionAccess, targetOf } from '../../worker/target.ts';
import { turnFeed } from '../../worker/turn-feed.ts';
import { RPC_CODE } from '../content/rpc.ts';
import type { EndpointRequest } from './caller.ts';
import type { McpPrompt } from './prompts.ts';
import type { Publication } from './publish.ts';
import type { Readable } from './resources.ts';
import {
  createNotifier,
  notifyOf,
  primingFrame,
  readEventId,
  type Seen,
  type SeenCall,
  StreamPosition,
} from './stream-position.ts';
import { toAgentResult } from './to-call-result.ts';

/** What an endpoint has to offer. */
export interface Published {
  readonly callable: ReadonlyMap<string, Publication>;
  readonly prompts: ReadonlyMap<string, McpPrompt>;
  readonly resources: readonly Readable[];
}

/** One JSON-RPC request, and the HTTP request that it came in. */
export interface RpcRequest {
  readonly within: EndpointRequest;
  /** `modern`: of the revision 2026-07-28 or later, in which each request says by itself what its client can do. */
  readonly era: 'modern' | 'legacy';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** What the client says that it can be asked for; nothing is known of one of an older revision. */
  readonly client: ClientCapabilities;
  /** What the client answers to what it was asked, by key: anything at all, for nobody has checked it. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** What it was told to send along with its answers. */
  readonly state: string | undefined;
  /** Puts a notification on the response. */
  readonly send: (notification: ServerNotification) => Promise<void>;
  /** How far the response is told, by which its client takes it up when it breaks. */
  readonly position: StreamPosition;
  /** Aborts when the client has gone. */
  readonly leave: AbortSignal;
  readonly logFailure: FailureLog;
}

/** What a `POST` holds, and in what form it is answered. */
export interface McpMessage {
  /** The body, parsed; the SDK says whether it is a message. */
  readonly body: unknown;
  /** What the client takes. */
  readonly takes: Taken;
}

/** Forms of an answer that a client takes. */
type Taken = 'both' | 'json' | 'events';

/** Reads a request whose size is checked, or refuses it for what no revision of the protocol allows. */
export async function readMessage(request: Request): Promise<McpMessage | Response> {
  const takes = takenBy(request.headers.get('accept'));
  if (!takes) return refusal(406, OF_HTTP, NOT_ACCEPTABLE);
  if (!isJsonContentType(request.headers.get('content-type'))) return refusal(415, OF_HTTP, NO_JSON);
  const text = await request.clone().text();
  const parsed = attempt((): unknown => JSON.parse(text));
  if (!parsed.ok) return refusal(400, RPC_CODE.parseError, 'Parse error: Invalid JSON');
  const body = parsed.value;
  if (isDeep(body)) return refusal(400, RPC_CODE.invalidRequest, TOO_DEEP);
  const problem = Array.isArray(body) ? batchProblem(body) : undefined;
  return problem === undefined ? { body, takes } : refusal(400, RPC_CODE.invalidRequest, problem);
}

/** The method of a message; `undefined` when it has none, or is no message. */
export const methodOf = (body: unknown): string | undefined =>
  isJsonObject(body) && typeof body.method === 'string' ? body.method : undefined;

/**
 * Bounds a batch, which is an array of messages of which older clients may send one: the MCP specification has none since 2025-06-18. One
 * request may begin one turn, or run other code of the app once: its invocation has a budget for that, and whoever limits the
 * requests of a client limits that too. What else is in a batch is answered by what is published, which may be long.
 */
function batchProblem(messages: readonly unknown[]): string | undefined {
  const { length } = messages;
  if (length > MAX_MESSAGES)
    return `A batch may hold ${MAX_MESSAGES} messages, and this one holds ${length}.`;
  if (messages.some((message) => methodOf(message) === 'initialize')) return BEGINS;
  const runs = messages.filter((message) => RUNS_CODE.has(methodOf(message) ?? '')).length;
  if (runs <= 1) return undefined;
  const methods = [...RUNS_CODE].join(', ');
  return `A batch may hold one of ${methods}, and this one holds ${runs}. Send each in a request of its own.`;
}

const MAX_MESSAGES = 20;
/** As the revision with batches has it: the others would be of a session that has not begun. */
const BEGINS = 'A batch may hold no `initialize`. Send it in a request of its own.';

/** Runs code of the app that may cost much, and may answer many bytes. */
const RUNS_CODE: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'resources/list',
  'prompts/get',
  'completion/complete',
]);

/** How deep a message may be nested: the SDK reads some of it by functions that call themselves. */
const MAX_DEPTH = 500;
const TOO_DEEP = `Bad Request: the message is nested more than ${MAX_DEPTH} levels deep`;

function isDeep(message: unknown): boolean {
  let level: unknown[] = [message];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

/** Reads `Accept`, which older clients leave out: `undefined` when the client takes neither form. */
function takenBy(accept: string | null): Taken | undefined {
  const types = (accept || '*/*').split(',').map((range) => range.replace(/;.*$/s, '').trim().toLowerCase());
  const takes = (type: string): boolean =>
    [type, '*/*', type.replace(/\/.*$/, '/*')].some((range) => types.includes(range));
  const json = takes('application/json');
  if (takes('text/event-stream')) return json ? 'both' : 'events';
  return json ? 'json' : undefined;
}

/** The code that the SDK gives to what HTTP alone refuses. */
const OF_HTTP = -32000;
const NOT_ACCEPTABLE =
  'Not Acceptable: what is answered is application/json or text/event-stream. Send Accept: application/json, text/event-stream.';
const NO_JSON = 'Unsupported Media Type: Content-Type must be application/json';

const refusal = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

/**
 * Takes up the stream of a call after the event that its client has seen last: of an agent's call, with what the journal of its
 * session has behind that, until its answer. Whoever asks is checked as every caller is, and finds sessions of their own alone.
 *
 * @throws Problem 405 when no event is named, 400 when it is none of ours, and 404 when its turn is not there for this caller;
 *   SessionError when its session cannot be one.
 */
export async function resumeCall({ callable }: Published, within: EndpointRequest): Promise<Response> {
  const { host, caller, request } = within;
  const last = request.headers.get('last-event-id');
  if (last === null) throw new Problem('method-not-allowed', NO_STREAM, { headers: { allow: 'POST' } });
  const seen = readEventId(last);
  if (!seen) throw new Problem('invalid-header', NO_EVENT);
  const { id, call } = seen;
  const asked = { host, request, execution: { waitUntil: host.waitUntil } };
  if (!call) return eventStream(asked, () => failing(id, NOT_KEPT));
  const published = callable.get(call.name);
  if (published?.kind !== 'agent') throw unknownTurn(call.turn);
  const target = targetOf(within, caller, { agent: published.agent, session: call.session });
  const page = await target.port.read({ from: 1, turn: call.turn, limit: 1 });
  if (!page || page.rows.length === 0) throw unknownTurn(call.turn);
  return eventStream(asked, (signal) => rest({ ...within, target, signal }, { id, call }));
}

const NO_STREAM =
  'Use POST here. A GET takes up the stream of a call that has broken, and needs the id of its last event as Last-Event-ID.';
const NO_EVENT = 'Last-Event-ID is not the id of an event of this endpoint. Send the request again.';
const NOT_KEPT =
  'The connection broke before the answer, and what a tool answers is not kept: nobody can tell whether it has run to its end. ' +
  'Call it again.';
const ERASED = 'The session was erased, and the answer with it.';

const unknownTurn = (turn: string): Problem =>
  new Problem(
    'unknown-turn',
    `There is no turn '${turn.slice(0, 64)}' of yours whose answer could be taken up.`,
  );

/** One error and no id: behind it there is nothing to be taken up. */
async function* failing(id: Seen['id'], message: string): AsyncGenerator<string, void, undefined> {
  yield framed('message', { jsonrpc: '2.0', id, error: { code: RPC_CODE.internalError, message } });
}

/**
 * What the client has not seen yet. When this invocation must end before the turn does, so does the stream, without an answer: the
 * client comes again.
 */
async function* rest(
  at: SessionAccess,
  { id, call }: { readonly id: Seen['id']; readonly call: SeenCall },
): AsyncGenerator<string, void, undefined> {
  const { name, turn, isNew, progressToken, progress } = call;
  const position = new StreamPosition();
  position.begun({ id, call });
  yield primingFrame(await position.primed);
  const told: ServerNotification[] = [];
  const notifier = createNotifier({ name, progressToken, progress }, async (notification) => {
    told.push(notification);
  });
  const notify = notifyOf(notifier);
  for await (const item of turnFeed(at, { turn }, { signal: at.signal })) {
    if (item.type === 'continues') return;
    if (item.type === 'erased') return yield* failing(id, ERASED);
    if (item.type === 'answer' || item.type === 'suspended' || item.type === 'later') break;
    const isEvent = 'seq' in item;
    // Of what was seen only the names of the calls are needed.
    if (isEvent && item.seq <= call.seq && item.type !== 'model-replied') continue;
    if (isEvent && item.seq > call.seq) position.shows(item.seq);
    notify('seq' in item ? { type: 'event', stored: item } : item);
    for (const notification of told.splice(0)) yield frameOf(position, { jsonrpc: '2.0', ...notification });
  }
  const result = toAgentResult(
    { target: at.target, name, isNew },
    await outcomeElsewhere(awaitedOf(at, turn)),
  );
  yield frameOf(position, { jsonrpc: '2.0', id, result });
}

const frameOf = (position: StreamPosition, message: Parameters<StreamPosition['idOf']>[0]): string =>
  framed('message', message, position.idOf(message));

const awaitedOf = ({ host, target, signal }: SessionAccess, turn: string): AwaitedTurn => ({
  port: target.port,
  clock: host.clock,
  meter: host.meter,
  signal,
  session: target.session,
  agent: target.agent.name,
  turn,
});
