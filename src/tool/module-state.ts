import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallContext } from './call.ts';
import { copyJson } from './copy-json.ts';
import { type Json, shorten } from './json.ts';
import type { LoopView } from './tool.ts';
import {
  createFact,
  type FactOptions,
  type FactPlace,
  type MemoryFact,
  type MemoryScope,
  type MemoryTiming,
  type SessionMoment,
  type ToolMemory,
} from './tool-memory.ts';

/** Access to the state of a module, for its parts and its tools. */
export interface ModuleState<Value extends Json, Fact extends Json> {
  /**
   * Returns the state. For a loop, returns the state that the model was shown. For a call, includes the facts
   * that the call itself has recorded. With `when: 'call'`, it is the current state, including the end facts
   * of running calls in any loop. With `when: 'batch'`, it is the state as of the reply that made the call,
   * with facts of earlier calls of the same `serial`. A call that reads and records without an `await` in
   * between therefore sees a consistent state.
   *
   * @throws ToolConfigurationError if the app lacks the module, or if its state cannot be folded.
   */
  recall(from: Pick<CallContext, 'recall'> | Pick<LoopView, 'recall'>): Value;
  /**
   * Records a fact of this call. A fact for its `end`, if recorded before the tool's effect, is stored with
   * the start of the effect and then counts even if the call is killed. A fact recorded in `run` is stored
   * with the end of the call.
   *
   * @throws TypeError if part of the fact is not JSON.
   * @throws ModuleError if it does not match the schema of the facts.
   * @throws ToolConfigurationError as `recall` does.
   */
  remember(call: Pick<CallContext, 'record'>, fact: Fact, options?: FactOptions): void;
  /** Makes a fact for `Frame.facts`, or for the remarks of a strategy. */
  fact(fact: Fact, options?: FactOptions): MemoryFact;
}

/** The state of a module, as passed to `defineModule`. `Value` and `Fact` are type aliases of JSON. */
export interface StateConfig<Value extends Json, Fact extends Json> {
  readonly initial: NoInfer<Value>;
  /**
   * The version of the functions. Increase it if `apply` or `observe` would fold the same journal
   * differently. Defaults to 1.
   */
  readonly version?: number | undefined;
  /**
   * When facts take effect. `batch`: once all calls of the reply have ended, in their order. `call`: when
   * their call ends. Defaults to `batch`.
   */
  readonly when?: MemoryTiming | undefined;
  /**
   * The scope of a value. `session`: one value, shared with subagents. `path`: one value for each agent and
   * nested loop. `turn`: a value that ends with its turn. Defaults to `session`.
   */
  readonly scope?: MemoryScope | undefined;
  /**
   * A synchronous Standard Schema that checks each fact before it is journaled. Facts in the journal are not
   * checked again, so `apply` also reads facts of older code.
   */
  readonly schema?: StandardSchemaV1<Fact> | undefined;
  /**
   * How a deployment without this module handles a session with its facts. `refuse`: like facts of a newer
   * deployment. Requests for the session return 503 `newer-deployment` and its turns wait, but it can be
   * cancelled. `skip`: it ignores them, and a deployment with the module folds them later. Defaults to
   * `skip`.
   */
  readonly unread?: 'skip' | 'refuse' | undefined;
  /** Returns the value after a fact. It must be pure: read no clock, and take the time from `place.at`. */
  apply?(value: Value, fact: Fact, place: FactPlace): NoInfer<Value>;
  /** Returns the value after another moment of the session. It must be pure, like `apply`. */
  observe?(value: Value, moment: SessionMoment): NoInfer<Value>;
}

/** Thrown if the definition of a module is invalid, or if its state cannot be folded. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
  /** The name of the module. */
  readonly module: string;

  /** `problem` completes the sentence "Module 'x': ...". */
  constructor(module: string, problem: string, options?: ErrorOptions) {
    super(`Module '${shorten(module, 80)}': ${problem}`, options);
    this.module = module;
  }
}

