/** A door for tests. What only runs where Durable Objects do. */
export { SessionObject } from '../../durable-objects/session-object.ts';
export { objectSession } from '../../src/session/object-session.ts';
