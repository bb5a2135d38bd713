/** A Worker without any code. Measures the cost of any Worker's start. */
import { DurableObject } from 'cloudflare:workers';
export default { fetch: () => new Response('function') };

/** Every measured Worker exports this class, because they share a configuration. */
export class SessionObject extends DurableObject {}
