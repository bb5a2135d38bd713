import { checkTime, ToolDefinitionError } from './check-definition.ts';
import { checkedFirst } from './check-input.ts';
import { decorate } from './decorate.ts';
import type { AnyTool, LiveCall } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * The same tool, run by the caller instead: a valid call suspends the turn until its result comes by
 * `POST .../results/{callId}`. A bad input is answered as ever. `expires`: milliseconds until a call without a result is
 * answered by an error; never unless given.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0.
 */
export function manual<T extends AnyTool>(
  tool: T,
  { expires }: { readonly expires?: number | undefined } = {},
): T {
  const receive = leaveToCaller(tool.name, expires);
  return decorate(tool, {
    effect: 'none',
    call: checkedFirst(tool, ({ call }) => receive(call)),
  });
}

/** A tool that the caller runs: each call suspends the turn until its result comes by `POST .../results/{callId}`. */
export interface ManualConfig {
  /** Says that nobody forgot `run`. */
  readonly manual: true;
  readonly run?: undefined;
  /** What other libraries call `run`: a tool that has it is not meant for the caller. */
  readonly execute?: undefined;
  readonly effect?: undefined;
  readonly reconcile?: undefined;
  readonly timeout?: undefined;
  readonly subrequests?: undefined;
  /** Milliseconds until a call without a result is answered by an error; never unless given. */
  readonly expires?: number | undefined;
}

/** Answers how calls of a tool whose literal says `manual` are left to the caller. @throws ToolDefinitionError for a key that says nothing. */
export function manually({ name, effect, reconcile, timeout, subrequests, expires }: ManualLiteral): Receive {
  if ([effect, reconcile, timeout, subrequests].some((said) => said !== undefined)) {
    const problem =
      'it is manual, so the caller runs it: effect, reconcile, timeout and subrequests say nothing.';
    throw new ToolDefinitionError(name, 'manual', problem);
  }
  return leaveToCaller(name, expires);
}

/** As plain JavaScript may write it. */
type ManualLiteral = { readonly name: string; readonly expires?: number | undefined } & {
  readonly [Key in 'effect' | 'reconcile' | 'timeout' | 'subrequests']?: unknown;
};

type Receive = (call: LiveCall) => Promise<ToolResult>;

/**
 * Leaves the running of a tool's calls to the caller, for `expires` milliseconds each.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0.
 */
function leaveToCaller(tool: string, expires: number | undefined): Receive {
  checkTime(tool, { expires });
  return (call) => call.receive({ message: `Run '${call.tool}' and send its result.`, expires });
}
