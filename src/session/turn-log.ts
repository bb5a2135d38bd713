import type { TurnError } from '../journal/events.ts';
import type { TurnState } from '../journal/state.ts';
import { hiding, type Log, type LogPlace, type LogTurn, toLog, writeProblems } from '../tool/log.ts';
import { Secrets } from '../tool/secrets.ts';

/** Where the lines of a turn go. */
export interface LoggedTurn {
  /** Unless given, problems go to the console. */
  readonly log?: Log | undefined;
  /** What is known of the turn's place beside its id. */
  readonly place?: LogPlace | undefined;
}

/** The log of one invocation's part of a turn: it names the turn, and hides the secrets of its tools from when they are minted. */
export class TurnLog {
  readonly write: Log;
  #secrets: Secrets = Secrets.NONE;

  constructor({ log = toLog(writeProblems), place = {} }: LoggedTurn, turn: string | undefined) {
    this.write = hiding(log, { ...place, turn }, () => this.#secrets);
  }

  hide(secrets: Secrets): void {
    this.#secrets = secrets;
  }

  /** Tells what a turn has come to, and first why it failed; `thrown`: what nobody had foreseen. */
  ended(turn: TurnState, ms: number, thrown?: unknown): void {
    if (turn.error) this.write(failureOf(turn.error, thrown));
    this.write(lineOf(turn, ms));
  }
}

/** The line of a turn that failed. */
export const failureOf = ({ type, message }: TurnError, thrown?: unknown): Parameters<Log>[0] => ({
  level: 'error',
  event: type === 'stuck' ? 'turn-stuck' : 'turn-failed',
  message: `a turn failed (${type}): ${message}`,
  ...(thrown !== undefined && { thrown }),
});

const lineOf = ({ outcome, error, usage, callsByTool, iterations }: TurnState, ms: number): LogTurn => ({
  level: 'info',
  event: 'turn',
  outcome: outcome ?? 'open',
  ...(error && { error: error.type }),
  ms,
  iterations,
  tokens: { input: usage.inputTokens, output: usage.outputTokens },
  cost: usage.cost ?? null,
  tools: Object.fromEntries(callsByTool),
});
