/** A door for tests. What an object and the in-memory session store by. */
export { mostBytesOf } from '../../durable-objects/appends.ts';
export { SessionLedger } from '../../durable-objects/ledger.ts';
export { MOST_WAITING } from '../../durable-objects/waiting-turns.ts';
