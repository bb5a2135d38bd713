import type { HistoryCall, HistoryMessage } from '../../tool/call.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { hasSameTools, opensTools } from '../../tool/decorate.ts';
import { type Json, parseJson } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { createErrorEntry, type Log } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { readName, withFullStop } from '../../tool/shown.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import { getModelText, type ResultData } from '../../tool/tool-result.ts';
import { OFFERS } from '../../tool/uses.ts';
import { UNFOLDING, withOpen } from '../unfolding/strategy.ts';

/**
 * Creates a strategy from a function that decides after each call which tools to add and remove. In the `use`
 * of an agent or an agentic tool, it applies only to that loop, after unfolding and chaining. In the `use` of
 * an app, it applies to every loop. A change lasts from the next model call to the end of the turn or nested
 * loop. An unfolding tool that it adds can be opened as usual.
 *
 * The offered tools are computed from the calls in the journal, so they are the same on every resume. If the
 * function throws, the error is logged and the tools do not change. An object with `offer` instead of
 * `evaluate` decides from the view of the loop before each model call.
 *
 * @throws TypeError if a key is unknown, a key is missing, or a value has another type.
 *
 * @example
 * ```ts
 * const refundsOnceFound = defineInjectionStrategy({
 *   name: 'refunds-once-found',
 *   evaluate: ({ lastCall }) =>
 *     lastCall.tool === 'find_order' && !lastCall.failed ? addTools(refundOrder) : noChange,
 * });
 * ```
 */
export function defineInjectionStrategy(config: InjectionStrategyConfig | InjectionStrategy): ModuleUse {
  const fault = literals?.fault(config, 'offer' in Object(config) ? OFFER_SHAPE : EVALUATE_SHAPE);
  if (fault) throw new TypeError(`Injection strategy '${readName(config)}' ${withFullStop(fault.problem)}`);
  const use = createUse(STRATEGIES_MODULE, config.name);
  OFFERS.give(use, {
    ...('offer' in config ? withUnfoldingSupport(config) : createEvaluatingStrategy(config)),
    own: 'after',
  });
  return use;
}

/** Binds the methods of a strategy, because a copy of a class instance would lose them. */
const withUnfoldingSupport = (strategy: InjectionStrategy): InjectionStrategy => ({
  name: strategy.name,
  discover: strategy.discover,
  uses: [UNFOLDING, ...(strategy.uses ?? [])],
  offer: (tools, view) => openNewTools(strategy.offer(tools, view), tools, view),
  ...(strategy.mayBecome && { mayBecome: strategy.mayBecome.bind(strategy) }),
  ...(strategy.remarkOn && { remarkOn: strategy.remarkOn.bind(strategy) }),
});

/**
 * Returns the tools. If they include unfolding tools that are not in `before`, adds the tools inside those
 * that are open.
 */
const openNewTools = (
  tools: readonly AnyTool[],
  before: readonly AnyTool[],
  view: LoopView,
): readonly AnyTool[] =>
  tools.some((tool) => opensTools(tool) && !before.includes(tool)) ? withOpen(tools, view) : tools;

/** Strategies of one loop have different names, which are their keys. */
const STRATEGIES_MODULE = createModule({ name: 'injection-strategies' });

const EVALUATE_SHAPE = {
  of: 'defineInjectionStrategy',
  keys: { name: 'text', evaluate: 'function' },
  required: ['name', 'evaluate'],
} satisfies LiteralShape<keyof InjectionStrategyConfig>;

const OFFER_SHAPE = {
  of: 'defineInjectionStrategy',
  keys: {
    ...{ name: 'text', offer: 'function', mayBecome: 'function', remarkOn: 'function', uses: 'list' },
    discover: 'any',
  },
  required: ['name', 'offer'],
} satisfies LiteralShape<keyof InjectionStrategy>;

