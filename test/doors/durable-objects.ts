/** Internals for tests: exports that run only in workerd, where Durable Objects exist. */
export { SessionObject } from '../../durable-objects/session-object.ts';
export { createObjectSession } from '../../src/session/object-session.ts';
