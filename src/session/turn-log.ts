import type { TurnError } from '../journal/events.ts';
import type { TurnState } from '../journal/state.ts';
import type { Log, LogPlace } from '../tool/log.ts';

/** Where the lines of a turn go. */
export interface LoggedTurn {
  /** Unless given, problems go to the console. */
  readonly log?: Log | undefined;
  /** What is known of the turn's place beside its id. */
  readonly place?: LogPlace | undefined;
}

/** Logs the outcome of a turn that took so many `ms`, and first why it failed; `thrown`: what nobody had foreseen. */
export function logEnd(
  log: Log,
  turn: TurnState,
  { ms, thrown }: { readonly ms: number; readonly thrown?: unknown },
): void {
  const { outcome = 'open', error, usage, callsByTool, iterations } = turn;
  if (error) log(failureOf(error, thrown));
  log({
    level: 'info',
    event: 'turn',
    outcome,
    ...(error && { error: error.type }),
    ms,
    iterations,
    tokens: { input: usage.inputTokens, output: usage.outputTokens },
    cost: usage.cost ?? null,
    tools: Object.fromEntries(callsByTool),
  });
}

/** The line of a turn that failed. */
export const failureOf = ({ type, message }: TurnError, thrown?: unknown): Parameters<Log>[0] => ({
  level: 'error',
  event: type === 'stuck' ? 'turn-stuck' : 'turn-failed',
  message: `a turn failed (${type}): ${message}`,
  ...(thrown !== undefined && { thrown }),
});
