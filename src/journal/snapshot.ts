import { emptyState, type SessionState, type TurnState } from './state.ts';

/** What a snapshot keeps: all of the state but the messages, which are read from the journal. */
interface Stored
  extends Pick<SessionState, 'seq' | 'incarnation' | 'agent' | 'usage' | 'measured' | 'blackboard'> {
  readonly cells: readonly [string, SessionState['cells'] extends Map<string, infer V> ? V : never][];
  readonly slices: readonly [string, SessionState['slices'] extends Map<string, infer V> ? V : never][];
  readonly turn?: Omit<TurnState, 'frames' | 'callsByTool'> & {
    readonly callsByTool: readonly [string, number][];
  };
}

/** The state as text. Only between turns: an open turn lives in its frames, which are not kept. */
export function toSnapshot(state: SessionState): string {
  const { seq, incarnation, agent, usage, measured, blackboard, cells, slices, turn } = state;
  const kept = turn && { ...turn, frames: undefined, callsByTool: [...turn.callsByTool] };
  return JSON.stringify({
    seq,
    incarnation,
    agent,
    usage,
    measured,
    blackboard,
    cells: [...cells],
    slices: [...slices],
    turn: kept,
  });
}

/** The state that `toSnapshot` wrote, without its messages. */
export function fromSnapshot(body: string): SessionState {
  const stored = JSON.parse(body) as Stored; // written by toSnapshot of this reducer's version
  const { turn, cells, slices, ...rest } = stored;
  return {
    ...emptyState(),
    ...rest,
    cells: new Map(cells),
    slices: new Map(slices),
    turn: turn && {
      ...turn,
      model: turn.model ?? undefined,
      outcome: turn.outcome ?? undefined,
      error: turn.error ?? undefined,
      signal: turn.signal ?? undefined,
      object: turn.object,
      frames: new Map(),
      callsByTool: new Map(turn.callsByTool),
    },
  };
}
