import type { DecisionWait, FinalOutcome, StoredEvent, TurnError } from '../journal/events.ts';
import { reduce } from '../journal/reduce.ts';
import { emptyState, type SessionState, type TurnArtifact, type TurnState } from '../journal/state.ts';
import type { Usage } from '../model/prices.ts';
import type { DecisionKind } from '../tool/call.ts';
import { parseToolInput } from '../tool/check-input.ts';
import type { Json } from '../tool/json.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import { LISTINGS } from '../tool/listings.ts';
import type { Signal } from '../tool/tool-result.ts';
import { openQuestions, type Question } from './questions.ts';

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

/** What a turn that has stopped came to, folded from its own events: its answer, or what it waits for. */
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

/** What kinds of tools remember, for whoever looks at a session: without what sources outside told, which may be long. */
export const visibleToolMemory = ({ memories }: SessionState): Readonly<Record<string, Json>> =>
  Object.fromEntries([...memories].filter(([slice]) => slice !== LISTINGS.name));

/** A call that waits for somebody outside, as whoever answers it is shown it. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  /** What the model sent: parsed, or its text where that is no JSON object. */
  readonly input: Json;
  /** `result`: whoever reads this runs the tool, and sends what came of it. */
  readonly for: 'decision' | 'result';
  readonly message: string;
  /** Of a decision: what may be decided. */
  readonly allows?: readonly DecisionKind[];
  /** What the input of an `edit` must match. */
  readonly schema?: JsonSchema;
  /** The role that may answer. */
  readonly by?: string;
  /** Milliseconds since the epoch after which no answer is taken. */
  readonly expiresAt?: number;
}

/** Shows an open question. */
export function toPendingCall({ call, wait, expiresAt }: Question): PendingCall {
  const parsed = parseToolInput(call.name, call.input);
  return {
    call: call.id,
    tool: call.name,
    input: (wait.for === 'decision' && wait.input) || (parsed.ok ? parsed.input : call.input),
    for: wait.for,
    message: wait.message,
    ...(wait.for === 'decision' && decisionOf(wait)),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const decisionOf = ({ allows, schema, by }: DecisionWait): Pick<PendingCall, 'allows' | 'schema' | 'by'> => ({
  allows,
  ...(allows.includes('edit') && { schema }),
  ...(by !== undefined && { by }),
});
