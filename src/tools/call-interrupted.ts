/**
 * Leaves a call open for another invocation, or for an answer from outside. A decorator lets it pass, and tells nobody
 * that the call has ended: it has not.
 */
export abstract class CallInterrupted extends Error {}
