import { LOOPS } from '../../loop/loop-seams.ts';
import type { CallContext, Reconciliation } from '../../tool/call.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import type { CrashableInvocation } from './disturbances.ts';

/** The effect of running a call twice. `reconciled` means a `once` tool with `reconcile`. */
export type RepeatEffect = 'read' | 'idempotent' | 'once' | 'reconciled';

/** One `run` of a tool, as observed from outside. */
export interface SeenRun {
  readonly tool: string;
  readonly care: RepeatEffect;
  readonly call: string;
  readonly key: string;
  /** `false` if the run was cut off, possibly between two effects. */
  readonly isDone: boolean;
}

/** An external effect, as its receiver reported it. */
export interface ReportedEffect {
  readonly name: string;
  readonly key: string | undefined;
}

/**
 * The external world of a play, which outlives every crash. The function that creates the agent receives it.
 */
export interface CrashKit<World = undefined> {
  /** The return value of `options.world` for this play. */
  readonly world: World;
  /**
   * Reports an effect on the world. Can be called from any code. With a key, the effect happens only once, as
   * with a receiver that supports idempotency keys. Await the call, since a crash can happen before and after
   * it. Resolves with `true` if this call caused the effect.
   */
  effect(name: string, key?: string): Promise<boolean>;
  /** Returns whether an effect was reported with this key. For a `reconcile` that asks its receiver. */
  happened(name: string, key: string): boolean;
  /** Returns whether the matrix observed a complete `run` with this key. For any other `reconcile`. */
  ran(idempotencyKey: string): boolean;
}

export interface Watcher {
  before?(run: Omit<SeenRun, 'isDone'>): void | Promise<void>;
  /** Called after a run. If it throws, the run throws the same error, as if its connection had broken. */
  after?(run: SeenRun): void | Promise<void>;
}

interface Run extends Omit<SeenRun, 'isDone'> {
  state: 'cut-off' | 'done' | 'failed';
  value: unknown;
  readonly ended: Promise<unknown>;
}

interface WatchedCall {
  run(change?: Partial<CallContext>): unknown;
  readonly care: RepeatEffect;
  readonly invocation: CrashableInvocation;
}

/** The external world of one play, with all effects on it, independent of the journal. */
export class Effects<World> {
  readonly world: World;
  readonly reported: ReportedEffect[] = [];
  readonly #runs: Run[] = [];
  readonly #watchers: readonly Watcher[];

  constructor(world: World, watchers: readonly Watcher[] = []) {
    this.world = world;
    this.#watchers = watchers;
  }

  /** Every run that did not report a failure. */
  get runs(): readonly SeenRun[] {
    return this.#runs.flatMap(({ state, tool, care, call, key }) =>
      state === 'failed' ? [] : { tool, care, call, key, isDone: state === 'done' },
    );
  }

  /** Returns the kit for one invocation. */
  kit(invocation: CrashableInvocation): CrashKit<World> {
    const hasHappened = (name: string, key: string | undefined): boolean =>
      key !== undefined && this.reported.some((one) => one.name === name && one.key === key);
    return {
      world: this.world,
      effect: (name, key) =>
        invocation.through(
          'effect',
          () => {
            const isNew = !hasHappened(name, key);
            if (isNew) this.reported.push({ name, key });
            return isNew;
          },
          name,
        ),
      happened: hasHappened,
      ran: (key) => this.#runs.some((run) => run.key === key && run.state === 'done'),
    };
  }

  /**
   * Returns a module that passes each `run` through the invocation and records it. `reconciles`: whether
   * tools reconcile calls themselves or this object simulates it.
   */
  watching(invocation: CrashableInvocation, reconciles: 'own' | 'simulated'): ModuleUse {
    const use = createUse(CRASH_MATRIX);
    LOOPS.give(use, {
      run: (call, run, { effect, reconcile }) => {
        const care = effect === 'once' && reconcile ? 'reconciled' : effect;
        return invocation.through('run', () => this.#carryOut({ run, care, invocation }, call), call.tool);
      },
      reconcile: ({ idempotencyKey: key }, next) => (reconciles === 'own' ? next() : this.#answerFor(key)),
    });
    return use;
  }

  async #carryOut({ run: carry, care, invocation }: WatchedCall, call: CallContext): Promise<unknown> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const seen = { tool: call.tool, care, call: call.id, key: call.idempotencyKey };
    const run: Run = { ...seen, state: 'cut-off', value: undefined, ended };
    this.#runs.push(run);
    try {
      for (const watcher of this.#watchers) await watcher.before?.(seen);
      run.value = await carry({
        ask: (question) => invocation.waiting(() => call.ask(question)),
      });
      run.state = 'done';
    } catch (failure) {
      if (!invocation.isCutOff) run.state = 'failed'; // a run that throws reports that it had no effect
      throw failure;
    } finally {
      resolve();
    }
    for (const watcher of this.#watchers) await watcher.after?.({ ...seen, isDone: true });
    return run.value;
  }

  /** Returns the outcome of a call, like an external service that records every run. */
  async #answerFor(key: string): Promise<Reconciliation> {
    const runs = this.#runs.filter((run) => run.key === key);
    await Promise.all(runs.map(({ ended }) => ended));
    const done = runs.find(({ state }) => state === 'done');
    return done ? { done: done.value } : 'not-done';
  }
}

const CRASH_MATRIX = createModule({ name: 'crash-matrix' });
