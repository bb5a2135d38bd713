import { createToolResult, type Signal, type ToolResult } from './tool-result.ts';

/** Thrown by a tool to end its loop. It does not count as a failure: the call's result is the reason. */
export class SignalError extends Error {
  override readonly name: string = 'SignalError';
  readonly signal: Signal;

  constructor(signal: Signal) {
    super(signal.reason);
    this.signal = signal;
  }
}

/**
 * Returns the error that a tool throws to request a new plan. It ends this loop.
 *
 * @example
 * ```ts
 * throw replan('The order has changed.');
 * ```
 */
export const replan = (reason: string): SignalError => new SignalError({ type: 'replan', reason });

/**
 * Returns the error that a tool throws to end this loop.
 *
 * @example
 * ```ts
 * throw terminateAction('There is no such order.'); // the enclosing loop continues
 * ```
 */
export const terminateAction = (reason: string): SignalError =>
  new SignalError({ type: 'terminate-action', reason });

/**
 * Returns the error that a tool throws to end this turn as cancelled.
 *
 * @example
 * ```ts
 * throw terminateAgent('A person takes over.');
 * ```
 */
export const terminateAgent = (reason: string): SignalError =>
  new SignalError({ type: 'terminate-agent', reason });

/**
 * Returns the error that a tool throws to end the turn as cancelled for its supervisor.
 *
 * @example
 * ```ts
 * throw exitEarly('The customer has left.');
 * ```
 */
export const exitEarly = (reason: string): SignalError => new SignalError({ type: 'exit', reason });

/** Thrown if a tool cannot work in this deployment. If only its work fails, throw an ordinary error. */
export class ToolConfigurationError extends SignalError {
  override readonly name = 'ToolConfigurationError';

  constructor(reason: string) {
    super({ type: 'misconfigured', reason });
  }
}

/**
 * Returns the result of a call that a signal ended: its reason, for the model, in case the loop ever resumes.
 * It is not a success, since the call was cut off.
 */
export const toSignalResult = ({ signal }: SignalError): ToolResult =>
  signal.type === 'misconfigured' || signal.type === 'fail'
    ? createToolResult({ type: 'error', message: signal.reason, signal })
    : createToolResult({ type: 'text', content: signal.reason, withheld: true, signal });

/**
 * Thrown to leave a call open, for another invocation or for an answer from outside. A decorator must rethrow
 * it, and must not report the call as ended.
 */
export abstract class CallInterrupted extends Error {}
