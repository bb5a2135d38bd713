import { type Principal, ROOT, type SessionEvent } from '../journal/events.ts';
import { TurnMemories } from '../journal/memories.ts';
import { reduce } from '../journal/reduce.ts';
import { createEmptyState, type SessionState } from '../journal/state.ts';
import { ChangeNotifier, computeSha256Hex, TIMERS } from '../tool/async.ts';
import { CODE_PRINCIPAL } from '../tool/call.ts';
import { createRedactingLog, toLog } from '../tool/console-log.ts';
import { collectCredentials, envOfTools, type GivenEnv } from '../tool/env.ts';
import type { Log } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import { Secrets } from '../tool/secrets.ts';
import type { InjectionStrategy } from '../tool/tool.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { type Holder, NO_CREDENTIALS, Slots } from './holder.ts';
import type { Loop, LoopJournal, LoopSpec, TurnScope } from './loop.ts';
import { findFileKeeper, type LoopFiles } from './loop-files.ts';
import { computeTokenCeiling, listTurnUses } from './loop-seams.ts';
import { DEFAULT_LIMITS, DEFAULT_POLICIES, type LoopLimits } from './policies.ts';

/** The config of a loop in memory. All else is as for an agent without declarations. */
export type MemoryLoopConfig = Pick<LoopSpec, 'tools' | 'model'> &
  Partial<Pick<LoopSpec, 'strategies' | 'policies' | 'context'>> & {
    readonly uses?: readonly ModuleUse[] | undefined;
    /** Defaults to the file keeper of `uses`. */
    readonly files?: LoopFiles | undefined;
  } & Partial<Pick<TurnScope, 'turn' | 'secrets' | 'live' | 'inSession'>> & {
    /** Strategies of every loop. Defaults to none. */
    readonly everywhere?: readonly InjectionStrategy[] | undefined;
    readonly limits?: LoopLimits | undefined;
    readonly message?: string | undefined;
    /** The principal of the turn. Defaults to `code`. */
    readonly principal?: Principal | undefined;
    /** Overrides of the holder. Defaults to the system clock, and a turn that is never stopped. */
    readonly holder?: Partial<Holder> | undefined;
    readonly memories?: readonly ToolMemory[] | undefined;
    /** The log, with secrets redacted. Defaults to the console. */
    readonly log?: Log | undefined;
    /** The environment of its tools. Defaults to an empty one. */
    readonly env?: GivenEnv | undefined;
  };

/** A loop, and the state that folds its events. */
export interface MemoryLoop {
  readonly loop: Loop;
  readonly state: SessionState;
}

/**
 * Makes a loop without a session. Its events are folded but not stored, so no other invocation can resume it,
 * and its calls cannot be reconciled later. Calls run through the same code as in a session.
 */
export function createMemoryLoop(config: MemoryLoopConfig): MemoryLoop {
  const {
    turn = crypto.randomUUID(),
    memories = [],
    message = '',
    principal = { id: CODE_PRINCIPAL.id },
  } = config;
  const state = createEmptyState();
  const changes = new ChangeNotifier();
  const emit = (...events: SessionEvent[]): void => {
    for (const event of events) reduce(state, { ...event, seq: state.seq + 1 }, memories);
    changes.notify();
  };
  emit({ type: 'session-opened', incarnation: turn, agent: 'memory' });
  emit({ type: 'turn-started', turn, loopId: turn, message, context: {}, principal });
  const frame = state.turn?.frames.get(ROOT);
  if (!frame) throw new Error('The started turn has no loop.');
  const holder = { ...createLocalHolder(turn), ...config.holder };
  const { env = {} } = config;
  const secrets = (config.secrets ?? Secrets.NONE).hidingToo(collectCredentials(env));
  const scope: TurnScope = {
    session: '',
    agent: '',
    turn,
    startedAt: holder.now(),
    startsBefore: new Map(),
    takeOvers: 0,
    inSession: config.inSession ?? false,
    journal: createJournal(state, emit, changes),
    holder,
    live: config.live ?? { restarted: () => {}, progress: () => {} },
    secrets,
    env: envOfTools(env),
    log: createRedactingLog(config.log ?? toLog(), {}, () => secrets),
    files: config.files ?? findFileKeeper(config.uses ?? [])?.inMemory(),
    slots: new Slots(),
    locks: { passed: new Set() },
    memories: new TurnMemories({ state, memories, log: toLog() }),
    madeTools: new Map(),
    modules: { uses: [], strategies: config.everywhere ?? [] },
  };
  return { loop: { ...scope, spec: toLoopSpec(config), frame }, state };
}

function toLoopSpec({
  limits = DEFAULT_LIMITS,
  tools,
  model,
  everywhere = [],
  ...own
}: MemoryLoopConfig): LoopSpec {
  return {
    instructions: '',
    tools,
    uses: listTurnUses(own.uses ?? [], []),
    strategies: own.strategies ?? everywhere,
    model,
    modelTimeout: {},
    iterations: limits.iterations,
    tokenCeiling: computeTokenCeiling(limits),
    policies: own.policies ?? DEFAULT_POLICIES,
    context: own.context ?? ToolCallContext.EMPTY,
    depth: 0,
  };
}

const createJournal = (
  state: SessionState,
  emit: LoopJournal['emit'],
  changes: ChangeNotifier,
): LoopJournal => ({
  state,
  get changed() {
    return changes.next;
  },
  emit,
  durable: async () => {},
});

/** Returns a holder without a lease, which it therefore cannot lose. */
function createLocalHolder(turn: string): Holder {
  const { signal } = new AbortController();
  return {
    signal,
    modelSignal: signal,
    checkpoint: () => {},
    claim: () => {},
    count: () => {},
    assertHeld: () => {},
    after: TIMERS.after,
    now: () => Date.now(),
    formerHolderGone: async () => {},
    digest: (id) => computeSha256Hex(JSON.stringify([turn, id])),
    takeSteers: () => false,
    late: () => {},
    // The loop's end is not reported to the holder.
    atEnd: () => {},
    credentials: NO_CREDENTIALS,
  };
}
