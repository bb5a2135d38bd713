import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { CallContext } from './call.ts';
import { copyJson } from './copy-json.ts';
import { type Json, shorten } from './json.ts';
import type { LoopView } from './tool.ts';
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

/** How the parts and the tools of a module reach its state. */
export interface ModuleState<Value extends Json, Fact extends Json> {
  /**
   * What is remembered. Of a loop: as the model was shown it. Of a call: with what this call has recorded itself; for
   * `when: 'call'` as of now, with what calls have recorded for their end that still run, in whatever loop they are; for
   * `when: 'batch'` as of the reply that asked for the call, with what earlier calls of the same `serial` have recorded.
   *
   * So a call that reads and records without awaiting anything in between is not overtaken by another.
   *
   * @throws ToolConfigurationError if the app does not have the module, or its state cannot be folded.
   */
  recall(from: Pick<CallContext, 'recall'> | Pick<LoopView, 'recall'>): Value;
  /**
   * Records a fact of this call. One for its `end` that is recorded before the tool's effect is stored with the start of the
   * effect, and counts from then on even if the call is killed. One that is recorded in `run` is stored with the call's end.
   *
   * @throws TypeError if something of the fact is not JSON; ModuleError if it is not as the schema of the facts says;
   *   ToolConfigurationError as `recall`.
   */
  remember(call: Pick<CallContext, 'record'>, fact: Fact, options?: FactOptions): void;
  /** A fact for `Frame.facts`, and for what a strategy notes of a call. */
  fact(fact: Fact, options?: FactOptions): MemoryFact;
}

/** The state of a module, as `defineModule` takes it. `Value` and `Fact` are type aliases of JSON. */
export interface StateConfig<Value extends Json, Fact extends Json> {
  readonly initial: NoInfer<Value>;
  /** Raised when `apply` or `observe` read the same journal otherwise. Defaults to 1. */
  readonly version?: number | undefined;
  /** Defaults to `batch`: a fact takes effect once all calls of the reply have ended, in their order. `call`: as its call ends. */
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
  /** Returns the value with a fact. Pure: it reads no clock, and takes the time from `place.at`. */
  apply?(value: Value, fact: Fact, place: FactPlace): NoInfer<Value>;
  /** Returns the value after something else has happened. Pure, as `apply` is. */
  observe?(value: Value, moment: SessionMoment): NoInfer<Value>;
}

/** A module was defined in a way that cannot work, or its state cannot be folded. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
  /** The name of the module. */
  readonly module: string;

  /** `problem` is a sentence that goes on after "Module 'x': ". */
  constructor(module: string, problem: string, options?: ErrorOptions) {
    super(`Module '${shorten(module, 80)}': ${problem}`, options);
    this.module = module;
  }
}

/** The functions that reach a state. */
export const accessTo = <Value extends Json, Fact extends Json>(
  memory: ToolMemory<Value, Fact>,
  schema?: StandardSchemaV1<Fact>,
): ModuleState<Value, Fact> => ({
  recall: (from) => structuredClone(from.recall(memory)),
  remember: (call, fact, options) => call.record(memory, checked(memory, fact, schema), options),
  fact: (fact, options) => factOf(memory, checked(memory, fact, schema), options),
});

/** Returns the fact as its schema gives it back. @throws ModuleError if it is not as the schema says. */
function checked<Fact>(
  { name }: { readonly name: string },
  fact: Fact,
  schema?: StandardSchemaV1<Fact>,
): Fact {
  if (!schema) return fact;
  const result = schema['~standard'].validate(fact);
  const module = name.slice(APP_MEMORY.length);
  if (result instanceof Promise) {
    result.catch(() => {});
    throw new ModuleError(module, 'the schema of its facts is asynchronous: use a synchronous one.');
  }
  if (!result.issues) return result.value;
  const problems = result.issues.map(({ message }) => message).join(' ');
  throw new ModuleError(module, `a fact is not as its schema says: ${problems}`);
}

/** How the names of an app's own modules begin in the journal, so that none can meet one of the library. */
export const APP_MEMORY = 'app:';

const NAME = /^[a-z][\w-]{0,63}$/i;

/** @throws ModuleError if facts cannot be journaled under the name. */
export function checkName(name: string): void {
  if (!NAME.test(name))
    throw new ModuleError(
      name,
      "a name is a letter and then up to 63 letters, digits, '-' and '_': its facts are journaled under it.",
    );
}

/** A memory whose functions cannot do harm: what they are given is theirs alone, and what they return is JSON. `folding` folds it. */
export function stateOfApp<Value extends Json, Fact extends Json>(
  module: string,
  declared: StateConfig<Value, Fact>,
  folding: object,
): ToolMemory<Value, Fact> {
  const { when = 'batch', scope = 'session', version = 1, unread = 'skip', apply, observe } = declared;
  if (!['call', 'batch'].includes(when))
    throw new ModuleError(module, `'when' is '${when}': use 'call' or 'batch'.`);
  if (!['path', 'session', 'turn'].includes(scope))
    throw new ModuleError(module, `'scope' is '${scope}': use 'path', 'session' or 'turn'.`);
  if (!['skip', 'refuse'].includes(unread))
    throw new ModuleError(module, `'unread' is '${unread}': use 'skip' or 'refuse'.`);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new ModuleError(module, `'version' is ${version}: use a whole number from 1 on.`);
  return {
    name: `${APP_MEMORY}${module}`,
    folding,
    initial: asJson(module, 'initial', declared.initial),
    version,
    when,
    scope,
    unread,
    ...(apply && {
      apply: (value, fact, place) =>
        asJson(module, 'apply', apply.call(declared, structuredClone(value), structuredClone(fact), place)),
    }),
    ...(observe && {
      observe: (value, moment) =>
        asJson(module, 'observe', observe.call(declared, structuredClone(value), moment)),
    }),
  };
}

/** A copy as the journal would give it back. @throws ModuleError that says where it is not JSON. */
function asJson<Value extends Json>(module: string, field: string, value: Value): Value {
  const copy = copyJson(value);
  if (copy.ok) return copy.value as Value; // equal, but for what JSON does not keep
  const { path, what } = copy.problem;
  throw new ModuleError(
    module,
    field === 'initial'
      ? `the value of 'initial' at \`${path}\` is ${what}, which is not JSON.`
      : `'${field}' answered a value that is ${what} at \`${path}\`, which is not JSON.`,
  );
}
