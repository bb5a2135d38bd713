import type { FinalOutcome, StoredEvent, TurnError } from '../journal/events.ts';
import { reduce } from '../journal/reduce.ts';
import { emptyState, type TurnArtifact, type TurnState } from '../journal/state.ts';
import type { Usage } from '../model/chat-model.ts';
import type { Json } from '../tools/json.ts';
import type { Signal } from '../tools/tool-result.ts';

/** What a client is told of a turn that has ended. */
export interface TurnAnswer {
  readonly turn: string;
  readonly loopId: string;
  readonly session: string;
  readonly agent: string;
  readonly outcome: FinalOutcome;
  readonly text: string;
  /** The text, parsed as the agent's output. */
  readonly object?: Json;
  readonly artifacts: readonly TurnArtifact[];
  readonly usage: Usage;
  readonly iterations: number;
  readonly toolCalls: number;
  readonly model: string | null;
  readonly error?: TurnError;
  /** What ended the turn, when a call sent one. */
  readonly signal?: Signal;
}

/** The answer of a turn, folded from its own events; `undefined` while it is open. */
export function answerOf(
  session: string,
  agent: string,
  events: readonly StoredEvent[],
): TurnAnswer | undefined {
  const state = emptyState();
  for (const { seq, event } of events) reduce(state, seq, event);
  return state.turn && toAnswer(session, agent, state.turn);
}

/** The answer of a folded turn; `undefined` while it is open. */
export function toAnswer(session: string, agent: string, turn: TurnState): TurnAnswer | undefined {
  const { id, loopId, outcome, text, artifacts, usage, iterations, toolCalls, model, error, signal, object } =
    turn;
  if (!outcome) return undefined;
  return {
    turn: id,
    loopId,
    session,
    agent,
    outcome,
    text,
    ...(object !== undefined && { object }),
    artifacts,
    usage,
    iterations,
    toolCalls,
    model: model ?? null,
    ...(error && { error }),
    ...(signal && { signal }),
  };
}
