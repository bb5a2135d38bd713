/** One request of a client, as whoever answers it is given it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type RequestId,
  type ServerNotification,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { FailureLog } from '../../worker/refusal.ts';
import type { McpPrompt } from './prompts.ts';
import type { Publication } from './publish.ts';
import type { Readable } from './resources.ts';
import type { EndpointRequest } from './run-for-caller.ts';
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
