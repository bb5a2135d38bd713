import { type Principal, ROOT, type SessionEvent } from '../journal/events.ts';
import { reduce } from '../journal/reduce.ts';
import { emptyState, type FrameState, type SessionState, type StateSlice } from '../journal/state.ts';
import { Secrets } from '../tools/secrets.ts';
import { sha256Hex } from '../tools/sha256.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';
import { withBudgets } from './budget.ts';
import { CallLocks } from './call-locks.ts';
import { LiveMemories } from './live-memories.ts';
import { DEFAULT_LIMITS, type Invocation, type Loop, type LoopLimits, withCallLimits } from './loop.ts';
import { DEFAULT_POLICIES } from './policies.ts';
import { Reservations } from './reserve.ts';
import { runToolLoop } from './run-tool-loop.ts';
import { Slots } from './slots.ts';

/** What a loop in memory is made of; the rest is as for an agent that declares nothing. */
export type MemoryLoopConfig = Pick<Loop, 'tools' | 'model'> &
  Partial<Omit<Loop, 'frame' | 'journal' | 'slots' | 'locks' | 'memories' | 'invocation' | 'run'>> & {
    readonly limits?: LoopLimits | undefined;
    readonly message?: string | undefined;
    /** For whom it runs; nobody unless given. */
    readonly principal?: Principal | undefined;
    /** Unless given: the system's time, and nothing ever stops it. */
    readonly invocation?: Partial<Invocation> | undefined;
    readonly slices?: readonly StateSlice[] | undefined;
  };

/** A loop, its turn's own frame, and the state into which it folds what it emits. */
export interface MemoryLoop {
  readonly loop: Loop;
  readonly frame: FrameState;
  readonly state: SessionState;
}

/**
 * A loop without a session: what it emits is folded and forgotten, nobody else may go on with it, and nothing that it
 * started can be reconciled later. The same code runs its calls as in a session.
 */
export function memoryLoop(config: MemoryLoopConfig): MemoryLoop {
  const {
    message = '',
    invocation,
    slices = [],
    limits = DEFAULT_LIMITS,
    turn = crypto.randomUUID(),
    principal = { id: '' },
    ...more
  } = config;
  const state = emptyState();
  const emit = (...events: SessionEvent[]): void => {
    for (const event of events) reduce(state, state.seq + 1, event, slices);
  };
  emit({ type: 'session-opened', incarnation: turn, agent: 'memory' });
  emit({ type: 'turn-started', turn, loopId: turn, message, context: {}, principal });
  const frame = state.turn?.frames.get(ROOT);
  if (!frame) throw new Error('A turn that has started has a loop.');
  const present = { ...alone(turn), ...invocation };
  const loop: Loop = {
    depth: 0,
    instructions: '',
    iterations: limits.iterations,
    callLimits: withCallLimits([], ROOT, limits),
    budgets: withBudgets([], ROOT, limits),
    reservations: new Reservations(),
    kinds: [],
    strategies: more.kinds ?? [],
    made: new Map(),
    policies: DEFAULT_POLICIES,
    inspectors: [],
    transformers: [],
    context: ToolCallContext.EMPTY,
    secrets: Secrets.NONE,
    inSession: false,
    live: { restarted: () => {}, progress: () => {} },
    ...more,
    turn,
    frame: ROOT,
    journal: journalOf(state, emit),
    slots: new Slots(),
    locks: new CallLocks(),
    memories: new LiveMemories(state, slices),
    startedAt: present.now(),
    invocation: present,
    run: runToolLoop,
  };
  return { loop, frame, state };
}

const journalOf = (state: SessionState, emit: Loop['journal']['emit']): Loop['journal'] => ({
  state,
  get nextSeq() {
    return state.seq + 1;
  },
  emit,
  durable: async () => {},
});

/** An invocation that holds no lease and so cannot lose one. */
function alone(turn: string): Invocation {
  const { signal } = new AbortController();
  return {
    signal,
    modelSignal: signal,
    checkpoint: () => {},
    claim: () => {},
    count: () => {},
    assertHeld: () => {},
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    now: () => Date.now(),
    formerHolderGone: async () => {},
    idempotencyKey: (call) => sha256Hex(JSON.stringify([turn, call])),
    takeSteers: () => false,
    late: () => {},
    // Nobody tells it that it is over.
    atEnd: () => {},
  };
}
