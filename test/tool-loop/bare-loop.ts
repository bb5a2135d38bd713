import { ROOT, type SessionEvent } from '../../src/journal/events.ts';
import { reduce } from '../../src/journal/reduce.ts';
import { emptyState, type StateSlice } from '../../src/journal/state.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { DEFAULT_LIMITS, type InjectionStrategy, type Loop } from '../../src/tool-loop/loop.ts';
import { runToolLoop } from '../../src/tool-loop/run-tool-loop.ts';
import { Slots } from '../../src/tool-loop/slots.ts';
import { Secrets } from '../../src/tools/secrets.ts';
import type { AnyTool } from '../../src/tools/tool.ts';
import { ToolCallContext } from '../../src/tools/tool-call-context.ts';

interface Options {
  readonly tools: readonly AnyTool[];
  readonly replies: readonly ScriptedReply[];
  readonly slices?: readonly StateSlice[];
  readonly strategies?: readonly InjectionStrategy[];
}

/** A loop without a session around it: what it emits is folded and forgotten. */
export async function runBare({ tools, replies, slices = [], strategies = [] }: Options) {
  const state = emptyState();
  const emit = (...events: SessionEvent[]): void => {
    for (const event of events) reduce(state, state.seq + 1, event, slices);
  };
  const principal = { id: 'ann' };
  emit({ type: 'session-opened', incarnation: 'i', agent: 'tester' });
  emit({ type: 'turn-started', turn: 't1', loopId: 't1', message: 'Go.', context: {}, principal });
  const frame = state.turn?.frames.get(ROOT);
  if (!frame) throw new Error('There is no loop.');
  const model = scriptedModel(replies);
  const { signal } = new AbortController();
  const loop: Loop = {
    turn: 't1',
    frame: ROOT,
    instructions: '',
    tools,
    limits: DEFAULT_LIMITS,
    model,
    strategies,
    context: ToolCallContext.EMPTY,
    secrets: Secrets.NONE,
    inSession: true,
    journal: {
      state,
      get nextSeq() {
        return state.seq + 1;
      },
      emit,
      durable: async () => {},
    },
    live: { restarted: () => {}, progress: () => {} },
    slots: new Slots(),
    run: runToolLoop,
    invocation: {
      signal,
      modelSignal: signal,
      checkpoint: () => {},
      assertHeld: () => {},
      after: () => () => {},
      now: () => 0,
      formerHolderGone: async () => {},
      idempotencyKey: async (call) => call,
    },
  };
  const end = await runToolLoop(loop, frame);
  return { end, state, model, offered: model.requests.map(({ tools }) => tools.map(({ name }) => name)) };
}
