/** One request of a client, as whoever answers it is given it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  isJsonContentType,
  type RequestId,
  type ServerNotification,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import { RPC_CODE } from '../content/rpc.ts';
import type { EndpointRequest } from './caller.ts';
import type { McpPrompt } from './prompts.ts';
import type { Publication } from './publish.ts';
import type { Readable } from './resources.ts';
import type { StreamPosition } from './stream-position.ts';

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

/** What a client of the revision 2026-07-28 declares in each request (MCP specification, `_meta`). */
export function capabilitiesIn(envelope: unknown): ClientCapabilities {
  const declared: unknown = isJsonObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const read = specTypeSchemas.ClientCapabilities['~standard'].validate(declared);
  return read.issues ? {} : read.value;
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
