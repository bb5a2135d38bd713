import { CallInterrupted } from '../call-interrupted.ts';
import type { JsonObject } from '../json.ts';
import { listen } from '../listen.ts';
import type { AnyTool } from '../tool.ts';
import { type ToolResult, toolResult } from '../tool-result.ts';

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
export interface CallWatcher {
  /** The tool does not wait for it; what comes after it does. */
  began?(call: WatchedCall): unknown;
  /** `ms` by the Worker's clock, which stands still between two waits. */
  ended(call: WatchedCall, end: CallEnd, ms: number): unknown;
}

/**
 * The `call` of a tool with somebody who watches. A call that is left for another invocation, or waits for an answer from
 * outside, has not ended: it begins again, under the same id, when it is gone on with.
 */
export const watchCall =
  (tool: AnyTool, { began, ended }: CallWatcher): AnyTool['call'] =>
  async (input, invocation) => {
    const { id, tool: name, signal, secrets } = invocation;
    const watched: WatchedCall = { call: id, tool: name, input: secrets.redact(input) };
    const tell = (what: () => unknown): Promise<void> =>
      listen(`the watcher of tool '${name}'`, signal, what);
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
      result = await tool.call(input, invocation);
    } catch (error) {
      if (error instanceof CallInterrupted) await begun;
      else await end({ type: 'failure', error });
      throw error;
    }
    await end({ type: 'result', result: toolResult(secrets.redact({ ...result })) });
    return result;
  };
