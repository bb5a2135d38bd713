import { LOOPS } from '../../loop/loop-seams.ts';
import type { CallContext, Reconciliation } from '../../tool/call.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import type { CrashableInvocation } from './disturbances.ts';

/** What may happen if a call is run twice; `reconciled`: `once`, and somebody knows what became of it. */
export type Care = 'read' | 'idempotent' | 'once' | 'reconciled';

/** One `run` of a tool, as it was seen from outside. */
export interface SeenRun {
  readonly tool: string;
  readonly care: Care;
  readonly call: string;
  readonly key: string;
  /** It was not cut off before its end, which may be somewhere between what it does. */
  readonly isDone: boolean;
}

/** Something that happened outside, as its receiver reported it. */
export interface ReportedEffect {
  readonly name: string;
  readonly key: string | undefined;
}

/** What a crash matrix gives to a function that makes the agent: the world outside, which outlives every crash of a play. */
export interface CrashKit<World = undefined> {
  /** What `options.world` made for this play. */
  readonly world: World;
  /**
   * Reports an effect on the world, from wherever it happens. With a key it happens once, as at a receiver that honours
   * idempotency keys; without one it happens each time. Must be awaited: a crash may fall before it and after it. Answers
   * whether it happened now.
   */
  effect(name: string, key?: string): Promise<boolean>;
  /** Whether an effect was reported under this key: for a `reconcile` that asks its receiver. */
  happened(name: string, key: string): boolean;
  /** Whether a `run` under this key has been carried out, by what the matrix saw: for any other `reconcile`. */
  ran(idempotencyKey: string): boolean;
}

/** What is called around a `run`. */
export interface Watcher {
  /** It is about to be carried out. */
  before?(run: Omit<SeenRun, 'isDone'>): void | Promise<void>;
  /** It has been carried out; what this throws, the run throws, as if its connection had broken. */
  after?(run: SeenRun): void | Promise<void>;
}

interface Run extends Omit<SeenRun, 'isDone'> {
  state: 'cut-off' | 'done' | 'failed';
  value: unknown;
  readonly ended: Promise<unknown>;
}

interface Carried {
  run(change?: Partial<CallContext>): unknown;
  readonly care: Care;
  readonly invocation: CrashableInvocation;
}

/** The world outside of one play: what happened to it, which no journal is asked about. */
export class Effects<World> {
  readonly world: World;
  readonly reported: ReportedEffect[] = [];
  readonly #runs: Run[] = [];
  readonly #watchers: readonly Watcher[];

  constructor(world: World, watchers: readonly Watcher[] = []) {
    this.world = world;
    this.#watchers = watchers;
  }

  /** Every run that did not say that it had failed. */
  get runs(): readonly SeenRun[] {
    return this.#runs.flatMap(({ state, tool, care, call, key }) =>
      state === 'failed' ? [] : { tool, care, call, key, isDone: state === 'done' },
    );
  }

  /** As one invocation reaches it. */
  kit(invocation: CrashableInvocation): CrashKit<World> {
    const happened = (name: string, key: string | undefined): boolean =>
      key !== undefined && this.reported.some((one) => one.name === name && one.key === key);
    return {
      world: this.world,
      effect: (name, key) =>
        invocation.through(
          'effect',
          () => {
            const isNew = !happened(name, key);
            if (isNew) this.reported.push({ name, key });
            return isNew;
          },
          name,
        ),
      happened,
      ran: (key) => this.#runs.some((run) => run.key === key && run.state === 'done'),
    };
  }

  /**
   * The module of a play that sees every execution: each `run` goes through its invocation. `reconciles`: who answers what became of it,
   * the tool itself or this witness.
   */
  watching(invocation: CrashableInvocation, reconciles: 'own' | 'simulated'): ModuleUse {
    const use = useOf(WATCHED);
    LOOPS.give(use, {
      run: (call, run, { effect, reconcile }) => {
        const care = effect === 'once' && reconcile ? 'reconciled' : effect;
        return invocation.through('run', () => this.#carryOut({ run, care, invocation }, call), call.tool);
      },
      reconcile: ({ idempotencyKey: key }, next) => (reconciles === 'own' ? next() : this.#answerFor(key)),
    });
    return use;
  }

  async #carryOut({ run: carry, care, invocation }: Carried, call: CallContext): Promise<unknown> {
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
      if (!invocation.isCutOff) run.state = 'failed'; // a run that throws is the tool's word that it did nothing
      throw failure;
    } finally {
      resolve();
    }
    for (const watcher of this.#watchers) await watcher.after?.({ ...seen, isDone: true });
    return run.value;
  }

  /** As a receiver answers that knows of every run. */
  async #answerFor(key: string): Promise<Reconciliation> {
    const runs = this.#runs.filter((run) => run.key === key);
    await Promise.all(runs.map(({ ended }) => ended));
    const done = runs.find(({ state }) => state === 'done');
    return done ? { done: done.value } : 'not-done';
  }
}

const WATCHED = createModule({ name: 'crash-matrix' });
