import type { FinalOutcome, StoredEvent, TurnError } from '../../journal/events.ts';
import { reduce } from '../../journal/reduce.ts';
import { emptyState, type SessionState, type TurnArtifact, type TurnState } from '../../journal/state.ts';
import type { Usage } from '../../model/prices.ts';
import type { Json } from '../../tool/json.ts';
import { LISTINGS } from '../../tool/listings.ts';
import type { Signal } from '../../tool/tool-result.ts';
import { openQuestions, type PendingCall, toPendingCall } from '../answers/questions.ts';

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

/** What a client is told of a turn that waits for somebody outside: what there is so far, and for what it waits. */
export interface SuspendedTurn extends Omit<TurnAnswer, 'outcome'> {
  readonly outcome: 'suspended';
  readonly pending: readonly PendingCall[];
}

/** Answers what a turn that has stopped came to, folded from its own events: its answer, or what it waits for. */
export function stoppedTurn(
  session: string,
  agent: string,
  events: readonly StoredEvent[],
): TurnAnswer | SuspendedTurn {
  const turn = foldTurn(events);
  if (!turn) throw new Error('There are no events of the turn.');
  const answer = toAnswer(session, agent, turn);
  if (answer) return answer;
  const pending = openQuestions(events).map(toPendingCall);
  return { ...soFar(session, agent, turn), outcome: 'suspended', pending };
}

function foldTurn(events: readonly StoredEvent[]): TurnState | undefined {
  const state = emptyState();
  for (const stored of events) reduce(state, stored);
  return state.turn;
}

/** The answer of a folded turn; `undefined` while it is open. */
export function toAnswer(session: string, agent: string, turn: TurnState): TurnAnswer | undefined {
  const { outcome, error, signal, object } = turn;
  if (!outcome) return undefined;
  return {
    ...soFar(session, agent, turn),
    outcome,
    ...(object !== undefined && { object }),
    ...(error && { error }),
    ...(signal && { signal }),
  };
}

function soFar(session: string, agent: string, turn: TurnState): Omit<TurnAnswer, 'outcome'> {
  const { id, loopId, text, artifacts, usage, iterations, toolCalls, model } = turn;
  return {
    turn: id,
    loopId,
    session,
    agent,
    text,
    artifacts,
    usage,
    iterations,
    toolCalls,
    model: model ?? null,
  };
}

/**
 * The type of an answer's `object` when the agent's output has the type `Output`: the same when that is JSON, else
 * JSON, of which no more is known.
 */
export type AnswerObject<Output> = [Output] extends [OptionalJson] ? Output : Json;

/** JSON in which properties may be left out, as the types of schemas say it. */
type OptionalJson =
  | null
  | boolean
  | number
  | string
  | undefined
  | readonly OptionalJson[]
  | { readonly [key: string]: OptionalJson };

/**
 * Answers what kinds of tools remember, for whoever looks at a session: without what sources outside told, which may be
 * long.
 */
export const visibleToolMemory = ({ memories }: SessionState): Readonly<Record<string, Json>> =>
  Object.fromEntries([...memories].filter(([slice]) => slice !== LISTINGS.name));
