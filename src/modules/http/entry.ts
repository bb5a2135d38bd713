/** The entry `holdfast/http`: what an app does with the requests of its clients, before and around its routes. */

export { type CorsConfig, cors } from './cors.ts';
export { type OnBehalfOf, onBehalfOf } from './on-behalf-of.ts';
export { rateLimit } from './rate-limit.ts';
