import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallScope } from './call.ts';
import { copyJson } from './copy-json.ts';
import { type Json, shorten } from './json.ts';
import { literals } from './literals.ts';
import { createModule, type ModuleUse, useOf } from './module-use.ts';
import { OFFERS } from './offers.ts';
import { ended, nameIn } from './shown.ts';
import type { InjectionStrategy, LoopView } from './tool.ts';
import {
  type FactOptions,
  type FactPlace,
  factOf,
  type MemoryFact,
  type MemoryScope,
  type MemoryTiming,
  type SessionMoment,
  type ToolMemory,
} from './tool-memory.ts';

/** A kind of tool, as an app has it: what it remembers of a session, and which tools it offers for it. */
export interface ToolKind extends ModuleUse {
  readonly name: string;
}

/** A kind with a memory, and the doors to it. */
export interface RememberingKind<Value extends Json, Fact extends Json>
  extends ToolKind,
    KindMemory<Value, Fact> {
  readonly memory: ToolMemory<Value, Fact>;
}

/** How the tools and the strategy of a kind reach its memory. */
export interface KindMemory<Value extends Json, Fact extends Json> {
  /**
   * What is remembered. Of a loop: as the model was shown it. Of a call: with what this call has recorded itself; for
   * `when: 'call'` as of now, with what calls have recorded for their end that still run, in whatever loop they are; for
   * `when: 'batch'` as of the reply that asked for the call, with what earlier calls of the same `serial` have recorded.
   *
   * So a call that reads and records without awaiting anything in between is not overtaken by another.
   *
   * @throws ToolConfigurationError when the kind was not given to the app, or its memory cannot be folded.
   */
  recall(from: Pick<CallScope, 'recall'> | Pick<LoopView, 'recall'>): Value;
  /**
   * Records a fact of this call. One for its `end` that is recorded before the tool's effect is stored with the start of the
   * effect, and counts from then on even if the call is killed. One that is recorded in `run` is stored with the call's end.
   *
   * @throws TypeError when something of the fact is not JSON; ToolKindError if it is not as the schema of the facts says;
   *   ToolConfigurationError as `recall`.
   */
  remember(call: Pick<CallScope, 'record'>, fact: Fact, options?: FactOptions): void;
  /** A fact for `Frame.facts`, and for what a strategy notes of a call. */
  fact(fact: Fact, options?: FactOptions): MemoryFact;
}

/** What a kind remembers, as `defineToolKind` takes it. `Value` and `Fact` are type aliases of JSON. */
export interface ToolMemoryConfig<Value extends Json, Fact extends Json> {
  readonly initial: NoInfer<Value>;
  /** Raised when `apply` or `observe` read the same journal otherwise; 1 unless given. */
  readonly version?: number | undefined;
  /** `call`: a fact takes effect as its call ends. `batch`, unless given: once all calls of the reply have ended, in their order. */
  readonly when?: MemoryTiming | undefined;
  /** Defaults to `session`: one value, in which subagents count too. `path`: one for each agent and nested loop. `turn`: one that ends with its turn. */
  readonly scope?: MemoryScope | undefined;
  /**
   * A Standard Schema that checks each fact as it is remembered, before it is journaled. It must be synchronous. Facts of the journal are not checked again: `apply` reads
   * what older code has stored.
   */
  readonly schema?: StandardSchemaV1<Fact> | undefined;
  /**
   * What a deployment without this module does with a session that holds its facts. `refuse`: it treats them as written by a newer deployment, so that
   * requests for the session return 503 `newer-deployment`, its turns wait, and a cancel still works. Defaults to `skip`: it passes them over, and a deployment with the module folds them
   * later.
   */
  readonly unread?: 'skip' | 'refuse' | undefined;
  /** Answers the value with a fact. Pure: it reads no clock, and takes the time from `place.at`. */
  apply?(value: Value, fact: Fact, place: FactPlace): NoInfer<Value>;
  /** Answers the value after something else has happened. Pure, as `apply` is. */
  observe?(value: Value, moment: SessionMoment): NoInfer<Value>;
}

