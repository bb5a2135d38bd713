/** A Worker that does nothing, for what the start of any Worker takes. */
import { DurableObject } from 'cloudflare:workers';
export default { fetch: () => new Response('function') };

/** Every measured Worker has the class that the others have. */
export class SessionObject extends DurableObject {}
