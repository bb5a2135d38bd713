/** A door for tests. Shared storage code of the object and the in-memory session. */
export { mostBytesOf } from '../../durable-objects/appends.ts';
export { SessionLedger } from '../../durable-objects/ledger.ts';
export { MOST_WAITING } from '../../durable-objects/waiting-turns.ts';