function createEvaluatingStrategy({ name, evaluate }: InjectionStrategyConfig): InjectionStrategy {
  const evaluateChange = (log: Log, tools: readonly AnyTool[], past: PastCall): InjectionChange => {
    const { call: lastCall, iteration } = past;
    try {
      const history = past.history();
      const change = toChange(evaluate({ history, tools, lastCall, iteration }));
      applyChange(tools, change); // throws if the change is invalid
      return change;
    } catch (thrown) {
      log(createErrorEntry(`the strategy '${name}' threw in evaluate`, thrown));
      return noChange;
    }
  };
  const evaluated = new WeakMap<object, EvaluatedChanges[]>();
  return {
    name,
    uses: [UNFOLDING],
    offer(tools, view) {
      const past = listPastCalls(view.history());
      const known = getEvaluatedChanges(evaluated, name, view);
      const at = known.findIndex((one) => isPrefixOf(one, tools, past));
      const [former] = at < 0 ? [] : known.splice(at, 1);
      const applyAndOpen = (before: readonly AnyTool[], made: InjectionChange): readonly AnyTool[] =>
        openNewTools(applyChange(before, made), before, view);
      const changes = [...(former?.changes ?? [])];
      // Applies the changes each time, since the tools of an unfolding tool may have changed.
      let list = changes.reduce(applyAndOpen, tools);
      for (const one of past.slice(changes.length)) {
        const made = evaluateChange(view.log, list, one);
        changes.push(made);
        list = applyAndOpen(list, made);
      }
      const offered = former && hasSameTools(former.offered, list) ? former.offered : list;
      known.unshift({ tools, changes, last: past.at(-1)?.call.id, offered });
      known.splice(MAX_KEPT_LISTS);
      return offered;
    },
  };
}

/** The options of `defineInjectionStrategy`. */
export interface InjectionStrategyConfig {
  readonly name: string;
  /**
   * Returns the change after a call, successful or not. A list adds tools. Runs once for each call, and again
   * in an invocation that resumes the turn. So it must be synchronous and depend only on its argument.
   */
  readonly evaluate: (context: InjectionContext) => Partial<InjectionChange> | readonly AnyTool[];
}

/** The input of a strategy after one call. */
export interface InjectionContext {
  /** The loop's conversation, without the result of this call. Do not modify it. */
  readonly history: readonly HistoryMessage[];
  /** The tools that are offered so far. */
  readonly tools: readonly AnyTool[];
  readonly lastCall: LastCall;
  /** The number of replies of the loop so far, in this turn. */
  readonly iteration: number;
}

/** A call that has ended, as a strategy sees it. */
export interface LastCall {
  readonly id: string;
  readonly tool: string;
  /** The input as the model wrote it. */
  readonly input: string;
  /** The text of the result that the model reads. An error begins with `Error: `. */
  readonly result: string;
  readonly failed: boolean;
  /** The result as data, if its text is a JSON object or array. */
  readonly json?: Json | undefined;
  /** The artifact in its journaled form. */
  readonly artifact?: Json | undefined;
  /** The name of the artifact's type. */
  readonly artifactType?: string | undefined;
  /** The type of each item, in order, if the artifact is a list with items of several types. */
  readonly artifactTypes?: readonly (string | null)[] | undefined;
}

/** A change to the offered tools. */
export interface InjectionChange {
  readonly add: readonly AnyTool[];
  readonly remove: readonly string[];
}

/** A change without an effect. */
export const noChange: InjectionChange = { add: [], remove: [] };

/**
 * Returns a change that adds tools.
 *
 * @example
 * ```ts
 * const strategy = defineInjectionStrategy({
 *   name: 'refunds',
 *   evaluate: ({ lastCall }) => (lastCall.tool === 'find_order' ? addTools(refundOrder) : noChange),
 * });
 * ```
 */
export const addTools = (tools: OneOrList<AnyTool>): InjectionChange => ({ add: toList(tools), remove: [] });

/**
 * Returns a change that removes tools.
 *
 * @example
 * ```ts
 * const strategy = defineInjectionStrategy({
 *   name: 'one-refund',
 *   evaluate: ({ lastCall }) => (lastCall.tool === 'refund_order' ? removeTools('refund_order') : noChange),
 * });
 * ```
 */
export const removeTools = (tools: OneOrList<AnyTool | string>): InjectionChange => ({
  add: [],
  remove: toList(tools).map((tool) => (typeof tool === 'string' ? tool : tool.name)),
});

/**
 * Returns a change that replaces tools with others.
 *
 * @example
 * ```ts
 * const change = replaceTools('find_order', [refundOrder, lookUp]);
 * ```
 */
export const replaceTools = (
  remove: OneOrList<AnyTool | string>,
  add: OneOrList<AnyTool>,
): InjectionChange => ({ ...removeTools(remove), add: toList(add) });

type OneOrList<T> = T | readonly T[];

const toList = <T extends AnyTool | string>(given: OneOrList<T>): readonly T[] =>
  isToolList(given) ? given : [given];

const isToolList = <T>(given: OneOrList<T>): given is readonly T[] => Array.isArray(given);

/**
 * Returns whether a change adds or removes a tool.
 *
 * @example
 * ```ts
 * hasChanges(noChange); // false
 * ```
 */
export const hasChanges = ({ add, remove }: InjectionChange): boolean => add.length > 0 || remove.length > 0;

