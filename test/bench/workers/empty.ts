/** A Worker without any code. Measures the minimum cost of starting a Worker. */
import { DurableObject } from 'cloudflare:workers';
export default { fetch: () => new Response('function') };

/** All measured Workers share one configuration, which requires this class. */
export class SessionObject extends DurableObject {}
