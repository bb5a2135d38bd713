import { decorate, unwrapAs } from '../../tool/decorate.ts';
import type { JsonObject } from '../../tool/json.ts';
import { callListener } from '../../tool/listen.ts';
import { CallInterrupted, SignalError, toSignalResult } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { createToolResult, type ToolResult } from '../../tool/tool-result.ts';

/** One call in metrics and traces. `ms` is in milliseconds. */
export type ToolObservation = WatchedCall & { readonly ms: number } & ObservedStatus;

/**
 * `errorType` is the reason of an error result, `error` if it has no reason, or the name of the thrown error.
 */
type ObservedStatus =
  | { readonly status: 'success'; readonly result: ToolResult }
  | { readonly status: 'error'; readonly errorType: string };

/** Receives observations. If it throws, the error is logged and the call is not affected. */
export type ToolObserver = (observation: ToolObservation) => unknown;

/**
 * Records each call to a tool after it has ended: its input, its duration, and its result or the type of its
 * error. Without an observer, no calls are recorded.
 *
 * @example
 * ```ts
 * const timed = withObservability(findOrder, ({ status, ms }) => console.log(status, ms));
 * ```
 */
export function withObservability<T extends AnyTool>(tool: T, observer?: ToolObserver | undefined): T {
  if (!observer) return decorate(tool, {});
  const call = createWatchedCall(tool, {
    ended: (watched, end, ms) => observer({ ...watched, ms, ...toStatus(end) }),
  });
  return decorate(tool, { call });
}

function toStatus(end: CallEnd): ObservedStatus {
  if (end.type === 'result') return toResultStatus(end.result);
  const { error } = end;
  // A signal counts as a failure only if its result is an error.
  if (error instanceof SignalError) return toResultStatus(toSignalResult(error));
  return { status: 'error', errorType: error instanceof Error ? error.name : typeof error };
}

const toResultStatus = (result: ToolResult): ObservedStatus =>
  result.type === 'error'
    ? { status: 'error', errorType: result.reason ?? 'error' }
    : { status: 'success', result };

/** A published event of a call: a request, or a response with the same call id. `ms` is in milliseconds. */
export type ToolCallEvent = WatchedCall &
  (
    | { readonly type: 'request' }
    | { readonly type: 'response'; readonly outcome: CallEnd; readonly ms: number }
  );

/** Receives events in order, each awaited. If it throws, the error is logged and the call is not affected. */
export type PublishToolCall = (event: ToolCallEvent) => unknown;

const publishers = new WeakMap<AnyTool, PublishToolCall>();

/**
 * Publishes a request when the tool is called, and a response with its result or failure and its duration
 * when the call has ended. Returns a tool unchanged if it or a tool that it decorates already publishes to
 * this function. A call that continues in another invocation, or after an answer, publishes its request
 * again.
 *
 * @example
 * ```ts
 * const published = withEventPublication(refundOrder, (event) => console.log(event.type, event.tool));
 * ```
 */
export function withEventPublication<T extends AnyTool>(tool: T, publish: PublishToolCall): T {
  const isPublishing = (one: AnyTool): one is AnyTool => publishers.get(one) === publish;
  if (unwrapAs(tool, isPublishing)) return tool;
  const call = createWatchedCall(tool, {
    began: (watched) => publish({ type: 'request', ...watched }),
    ended: (watched, outcome, ms) => publish({ type: 'response', ...watched, outcome, ms }),
  });
  const publishing = decorate(tool, { call });
  publishers.set(publishing, publish);
  return publishing;
}

/** A call as passed to a watcher, without the secrets of its invocation. */
export interface WatchedCall {
  /** The call's id. It stays the same if the call runs again. */
  readonly call: string;
  /** The name by which the model called it. */
  readonly tool: string;
  /** The model's parsed input, not yet validated. */
  readonly input: JsonObject;
}

/** The outcome of a watched call. */
export type CallEnd =
  | { readonly type: 'result'; readonly result: ToolResult }
  /** Code around the tool threw an error or a control-flow signal. It is rethrown. */
  | { readonly type: 'failure'; readonly error: unknown };

/**
 * Receives the start and end of calls in order. If it throws, the error is logged and the call is not
 * affected.
 */
interface CallWatcher {
  /** Only `ended` waits for this function, and not the tool. */
  began?(call: WatchedCall): unknown;
  /** `ms` is measured by the Worker's clock, which advances only during I/O. */
  ended(call: WatchedCall, end: CallEnd, ms: number): unknown;
}

/**
 * Returns the `call` of a watched tool. A call that waits for an answer or continues in another invocation
 * has not ended. It starts again with the same id.
 */
const createWatchedCall =
  (tool: AnyTool, { began, ended }: CallWatcher): AnyTool['call'] =>
  async (input, call) => {
    const { id, tool: name, secrets } = call;
    const watched: WatchedCall = { call: id, tool: name, input: secrets.redact(input) };
    const notifyWatcher = (what: () => unknown): Promise<void> =>
      callListener(`the watcher of tool '${name}'`, call, what);
    const start = Date.now();
    const begun = notifyWatcher(() => began?.(watched));
    begun.catch(() => undefined); // A signal from the watcher is thrown where `begun` is awaited.
    const end = async (how: CallEnd): Promise<void> => {
      const ms = Date.now() - start;
      await begun;
      await notifyWatcher(() => ended(watched, how, ms));
    };
    let result: ToolResult;
    try {
      result = await tool.call(input, call);
    } catch (error) {
      if (error instanceof CallInterrupted) await begun;
      else await end({ type: 'failure', error });
      throw error;
    }
    await end({ type: 'result', result: createToolResult(secrets.redact({ ...result })) });
    return result;
  };