/** The literal that `defineToolKind` takes. */
export interface ToolKindConfig<Value extends Json, Fact extends Json> {
  /** A letter, then letters, digits, `-` and `_`. Facts are journaled under it, so it stays. */
  readonly name: string;
  readonly memory: ToolMemoryConfig<Value, Fact>;
  /** Decides which tools every loop offers; a function is given the doors to the kind's memory. */
  readonly strategy?:
    | InjectionStrategy
    | ((memory: KindMemory<Value, Fact>) => InjectionStrategy)
    | undefined;
}

/** A kind of tool was defined in a way that cannot work, or its memory cannot be folded. */
export class ToolKindError extends Error {
  override readonly name = 'ToolKindError';
  readonly kind: string;

  /** `problem` is a sentence that goes on after "Module 'x': ". */
  constructor(kind: string, problem: string, options?: ErrorOptions) {
    super(`Module '${shorten(kind, 80)}': ${problem}`, options);
    this.kind = kind;
  }
}

/**
 * Makes a kind of tool that remembers nothing, and offers tools in every loop.
 *
 * @example
 * ```ts
 * const kind = defineToolKind({ name: 'refunds-once-found', strategy: refundsOnceFound });
 * ```
 */
export function defineToolKind(config: {
  readonly name: string;
  readonly memory?: undefined;
  readonly strategy: InjectionStrategy;
}): ToolKind;
/**
 * Makes a kind of tool that remembers: tools of it record facts, a fold makes a value of them, and the value is there in every
 * later call, turn and invocation, whatever was killed in between. The kind is given to the app: `createHoldfast({ use: [kind] })`.
 *
 * Memories of an app are journaled as `app:{name}`, so that none can meet one of the library.
 *
 * @example
 * ```ts
 * const uses = defineToolKind({
 *   name: 'uses',
 *   memory: { initial: 0, when: 'call', apply: (count: number, by: number) => count + by },
 * });
 * const counted = (tool: AnyTool) =>
 *   decorate(tool, {
 *     call(input, call) {
 *       uses.remember(call, 1, { on: 'end' });
 *       return tool.call(input, call);
 *     },
 *   });
 * ```
 *
 * @throws ToolKindError when the name is none, `initial` is not JSON, or `when`, `scope` or `version` is none.
 */
export function defineToolKind<Value extends Json, Fact extends Json = never>(
  config: ToolKindConfig<Value, Fact>,
): RememberingKind<Value, Fact>;
export function defineToolKind<Value extends Json, Fact extends Json>(config: {
  readonly name: string;
  readonly memory?: ToolMemoryConfig<Value, Fact> | undefined;
  readonly strategy?:
    | InjectionStrategy
    | ((memory: KindMemory<Value, Fact>) => InjectionStrategy)
    | undefined;
}): ToolKind {
  checkKindLiteral(config);
  const { name, memory: declared } = config;
  checkName(name);
  const module = `${APP_MEMORY}${name}`;
  if (!declared) {
    const kind: ToolKind = useOf(createModule({ name: module }), '', { name });
    OFFERS.give(kind, config.strategy as InjectionStrategy); // a function needs a memory, say the overloads
    return kind;
  }
  const memory = stateOfApp(name, declared);
  const access = accessTo(memory, declared.schema);
  const kind = useOf(createModule({ name: module, state: [memory] }), '', { name, memory, ...access });
  const strategy = typeof config.strategy === 'function' ? config.strategy(access) : config.strategy;
  if (strategy) OFFERS.give(kind, strategy);
  return kind;
}

/** The doors to a memory. */
export const accessTo = <Value extends Json, Fact extends Json>(
  memory: ToolMemory<Value, Fact>,
  schema?: StandardSchemaV1<Fact>,
): KindMemory<Value, Fact> => ({
  recall: (from) => structuredClone(from.recall(memory)),
  remember: (call, fact, options) => call.record(memory, checked(memory, fact, schema), options),
  fact: (fact, options) => factOf(memory, checked(memory, fact, schema), options),
});

