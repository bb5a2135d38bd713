/** Internals for tests: parsing requests, and running agents without a Worker. */
export { readBody } from '../../src/worker/body.ts';
export {
  readIdempotencyKey,
  readPreference,
  wantsEvents,
} from '../../src/worker/request-headers.ts';
