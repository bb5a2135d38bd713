/** A2A 1.0 as it is on the wire, as far as it is spoken here: its SDK types what it makes of this JSON, and not the JSON. */
import type { Json, JsonObject } from '../../index.ts';

/** One of `text`, `data`, `url` and `raw`, which is base64. */
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
  /** ISO 8601. */
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
  /** Absent in a list that was asked for without them. */
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

interface OfTask {
  readonly taskId: string;
  readonly contextId: string;
}

/** What a stream says, one at a time. */
export type StreamEvent =
  | { readonly task: Task }
  | { readonly statusUpdate: OfTask & { readonly status: TaskStatus; readonly metadata?: JsonObject } }
  | {
      readonly artifactUpdate: OfTask & {
        readonly artifact: Artifact;
        /** Goes behind what was said of the artifact; else it takes the place of that. */
        readonly append: boolean;
        readonly lastChunk: boolean;
      };
    };

/** The errors of the protocol, and of JSON-RPC, by their names. */
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

/** A request that is refused in the words of the protocol. */
export class A2aError extends Error {
  readonly code: number;

  constructor(name: keyof typeof CODES, message: string) {
    super(message);
    this.code = CODES[name];
  }
}

/** Names a request in its response; `null` where it could not be read. */
export type RpcId = string | number | null;

export const resultOf = (id: RpcId, result: object) => ({ jsonrpc: '2.0', id, result });
export const errorOf = (id: RpcId, { code, message }: Pick<A2aError, 'code' | 'message'>) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