/** Returns the fact as its schema gives it back. @throws ToolKindError if it is not as the schema says. */
function checked<Fact>(
  { name }: { readonly name: string },
  fact: Fact,
  schema?: StandardSchemaV1<Fact>,
): Fact {
  if (!schema) return fact;
  const result = schema['~standard'].validate(fact);
  const kind = name.slice(APP_MEMORY.length);
  if (result instanceof Promise) {
    result.catch(() => {});
    throw new ToolKindError(kind, 'the schema of its facts is asynchronous: use a synchronous one.');
  }
  if (!result.issues) return result.value;
  const problems = result.issues.map(({ message }) => message).join(' ');
  throw new ToolKindError(kind, `a fact is not as its schema says: ${problems}`);
}

/** In development: @throws ToolKindError if a key is unknown, missing or of another kind. */
function checkKindLiteral(config: { readonly memory?: unknown }): void {
  const fault = literals?.fault(config, 'defineToolKind');
  const inMemory =
    config.memory === undefined ? undefined : literals?.fault(config.memory, 'the memory of a kind');
  const problem = fault ? `it ${fault.problem}` : inMemory && `its memory ${inMemory.problem}`;
  if (problem !== undefined) throw new ToolKindError(nameIn(config), ended(problem));
}

/** What the names of memories begin with that apps define. */
export const APP_MEMORY = 'app:';

const NAME = /^[a-z][\w-]{0,63}$/i;

/** @throws ToolKindError if facts cannot be journaled under the name. */
export function checkName(name: string): void {
  if (!NAME.test(name))
    throw new ToolKindError(
      name,
      "a name is a letter and then up to 63 letters, digits, '-' and '_': its facts are journaled under it.",
    );
}

/** A memory whose functions cannot do harm: what they are given is theirs alone, and what they answer is JSON. */
export function stateOfApp<Value extends Json, Fact extends Json>(
  kind: string,
  declared: ToolMemoryConfig<Value, Fact>,
): ToolMemory<Value, Fact> {
  const { when = 'batch', scope = 'session', version = 1, unread = 'skip', apply, observe } = declared;
  if (!['call', 'batch'].includes(when))
    throw new ToolKindError(kind, `'when' is '${when}': use 'call' or 'batch'.`);
  if (!['path', 'session'].includes(scope))
    throw new ToolKindError(kind, `'scope' is '${scope}': use 'path' or 'session'.`);
  if (!['skip', 'refuse'].includes(unread))
    throw new ToolKindError(kind, `'unread' is '${unread}': use 'skip' or 'refuse'.`);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new ToolKindError(kind, `'version' is ${version}: use a whole number from 1 on.`);
  return {
    name: `${APP_MEMORY}${kind}`,
    initial: asJson(kind, 'initial', declared.initial),
    version,
    when,
    scope,
    unread,
    ...(apply && {
      apply: (value, fact, place) =>
        asJson(kind, 'apply', apply.call(declared, structuredClone(value), structuredClone(fact), place)),
    }),
    ...(observe && {
      observe: (value, moment) =>
        asJson(kind, 'observe', observe.call(declared, structuredClone(value), moment)),
    }),
  };
}

/** A copy as the journal would give it back. @throws ToolKindError that says where it is not JSON. */
function asJson<Value extends Json>(kind: string, field: string, value: Value): Value {
  const copy = copyJson(value);
  if (copy.ok) return copy.value as Value; // equal, but for what JSON does not keep
  const { path, what } = copy.problem;
  throw new ToolKindError(
    kind,
    field === 'initial'
      ? `the value of 'initial' at \`${path}\` is ${what}, which is not JSON.`
      : `'${field}' answered a value that is ${what} at \`${path}\`, which is not JSON.`,
  );
}
