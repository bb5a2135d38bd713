/** A door for tests. Reads requests, and runs where there are no Workers. */
export { readBody } from '../../src/worker/body.ts';
export { idempotencyKeyOf, preferenceOf, wantsEvents } from '../../src/worker/request-headers.ts';
