import type { CallContext } from '../../tool/call.ts';
import { decorate } from '../../tool/decorate.ts';
import { copyArtifact, readAsType, type ToolArtifact } from '../../tool/domain-type.ts';
import type { Json } from '../../tool/json.ts';
import { callListener } from '../../tool/listen.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { type ArtifactType, createToolResult, type ToolResult } from '../../tool/tool-result.ts';

/**
 * Adds data for the next plan to the blackboard. The data is lost if the call fails. If the updater throws,
 * the error is logged and the loop still ends.
 */
export type BlackboardUpdater = (result: ToolResult, call: CallContext) => unknown;

/** The reason to replan, and the data for the next plan. */
export interface ReplanDecision {
  readonly reason: string;
  readonly updater?: BlackboardUpdater | undefined;
}

/**
 * Ends the loop after a tool if `decide` returns a decision. The result, including an error, is returned with
 * the signal `replan` and the reason. Two results skip the decision: an invalid input, which the model can
 * correct, and a result with a signal of its own. If `decide` throws, the error is logged and the loop
 * continues with the result. The decorators below call this function with their own decisions.
 */
const withReplan = <T extends AnyTool>(tool: T, decide: ReplanDecider<T>, needsSession = false): T =>
  decorate(tool, {
    async call(input, call) {
      if (needsSession && !call.inSession) {
        throw new ToolConfigurationError(`Tool '${call.tool}' can replan only in a session.`);
      }
      const result = await tool.call(input, call);
      if (result.signal || (result.type === 'error' && result.reason === 'invalid-input')) return result;
      let decision: ReplanDecision | null | undefined;
      await callListener(`the replan decider of tool '${call.tool}'`, call, async () => {
        decision = await decide(createReplanContext(tool, result, call));
      });
      if (!decision) return result;
      const { reason, updater } = decision;
      await callListener(`the blackboard updater of tool '${call.tool}'`, call, () =>
        updater?.(result, call),
      );
      return createToolResult({ ...result, signal: { type: 'replan', reason } });
    },
  });

/**
 * Ends the loop after this tool for a new plan. By default, `updater` adds the result's text to the
 * blackboard.
 *
 * @example
 * ```ts
 * const tool = replanning(lookUp, 'The text decides what to do.');
 * ```
 */
export const replanning = <T extends AnyTool>(
  tool: T,
  reason: string,
  updater: BlackboardUpdater = addContent,
): T => withReplan(tool, () => ({ reason, updater }));

/**
 * Calls `replanning` with the reason `{name} replans`, and adds the result's artifact, if any, to the
 * blackboard.
 *
 * @example
 * ```ts
 * const tool = replanAlways(findOrder);
 * ```
 */
export const replanAlways = <T extends AnyTool>(tool: T): T =>
  withReplan(tool, ({ call }) => ({ reason: `${call.tool} replans`, updater: addArtifact }));

const addContent: BlackboardUpdater = ({ content }, { blackboard }) => blackboard.add(content);

const addArtifact: BlackboardUpdater = (result, call) => {
  const kept = copyArtifact(result, undefined, call);
  if (kept) call.blackboard.add(kept.json, { type: kept.type });
};

/** A result, for the function that decides whether its loop ends. */
export interface ReplanContext<T extends AnyTool> {
  readonly tool: T;
  readonly call: CallContext;
  readonly result: ToolResult;
  /** The text of the result, or the message of an error. */
  readonly content: string;
  /** The artifact in the form that the journal will keep. */
  readonly artifact: Json | undefined;
  /** Returns the artifact if it has this type, and `undefined` otherwise. */
  artifactAs<Type extends ArtifactType>(type: Type): ToolArtifact<AnyTool, Type> | undefined;
}

/** Returns the reason to replan, or a nullish value to continue. */
export type ReplanDecider<T extends AnyTool> = (
  context: ReplanContext<T>,
) => ReplanDecision | null | undefined | Promise<ReplanDecision | null | undefined>;

/**
 * Ends the loop after this tool if `decider` returns a decision. `decider` also receives errors. Without a
 * session, a call throws ToolConfigurationError before the tool runs.
 *
 * @example
 * ```ts
 * const tool = conditionalReplan(lookUp, ({ result }) =>
 *   result.type === 'error' ? { reason: 'The text is missing.' } : null,
 * );
 * ```
 */
export const conditionalReplan = <T extends AnyTool>(tool: T, decider: ReplanDecider<T>): T =>
  withReplan(tool, decider, true);

/** Restricts the decision to artifacts of this type. Defaults to all artifacts. */
export interface ReplanOptions<Type extends ArtifactType | undefined> {
  readonly type?: Type;
}

/**
 * Ends the loop if the predicate returns `true` for the result's artifact. A list counts as one artifact.
 *
 * @example
 * ```ts
 * const tool = replanWhen(findOrder, ({ amount }) => amount > 1_000);
 * ```
 */
export const replanWhen = <T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  predicate: (artifact: ToolArtifact<T, NoInfer<Type>>) => boolean,
  options: ReplanOptions<Type> = {},
): T =>
  conditionalReplan(tool, (context) => {
    const read = readWhole<T, Type>(context, options.type);
    return read && predicate(read.value) ? decideFromResult(context) : undefined;
  });

/**
 * Ends the loop and adds the result of `compute` to the blackboard. Continues if `compute` returns
 * `undefined` or `null`.
 *
 * @example
 * ```ts
 * const tool = replanAndAdd(findOrder, ({ amount }) => (amount > 1_000 ? { isLarge: true } : undefined));
 * ```
 */
export const replanAndAdd = <T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  compute: (artifact: ToolArtifact<T, NoInfer<Type>>) => unknown,
  options: ReplanOptions<Type> = {},
): T =>
  conditionalReplan(tool, (context) => {
    const read = readWhole<T, Type>(context, options.type);
    const made = read && compute(read.value);
    if (made === undefined || made === null) return undefined;
    // `add` throws if the value is not JSON.
    return { ...decideFromResult(context), updater: (_, { blackboard }) => blackboard.add(made as Json) };
  });

const decideFromResult = ({ call }: ReplanContext<AnyTool>): ReplanDecision => ({
  reason: `${call.tool} replans based on result`,
});

function createReplanContext<T extends AnyTool>(
  tool: T,
  result: ToolResult,
  call: CallContext,
): ReplanContext<T> {
  return {
    tool,
    call,
    result,
    content: result.content,
    artifact: copyArtifact(result, undefined, call)?.json,
    artifactAs: (type) => readArtifact(result, type, call)?.value as never, // parsed by the type
  };
}

function readWhole<T extends AnyTool, Type extends ArtifactType | undefined>(
  { result, call }: ReplanContext<T>,
  type: Type | undefined,
): { readonly value: ToolArtifact<T, Type> } | undefined {
  // The return type of `run` if the tool's types are known, and otherwise the parsed type.
  return readArtifact(result, type, call) as { readonly value: ToolArtifact<T, Type> } | undefined;
}

function readArtifact(
  result: ToolResult,
  type: ArtifactType | undefined,
  call: CallContext,
): { readonly value: unknown } | undefined {
  const kept = copyArtifact(result, type, call);
  return kept && readAsType(kept.json, type);
}
