/**
 * The JSON of A2A 1.0, as far as this example uses it. The types of the A2A SDK describe the SDK's own
 * objects, not this JSON.
 */
import type { Json, JsonObject } from '../../index.ts';

/** Has exactly one of `text`, `data`, `url` and `raw` (base64). */
export interface Part {
  readonly text?: string;
  readonly data?: Json;
  readonly url?: string;
  readonly raw?: string;
  readonly mediaType?: string;
  readonly filename?: string;
}

export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly Part[];
}

export type TaskState =
  `TASK_STATE_${'SUBMITTED' | 'WORKING' | 'INPUT_REQUIRED' | 'COMPLETED' | 'CANCELED' | 'FAILED'}`;

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** In ISO 8601. */
  readonly timestamp?: string;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts: readonly Part[];
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  /** Absent in a list that was requested without artifacts. */
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

interface TaskReference {
  readonly taskId: string;
  readonly contextId: string;
}

/** An event of a stream. It has exactly one of these properties. */
export type StreamEvent =
  | { readonly task: Task }
  | { readonly statusUpdate: TaskReference & { readonly status: TaskStatus; readonly metadata?: JsonObject } }
  | {
      readonly artifactUpdate: TaskReference & {
        readonly artifact: Artifact;
        /** Whether the parts are appended to the artifact. Otherwise they replace it. */
        readonly append: boolean;
        readonly lastChunk: boolean;
      };
    };

/** The error codes of A2A and JSON-RPC, by our names. */
const CODES = {
  'parse-error': -32700,
  'invalid-request': -32600,
  'method-not-found': -32601,
  'invalid-params': -32602,
  internal: -32603,
  'task-not-found': -32001,
  'task-not-cancelable': -32002,
  'push-not-supported': -32003,
  unsupported: -32004,
  'content-type-not-supported': -32005,
  'no-extended-card': -32007,
  'version-not-supported': -32009,
};

/** Thrown for a request that is refused with an A2A error. */
export class A2aError extends Error {
  readonly code: number;

  constructor(name: keyof typeof CODES, message: string) {
    super(message);
    this.code = CODES[name];
  }
}

/** The request id in a response. `null` if the request has no readable id. */
export type RpcId = string | number | null;

export const createRpcResult = (id: RpcId, result: object) => ({ jsonrpc: '2.0', id, result });
export const createRpcError = (id: RpcId, { code, message }: Pick<A2aError, 'code' | 'message'>) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
