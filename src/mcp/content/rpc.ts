import type { JsonObject } from '../../tool/json.ts';

/** Codes of errors (JSON-RPC 2.0, section 5.1), and some of MCP's own since 2026-07-28. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The headers of the request say something else than its body. */
  headerMismatch: -32020,
  /** The request needs something of its client that this has not declared. */
  missingCapability: -32021,
} as const;

/**
 * Answers a JSON-RPC request that was not carried out. It is of neither SDK: a Worker may have only one of them.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** What a program can read of it. */
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Says that the request cannot be carried out as it is: its sender has to change it. */
export const invalidParams = (message: string): RpcError => new RpcError(RPC_CODE.invalidParams, message);

/** Tells no more than that: what failed is in the log. */
export const failedInside = (): RpcError =>
  new RpcError(RPC_CODE.internalError, 'The request failed inside the Worker. What was accepted is kept.');

/**
 * The key of `_meta` that names a call for whoever deduplicates. Our clients send `call.idempotencyKey` under it, and our
 * endpoint knows a retry by it. MCP itself has none: a call that is sent again is another call.
 */
export const IDEMPOTENCY_KEY = 'holdfast/idempotency-key';
