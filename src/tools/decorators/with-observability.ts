import { decorate } from '../decorate.ts';
import { SignalError, signalled } from '../signals.ts';
import type { AnyTool } from '../tool.ts';
import type { ToolResult } from '../tool-result.ts';
import { type CallEnd, type WatchedCall, watchCall } from './watch-call.ts';

/** One call, as metrics and traces record it. `ms` is in milliseconds. */
export type ToolObservation = WatchedCall & { readonly ms: number } & ObservedStatus;

/** `errorType`: the reason of an error result, `error` when the tool gave none, or the name of what was thrown. */
type ObservedStatus =
  | { readonly status: 'success'; readonly result: ToolResult }
  | { readonly status: 'error'; readonly errorType: string };

/** Takes observations; what it throws is logged and is nothing to the call. */
export type ToolObserver = (observation: ToolObservation) => unknown;

/**
 * Records each call of a tool once it has ended (DEC-25): its input, how long it took, and its result or the type of its
 * error. Without an observer it records nothing.
 */
export function withObservability<T extends AnyTool>(tool: T, observer?: ToolObserver | undefined): T {
  if (!observer) return decorate(tool, {});
  const call = watchCall(tool, {
    ended: (watched, end, ms) => observer({ ...watched, ms, ...statusOf(end) }),
  });
  return decorate(tool, { call });
}

function statusOf(end: CallEnd): ObservedStatus {
  if (end.type === 'result') return statusOfResult(end.result);
  const { error } = end;
  // A signal is no failure, unless it says so.
  if (error instanceof SignalError) return statusOfResult(signalled(error));
  return { status: 'error', errorType: error instanceof Error ? error.name : typeof error };
}

const statusOfResult = (result: ToolResult): ObservedStatus =>
  result.type === 'error'
    ? { status: 'error', errorType: result.reason ?? 'error' }
    : { status: 'success', result };