/** Returns the functions to access a state. */
export const createModuleState = <Value extends Json, Fact extends Json>(
  memory: ToolMemory<Value, Fact>,
  schema?: StandardSchemaV1<Fact>,
): ModuleState<Value, Fact> => ({
  recall: (from) => structuredClone(from.recall(memory)),
  remember: (call, fact, options) => call.record(memory, parseFact(memory, fact, schema), options),
  fact: (fact, options) => createFact(memory, parseFact(memory, fact, schema), options),
});

/**
 * Validates a fact and returns the output of its schema.
 *
 * @throws ModuleError if it does not match the schema.
 */
function parseFact<Fact>(
  { name }: { readonly name: string },
  fact: Fact,
  schema?: StandardSchemaV1<Fact>,
): Fact {
  if (!schema) return fact;
  const result = schema['~standard'].validate(fact);
  const module = name.slice(APP_MEMORY_PREFIX.length);
  if (result instanceof Promise) {
    result.catch(() => {});
    throw new ModuleError(module, "its 'schema' must be synchronous.");
  }
  if (!result.issues) return result.value;
  const problems = result.issues.map(({ message }) => message).join(' ');
  throw new ModuleError(module, `a fact does not match its schema: ${problems}`);
}

/**
 * The prefix of the names of an app's own modules in the journal, so that they do not collide with those of
 * the library.
 */
export const APP_MEMORY_PREFIX = 'app:';

const MODULE_NAME = /^[a-z][\w-]{0,63}$/i;

/** @throws ModuleError if the name cannot be journaled. */
export function checkName(name: string): void {
  if (!MODULE_NAME.test(name))
    throw new ModuleError(
      name,
      "its name must be a letter followed by up to 63 letters, digits, '-' or '_'.",
    );
}

/**
 * Returns a memory that isolates the app's functions: they receive copies, and their results must be JSON.
 * `folding`: the code that folds it.
 */
export function createAppMemory<Value extends Json, Fact extends Json>(
  module: string,
  declared: StateConfig<Value, Fact>,
  folding: object,
): ToolMemory<Value, Fact> {
  const { when = 'batch', scope = 'session', version = 1, unread = 'skip', apply, observe } = declared;
  if (!['call', 'batch'].includes(when))
    throw new ModuleError(module, `'when' is '${when}'. Use 'call' or 'batch'.`);
  if (!['path', 'session', 'turn'].includes(scope))
    throw new ModuleError(module, `'scope' is '${scope}'. Use 'path', 'session' or 'turn'.`);
  if (!['skip', 'refuse'].includes(unread))
    throw new ModuleError(module, `'unread' is '${unread}'. Use 'skip' or 'refuse'.`);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new ModuleError(module, `'version' is ${version}. Use a whole number of at least 1.`);
  return {
    name: `${APP_MEMORY_PREFIX}${module}`,
    folding,
    initial: copyAsJson(module, 'initial', declared.initial),
    version,
    when,
    scope,
    unread,
    ...(apply && {
      apply: (value, fact, place) =>
        copyAsJson(
          module,
          'apply',
          apply.call(declared, structuredClone(value), structuredClone(fact), place),
        ),
    }),
    ...(observe && {
      observe: (value, moment) =>
        copyAsJson(module, 'observe', observe.call(declared, structuredClone(value), moment)),
    }),
  };
}

/**
 * Returns a copy through JSON.
 *
 * @throws ModuleError if part of it is not JSON. The message includes the path.
 */
function copyAsJson<Value extends Json>(module: string, field: string, value: Value): Value {
  const copy = copyJson(value);
  if (copy.ok) return copy.value as Value; // Equal, except for parts that JSON drops.
  const { path, what } = copy.problem;
  throw new ModuleError(
    module,
    field === 'initial'
      ? `the value of 'initial' at \`${path}\` is ${what}, which is not JSON.`
      : `'${field}' returned a value that is ${what} at \`${path}\`, which is not JSON.`,
  );
}
