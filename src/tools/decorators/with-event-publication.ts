import { decorate, unwrapAs } from '../decorate.ts';
import type { AnyTool } from '../tool.ts';
import { type CallEnd, type WatchedCall, watchCall } from './watch-call.ts';

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
 * call has ended (DEC-21). A tool that already publishes to this function, at any depth of decorators, is returned as it
 * is. A call that waits for an answer from outside, or is left for another invocation, is requested again there.
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
