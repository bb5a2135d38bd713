/** A door for tests. Shared storage code of the object and the in-memory session. */
export { maxBytesOf } from '../../durable-objects/appends.ts';
export { SessionLedger } from '../../durable-objects/ledger.ts';
export { MAX_WAITING_TURNS } from '../../durable-objects/waiting-turns.ts';
