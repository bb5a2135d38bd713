/** Internals for tests: the storage code that the session object and the in-memory session share. */
export { readMaxBytes } from '../../durable-objects/appends.ts';
export { SessionLedger } from '../../durable-objects/ledger.ts';
export { MAX_WAITING_TURNS } from '../../durable-objects/waiting-turns.ts';
