export { SessionObject } from '../durable-objects/session-object.ts';
export default { fetch: () => new Response('ok') };
