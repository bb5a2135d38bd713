import type { Json, JsonLike, ToolCallContext } from '../../../../src/index.ts';
import type { BlackboardEntry, CallRun } from '../../../../src/kinds/entry.ts';
import { createCallBlackboard, createCallState } from '../../../doors/tools.ts';
import { createFakeInvocation } from './fake-invocation.ts';

/** A call with its own state and blackboard, which retain changes even if the call fails. */
export function createFakeCall(changes: Partial<CallRun> = {}) {
  const cells = new Map<string, Json>();
  const board: BlackboardEntry[] = [];
  const call: CallRun = {
    ...createFakeInvocation('tool').call,
    state: createCallState({
      get: (key) => cells.get(key),
      set: (key, value) => void cells.set(key, toStored(value)),
    }),
    blackboard: createCallBlackboard({
      entries: () => [...board],
      add: (value, { name, type }) =>
        void board.push({
          value: toStored(value),
          ...(name !== undefined && { name }),
          ...(type !== undefined && { type }),
        }),
    }),
    ...changes,
  };
  return { call, cells, board, during: (context: ToolCallContext): CallRun => ({ ...call, context }) };
}

/** The form in which a session stores a value. */
export const toStored = (value: JsonLike): Json => JSON.parse(JSON.stringify(value));
