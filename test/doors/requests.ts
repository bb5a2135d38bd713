/** A door for tests. Parsing of requests, and runs without a Worker. */
export { readBody } from '../../src/worker/body.ts';
export {
  readIdempotencyKey,
  readPreference,
  wantsEvents,
} from '../../src/worker/request-headers.ts';
