import type { CallContext } from '../../tool/call.ts';
import { decorate } from '../../tool/decorate.ts';
import { keptArtifact, readAs, type ToolArtifact } from '../../tool/domain-type.ts';
import type { Json } from '../../tool/json.ts';
import { listen } from '../../tool/listen.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { type ArtifactType, type ToolResult, toolResult } from '../../tool/tool-result.ts';

/**
 * Puts on the blackboard what the next plan should know. As every change of a call it is lost when the call failed. When
 * it throws, that is logged, and the loop ends all the same.
 */
export type BlackboardUpdater = (result: ToolResult, call: CallContext) => unknown;

/** Why to replan, and what the next plan should know. */
export interface ReplanDecision {
  readonly reason: string;
  readonly updater?: BlackboardUpdater | undefined;
}

/**
 * Ends the loop after a tool if `decide` returns a decision: the result, an error too, is returned with the signal `replan` and the reason.
 * An input that the tool refused is the model's to correct, and a signal of the tool's own stays, so that neither is decided about. If
 * `decide` throws, that is logged, and the loop resumes with the result. The decorators below are this one with a decision each.
 */
const replanBy = <T extends AnyTool>(tool: T, decide: ReplanDecider<T>, needsSession = false): T =>
  decorate(tool, {
    async call(input, call) {
      if (needsSession && !call.inSession) {
        throw new ToolConfigurationError(
          `There is no session in which tool '${call.tool}' could make the plan anew.`,
        );
      }
      const result = await tool.call(input, call);
      if (result.signal || (result.type === 'error' && result.reason === 'invalid-input')) return result;
      let decision: ReplanDecision | null | undefined;
      await listen(`the replan decider of tool '${call.tool}'`, call, async () => {
        decision = await decide(contextOf(tool, result, call));
      });
      if (!decision) return result;
      const { reason, updater } = decision;
      await listen(`the blackboard updater of tool '${call.tool}'`, call, () => updater?.(result, call));
      return toolResult({ ...result, signal: { type: 'replan', reason } });
    },
  });

/** Ends the loop after this tool, so that its plan is made again. The updater defaults to one that adds the result's words to the blackboard. */
export const replanning = <T extends AnyTool>(
  tool: T,
  reason: string,
  updater: BlackboardUpdater = addContent,
): T => replanBy(tool, () => ({ reason, updater }));

/** `replanning` for the reason `{name} replans`, with the result's artifact, if it has one, on the blackboard. */
export const replanAlways = <T extends AnyTool>(tool: T): T =>
  replanBy(tool, ({ call }) => ({ reason: `${call.tool} replans`, updater: addArtifact }));

const addContent: BlackboardUpdater = ({ content }, { blackboard }) => blackboard.add(content);

const addArtifact: BlackboardUpdater = (result, call) => {
  const kept = keptArtifact(result, undefined, call);
  if (kept) call.blackboard.add(kept.json, { type: kept.type });
};

/** A result, for whoever decides whether its loop ends. */
export interface ReplanContext<T extends AnyTool> {
  readonly tool: T;
  readonly call: CallContext;
  readonly result: ToolResult;
  /** The words of the result; of an error its message. */
  readonly content: string;
  /** The artifact as the journal will keep it. */
  readonly artifact: Json | undefined;
  /** The artifact when it is of this type; `undefined` when it is of another. */
  artifactAs<Type extends ArtifactType>(type: Type): ToolArtifact<AnyTool, Type> | undefined;
}

/** Why to replan, or nothing to go on. */
export type ReplanDecider<T extends AnyTool> = (
  context: ReplanContext<T>,
) => ReplanDecision | null | undefined | Promise<ReplanDecision | null | undefined>;

/**
 * Ends the loop after this tool if `decider` says so, which sees errors too. A call throws ToolConfigurationError, before the tool runs, if
 * there is no session.
 */
export const conditionalReplan = <T extends AnyTool>(tool: T, decider: ReplanDecider<T>): T =>
  replanBy(tool, decider, true);

/** Only artifacts of this type are looked at; all of them unless given. */
export interface ReplanOptions<Type extends ArtifactType | undefined> {
  readonly type?: Type;
}

/** Ends the loop when the result has an artifact of which this is true; a list is one artifact. */
export const replanWhen = <T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  predicate: (artifact: ToolArtifact<T, NoInfer<Type>>) => boolean,
  options: ReplanOptions<Type> = {},
): T =>
  conditionalReplan(tool, (context) => {
    const read = readWhole<T, Type>(context, options.type);
    return read && predicate(read.value) ? basedOnResult(context) : undefined;
  });

/** Ends the loop with what `compute` makes of the artifact on the blackboard; goes on when it makes nothing. */
export const replanAndAdd = <T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  compute: (artifact: ToolArtifact<T, NoInfer<Type>>) => unknown,
  options: ReplanOptions<Type> = {},
): T =>
  conditionalReplan(tool, (context) => {
    const read = readWhole<T, Type>(context, options.type);
    const made = read && compute(read.value);
    if (made === undefined || made === null) return undefined;
    // `add` says so when it is not JSON.
    return { ...basedOnResult(context), updater: (_, { blackboard }) => blackboard.add(made as Json) };
  });

const basedOnResult = ({ call }: ReplanContext<AnyTool>): ReplanDecision => ({
  reason: `${call.tool} replans based on result`,
});

function contextOf<T extends AnyTool>(tool: T, result: ToolResult, call: CallContext): ReplanContext<T> {
  return {
    tool,
    call,
    result,
    content: result.content,
    artifact: keptArtifact(result, undefined, call)?.json,
    artifactAs: (type) => readArtifact(result, type, call)?.value as never, // as the type has read it
  };
}

function readWhole<T extends AnyTool, Type extends ArtifactType | undefined>(
  { result, call }: ReplanContext<T>,
  type: Type | undefined,
): { readonly value: ToolArtifact<T, Type> } | undefined {
  // Of a tool whose types are known, what `run` returns; else as the type has read it.
  return readArtifact(result, type, call) as { readonly value: ToolArtifact<T, Type> } | undefined;
}

function readArtifact(
  result: ToolResult,
  type: ArtifactType | undefined,
  call: CallContext,
): { readonly value: unknown } | undefined {
  const kept = keptArtifact(result, type, call);
  return kept && readAs(kept.json, type);
}