/**
 * Returns the tools after a change. First removes tools by name. Then adds the first new tool of each name
 * that is not in use. Returns the same list if the change has no effect.
 */
export function applyChange(tools: readonly AnyTool[], change: InjectionChange): readonly AnyTool[] {
  if (!hasChanges(change)) return tools;
  const gone = new Set(change.remove);
  const left = tools.filter(({ name }) => !gone.has(name));
  const taken = new Set(left.map(({ name }) => name));
  const come = change.add.filter(({ name }) => !taken.has(name) && taken.add(name));
  return come.length === 0 && left.length === tools.length ? tools : [...left, ...come];
}

const toChange = (answer: ReturnType<InjectionStrategyConfig['evaluate']>): InjectionChange =>
  isList(answer) ? addTools(answer) : { ...noChange, ...answer };

const isList = (answer: ReturnType<InjectionStrategyConfig['evaluate']>): answer is readonly AnyTool[] =>
  Array.isArray(answer);

/** The changes of the calls so far. They are cached, so that each call is evaluated only once. */
interface EvaluatedChanges {
  readonly tools: readonly AnyTool[];
  /** One for each call. */
  readonly changes: readonly InjectionChange[];
  readonly last: string | undefined;
  readonly offered: readonly AnyTool[];
}

/**
 * The maximum number of lists to cache. When a tool unfolds, the incoming list changes while calls of the
 * same batch still use the old list.
 */
const MAX_KEPT_LISTS = 4;

/**
 * Returns the evaluations of one loop in one invocation. The key is a list that lives as long as the loop.
 */
function getEvaluatedChanges(
  all: WeakMap<object, EvaluatedChanges[]>,
  name: string,
  view: LoopView,
): EvaluatedChanges[] {
  const loop = view.made(`injection ${name} ${view.frame}`, () => []);
  const known = all.get(loop) ?? [];
  all.set(loop, known);
  return known;
}

const isPrefixOf = (
  { tools: of, changes: { length }, last }: EvaluatedChanges,
  tools: readonly AnyTool[],
  past: readonly PastCall[],
): boolean => length <= past.length && past[length - 1]?.call.id === last && hasSameTools(of, tools);

/** An ended call of the turn, with its context at that time. */
interface PastCall {
  readonly call: LastCall;
  /** The number of replies of the loop, up to the reply that made the call. */
  readonly iteration: number;
  /**
   * Returns the conversation before the call's result. In it, this call and later calls of its reply are
   * open.
   */
  history(): readonly HistoryMessage[];
}

/**
 * Returns the ended calls of the open turn or of the nested loop, in the order in which the model requested
 * them.
 */
function listPastCalls(history: readonly HistoryMessage[]): readonly PastCall[] {
  // Messages from the loop itself do not start a turn.
  const start = history.findLastIndex((message) => message.role === 'user' && message.by === undefined);
  let iteration = 0;
  return history.flatMap((message, at) => {
    if (at < start || message.role !== 'assistant') return [];
    iteration += 1;
    const reply = { message, iteration, before: history.slice(0, at) };
    return message.calls.flatMap((call) => (call.result ? toPastCall(reply, call, call.result) : []));
  });
}

interface PastReply {
  readonly message: Extract<HistoryMessage, { role: 'assistant' }>;
  readonly iteration: number;
  /** The conversation up to the reply. */
  readonly before: readonly HistoryMessage[];
}

function toPastCall(
  { message, iteration, before }: PastReply,
  { id, name, input }: HistoryCall,
  result: ResultData,
): PastCall {
  return {
    iteration,
    call: { id, tool: name, input, failed: result.type === 'error', ...readContent(result) },
    history: () => {
      const at = message.calls.findIndex((call) => call.id === id);
      const calls = message.calls.map((call, index) => (index < at ? call : withoutResult(call)));
      return [...before, { ...message, calls }];
    },
  };
}

const withoutResult = ({ result: _, ...call }: HistoryCall): HistoryCall => call;

type CallContent = Pick<LastCall, 'result' | 'json' | 'artifact' | 'artifactType' | 'artifactTypes'>;

function readContent(result: ResultData): CallContent {
  const text = getModelText(result);
  const json = result.type === 'error' || !/^\s*[{[]/.test(text) ? undefined : parseJson(text);
  return {
    result: text,
    ...(json !== undefined && { json }),
    ...(result.type === 'artifact' && { artifact: result.value }),
    ...(result.type === 'artifact' && result.artifactType && { artifactType: result.artifactType }),
    ...(result.type === 'artifact' && result.artifactTypes && { artifactTypes: result.artifactTypes }),
  };
}
