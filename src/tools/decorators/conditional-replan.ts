import { decorate } from '../decorate.ts';
import type { Json } from '../json.ts';
import { listen } from '../listen.ts';
import { keptArtifact, readAs } from '../read-artifact.ts';
import { ToolConfigurationError } from '../signals.ts';
import type { AnyTool, CallScope } from '../tool.ts';
import type { ToolArtifact } from '../tool-output.ts';
import type { ArtifactType, ToolResult } from '../tool-result.ts';
import { mayReplan, type ReplanDecision, withReplan } from './replanning.ts';

/** A result, for whoever decides whether its loop ends. */
export interface ReplanContext<T extends AnyTool> {
  readonly tool: T;
  readonly call: CallScope;
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
 * Ends the loop after this tool when `decider` says so, as `replanning` does. It is asked about errors too, but not about
 * an input that the tool refused, nor about a result with a signal of its own. When it throws, that is logged, and the
 * loop goes on with the result.
 *
 * A call throws ToolConfigurationError, before the tool runs, when there is no session (DEC-14).
 */
export const conditionalReplan = <T extends AnyTool>(tool: T, decider: ReplanDecider<T>): T =>
  decorate(tool, {
    async call(input, invocation) {
      if (!invocation.inSession) {
        throw new ToolConfigurationError(
          `There is no session in which tool '${invocation.tool}' could make the plan anew.`,
        );
      }
      const result = await tool.call(input, invocation);
      if (!mayReplan(result)) return result;
      let decision: ReplanDecision | null | undefined;
      await listen(`the replan decider of tool '${invocation.tool}'`, invocation.signal, async () => {
        decision = await decider(contextOf(tool, result, invocation));
      });
      return decision ? withReplan(result, decision, invocation) : result;
    },
  });

/** Only artifacts of this type are looked at; all of them unless given. */
export interface ReplanOptions<Type extends ArtifactType | undefined> {
  readonly type?: Type;
}

/** Ends the loop when the result has an artifact of which this is true; a list is one artifact (DEC-13). */
export const replanWhen = <T extends AnyTool, Type extends ArtifactType | undefined = undefined>(
  tool: T,
  predicate: (artifact: ToolArtifact<T, NoInfer<Type>>) => boolean,
  options: ReplanOptions<Type> = {},
): T =>
  conditionalReplan(tool, (context) => {
    const read = readWhole<T, Type>(context, options.type);
    return read && predicate(read.value) ? basedOnResult(context) : undefined;
  });

/** Ends the loop with what `compute` makes of the artifact on the blackboard; goes on when it makes nothing (DEC-13). */
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

function contextOf<T extends AnyTool>(tool: T, result: ToolResult, call: CallScope): ReplanContext<T> {
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
  call: CallScope,
): { readonly value: unknown } | undefined {
  const kept = keptArtifact(result, type, call);
  return kept && readAs(kept.json, type);
}
