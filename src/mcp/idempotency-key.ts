/**
 * The key of `_meta` that names a call for whoever deduplicates. Our clients send `call.idempotencyKey` under it, and our
 * endpoint knows a retry by it. MCP itself has none: a call that is sent again is another call.
 */
export const IDEMPOTENCY_KEY = 'holdfast/idempotency-key';
