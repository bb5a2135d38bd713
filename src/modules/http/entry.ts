/** The entry `holdfast/http`: handling of client requests before and around an app's routes. */

export { type CorsConfig, cors } from './cors.ts';
export { type OnBehalfOf, onBehalfOf } from './on-behalf-of.ts';
export { rateLimit } from './rate-limit.ts';
