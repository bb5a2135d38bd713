import { decorate, unwrapAs } from '../../tool/decorate.ts';
import type { JsonObject } from '../../tool/json.ts';
import { listen } from '../../tool/listen.ts';
import { CallInterrupted, SignalError, signalled } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { type ToolResult, toolResult } from '../../tool/tool-result.ts';

/** One call, as metrics and traces record it. `ms` is in milliseconds. */
export type ToolObservation = WatchedCall & { readonly ms: number } & ObservedStatus;

/** `errorType`: the reason of an error result, `error` when the tool gave none, or the name of what was thrown. */
type ObservedStatus =
  | { readonly status: 'success'; readonly result: ToolResult }
  | { readonly status: 'error'; readonly errorType: string };

/** Takes observations; what it throws is logged and is nothing to the call. */
export type ToolObserver = (observation: ToolObservation) => unknown;

/**
 * Records each call of a tool once it has ended: its input, how long it took, and its result or the type of its
 * error. Without an observer it records nothing.
 *
 * @example
 * ```ts
 * const timed = withObservability(findOrder, ({ status, ms }) => console.log(status, ms));
 * ```
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

/** What is published of one call: a request, and a response with the same call id. `ms` is in milliseconds. */
export type ToolCallEvent = WatchedCall &
  (
    | { readonly type: 'request' }
    | { readonly type: 'response'; readonly outcome: CallEnd; readonly ms: number }
  );

/** Takes events, in order, each awaited. What it throws is logged and is nothing to the call. */
export type PublishToolCall = (event: ToolCallEvent) => unknown;

const publishers = new WeakMap<AnyTool, PublishToolCall>();

/**
 * Publishes a request when the tool is called, and a response with its result or failure and its running time when the
 * call has ended. A tool that already publishes to this function, at any depth of decorators, is returned as it
 * is. A call that waits for an answer from outside, or is left for another invocation, is requested again there.
 *
 * @example
 * ```ts
 * const published = withEventPublication(refundOrder, (event) => console.log(event.type, event.tool));
 * ```
 */
export function withEventPublication<T extends AnyTool>(tool: T, publish: PublishToolCall): T {
  const isPublishing = (one: AnyTool): one is AnyTool => publishers.get(one) === publish;
  if (unwrapAs(tool, isPublishing)) return tool;
  const call = watchCall(tool, {
    began: (watched) => publish({ type: 'request', ...watched }),
    ended: (watched, outcome, ms) => publish({ type: 'response', ...watched, outcome, ms }),
  });
  const publishing = decorate(tool, { call });
  publishers.set(publishing, publish);
  return publishing;
}

/** A call as those see it who watch it from around the tool; without the secrets of its invocation. */
export interface WatchedCall {
  /** The call's id, the same when the call is run again. */
  readonly call: string;
  /** The name by which the model called it. */
  readonly tool: string;
  /** The model's parsed input, not yet validated. */
  readonly input: JsonObject;
}

/** How a watched call ended. */
export type CallEnd =
  | { readonly type: 'result'; readonly result: ToolResult }
  /** Code around the tool threw, or sent a control-flow signal. It is thrown on. */
  | { readonly type: 'failure'; readonly error: unknown };

/** Told of calls, one thing after another. What it throws is logged and is nothing to the call. */
interface CallWatcher {
  /** The tool does not wait for it; what comes after it does. */
  began?(call: WatchedCall): unknown;
  /** `ms` by the Worker's clock, which stands still between two waits. */
  ended(call: WatchedCall, end: CallEnd, ms: number): unknown;
}

/**
 * The `call` of a tool with somebody who watches. A call that is left for another invocation, or waits for an answer from
 * outside, has not ended: it begins again, under the same id, when it is gone on with.
 */
const watchCall =
  (tool: AnyTool, { began, ended }: CallWatcher): AnyTool['call'] =>
  async (input, call) => {
    const { id, tool: name, secrets } = call;
    const watched: WatchedCall = { call: id, tool: name, input: secrets.redact(input) };
    const tell = (what: () => unknown): Promise<void> => listen(`the watcher of tool '${name}'`, call, what);
    const start = Date.now();
    const begun = tell(() => began?.(watched));
    begun.catch(() => undefined); // A signal of it is thrown where it is awaited.
    const end = async (how: CallEnd): Promise<void> => {
      const ms = Date.now() - start;
      await begun;
      await tell(() => ended(watched, how, ms));
    };
    let result: ToolResult;
    try {
      result = await tool.call(input, call);
    } catch (error) {
      if (error instanceof CallInterrupted) await begun;
      else await end({ type: 'failure', error });
      throw error;
    }
    await end({ type: 'result', result: toolResult(secrets.redact({ ...result })) });
    return result;
  };
