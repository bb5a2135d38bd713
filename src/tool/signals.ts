import { type Signal, type ToolResult, toolResult } from './tool-result.ts';

/** Thrown by a tool to end its loop. It is never taken for a failure: the call is answered with the reason. */
export class SignalError extends Error {
  override readonly name: string = 'SignalError';
  readonly signal: Signal;

  constructor(signal: Signal) {
    super(signal.reason);
    this.signal = signal;
  }
}

/** Makes what a tool throws when the plan should be made anew: it ends this loop. */
export const replan = (reason: string): SignalError => new SignalError({ type: 'replan', reason });

/** Makes what a tool throws when nothing more is to be done in this loop. */
export const terminateAction = (reason: string): SignalError =>
  new SignalError({ type: 'terminate-action', reason });

/** Makes what a tool throws when nothing more is to be done in this turn, which ends as cancelled. */
export const terminateAgent = (reason: string): SignalError =>
  new SignalError({ type: 'terminate-agent', reason });

/** Makes what a tool throws when whoever supervises the turn wants out: the turn ends as cancelled. */
export const exitEarly = (reason: string): SignalError => new SignalError({ type: 'exit', reason });

/** To throw when a tool cannot work in this deployment; a failure of its work is an ordinary error. */
export class ToolConfigurationError extends SignalError {
  override readonly name = 'ToolConfigurationError';

  constructor(reason: string) {
    super({ type: 'misconfigured', reason });
  }
}

/**
 * The result of a call that was ended by a signal: its reason, for the model, if the loop is ever gone on with. It is no
 * success, since the call broke off.
 */
export const signalled = ({ signal }: SignalError): ToolResult =>
  signal.type === 'misconfigured' || signal.type === 'fail'
    ? toolResult({ type: 'error', message: signal.reason, signal })
    : toolResult({ type: 'text', content: signal.reason, withheld: true, signal });

/**
 * Leaves a call open for another invocation, or for an answer from outside. A decorator lets it pass, and tells nobody
 * that the call has ended: it has not.
 */
export abstract class CallInterrupted extends Error {}
