/** Shared parts of guards: the calls that they cover, and how they apply a decision. */
import type { CallContext, Decision, SuspendingQuestion } from '../../tool/call.ts';
import { checkWord, ToolDefinitionError } from '../../tool/check-definition.ts';
import { changeInnerTools, decorate, opensTools } from '../../tool/decorate.ts';
import { type JsonObject, shorten } from '../../tool/json.ts';
import type { AnyTool, CallRun, OpeningTool, ToolInput } from '../../tool/tool.ts';
import {
  createFailureResult,
  createToolResult,
  createWithheldResult,
  mapContent,
  type ToolResult,
} from '../../tool/tool-result.ts';

/**
 * The calls that the guard of an unfolding tool covers. `tools` covers every call of an inner tool, at any
 * depth, and leaves opening unguarded. `opening` covers each call of the unfolding tool itself and leaves its
 * inner tools unguarded.
 */
export type Covers = 'tools' | 'opening';

/**
 * The option of guards that applies to unfolding tools only. For any other tool, the guard covers its own
 * calls.
 */
export interface CoversOption<T extends AnyTool, C extends Covers> {
  /** The calls that the guard of an unfolding tool covers. Defaults to `tools`. */
  readonly covers?: CoversOf<T, C> | undefined;
}

/** A tool with erased types may be an unfolding tool, which the guard checks at run time. */
type CoversOf<T extends AnyTool, C extends Covers> = T extends OpeningTool
  ? C
  : AnyTool extends T
    ? C
    : never;

/** The checked input of a guarded call. For inner tools its type is unknown. */
export type GuardedInput<T extends AnyTool, C extends Covers> = T extends OpeningTool
  ? 'tools' extends C
    ? unknown
    : ToolInput<T>
  : ToolInput<T>;

/** The tool whose call is guarded: the decorated tool, or one of its inner tools. */
export type GuardedTool<T extends AnyTool> = T extends OpeningTool ? AnyTool : T;

/** Creates the guarded call, which runs the tool's own call or returns a result instead. */
type CallGuard = (guarded: AnyTool) => AnyTool['call'];

/**
 * Returns the tool with guarded calls. For an unfolding tool, the calls of its inner tools are guarded,
 * unless `covers` is `opening`. If there are two guards, both apply, the outer one first. Calls inside an
 * agentic tool's own loop are part of its one call.
 *
 * @throws ToolDefinitionError if `covers` is set for a tool that does not unfold, or if the model's provider
 * runs an inner tool, because a guard cannot stop it.
 */
export function withGuard<T extends AnyTool>(tool: T, covers: Covers | undefined, guard: CallGuard): T {
  checkWord(tool.name, { covers }, ['tools', 'opening']);
  const isUnfolding = opensTools(tool);
  if (covers !== undefined && !isUnfolding) {
    throw new ToolDefinitionError(
      tool.name,
      'covers',
      `its guard covers '${covers}', but only an unfolding tool has inner tools. Omit covers.`,
    );
  }
  if (!isUnfolding || covers === 'opening') return decorate(tool, { call: guard(tool) });
  assertGuardable(tool.name, tool);
  return changeInnerTools(tool, (inner) => guardInnerTool(inner, guard));
}

/**
 * Guards a tool inside an unfolding tool. A tool that the provider runs cannot be guarded. If it first
 * appears in a turn, its calls are withheld.
 */
function guardInnerTool<T extends AnyTool>(inner: T, guard: CallGuard): T {
  if (!inner.providerTool) return decorate(inner, { call: guard(inner) });
  return decorate(inner, {
    providerTool: undefined,
    call: async (_, { tool }) =>
      createWithheldResult(
        `Tool '${tool}' is not available here: each call of it would have to be decided about first.`,
      ),
  });
}

/** @throws ToolDefinitionError if a known inner tool of an unfolding tool cannot be guarded. */
function assertGuardable(outer: string, unfolding: AnyTool): void {
  for (const inner of unfolding.inner ?? []) {
    if (inner.providerTool) {
      const problem = `its guard cannot stop '${inner.name}', which the model's provider runs. Remove it, or use covers: 'opening'.`;
      throw new ToolDefinitionError(outer, 'tools', problem);
    }
    if (opensTools(inner)) assertGuardable(outer, inner);
  }
}

/** The decisions that can apply at expiry. Excludes `edit`, because it needs an input. */
export const EXPIRY_DECISIONS = ['approve', 'reject', 'exit'] as const;

const checkEdit = (tool: AnyTool, edit: JsonObject, call: CallRun): ReturnType<AnyTool['check']> =>
  call.during('its input schema', () => tool.check(edit, call.tool));

/** Returns the problems of an edited input, one line each. Empty if the tool can run with it. */
export async function editProblems(
  tool: AnyTool,
  edit: JsonObject,
  call: CallRun,
): Promise<readonly string[]> {
  const checked = await checkEdit(tool, edit, call);
  return checked.ok ? [] : (checked.problems ?? [checked.answer.content]);
}

/**
 * Asks for a decision and returns it. If an edit has problems, asks its sender again. If that question
 * expires, the call does not run, because the sender wanted a different input.
 */
export async function decideUntilValid(
  call: Pick<CallContext, 'ask'>,
  request: SuspendingQuestion,
  problemsOf: (edit: JsonObject) => readonly string[] | Promise<readonly string[]>,
): Promise<Decision> {
  let asked = request;
  for (;;) {
    const decision = await call.ask(asked);
    const problems = decision.decision === 'edit' && decision.input ? await problemsOf(decision.input) : [];
    if (problems.length === 0) return decision;
    asked = { ...asked, ...askAgain(request, problems) };
  }
}

/** Returns the question that follows an invalid edit. */
export const askAgain = ({ message, onExpiry }: QuestionText, problems: readonly string[]): QuestionText => ({
  message: `${message}\nWhat was sent is not valid, and nothing has run:\n- ${problems.join('\n- ')}`.trim(),
  onExpiry: onExpiry === 'approve' ? 'reject' : onExpiry,
});

/** A question's message, and the decision if it expires. */
type QuestionText = Pick<SuspendingQuestion, 'message' | 'onExpiry'>;

interface DecidedCall {
  /** The tool to run if the decision allows it. */
  readonly tool: AnyTool;
  readonly input: JsonObject;
  readonly call: CallRun;
  readonly decision: Decision;
  /** Called with the input just before the tool runs. */
  readonly accepted?: ((input: JsonObject) => void) | undefined;
}

/**
 * Applies a decision: runs the call, runs it with the edited input, or returns the reason that it did not
 * run. An `exit` ends the turn as cancelled.
 */
export async function applyDecision(decided: DecidedCall): Promise<ToolResult> {
  const { tool, input, call, decision, accepted } = decided;
  switch (decision.decision) {
    case 'approve':
      accepted?.(input);
      return tool.call(input, call);
    case 'edit':
      return runEdited(decided);
    case 'reject':
      return createFailureResult('declined', describeDecline(call.tool, decision));
    case 'exit':
      return toExitResult(call.tool, input, decision);
  }
}

async function runEdited({ tool, input, call, decision, accepted }: DecidedCall): Promise<ToolResult> {
  const revised = decision.input;
  if (revised === undefined) return createBadEditResult(call.tool, 'No input came with the edit.');
  const checked = await checkEdit(tool, revised, call);
  if (!checked.ok) return createBadEditResult(call.tool, checked.answer.content);
  accepted?.(revised);
  const result = await tool.call(revised, call);
  return JSON.stringify(revised) === JSON.stringify(input) ? result : withEditNote(result, revised);
}

const createBadEditResult = (tool: string, problem: string): ToolResult =>
  createFailureResult(
    'invalid-input',
    `Somebody edited the input of this call of '${tool}', and it did not run. ${problem}`,
  );

/**
 * Adds a note about the changed input, because the model would otherwise assume its own input. The value of
 * an artifact stays unchanged.
 */
const withEditNote = (result: ToolResult, input: JsonObject): ToolResult =>
  mapContent(
    result,
    (content) => `${content}\nNote: whoever approved this call changed its input to ${formatInput(input)}.`,
  );

const describeDecline = (tool: string, { expired, reason }: Decision): string => {
  if (expired) return `Nobody decided about this call of '${tool}' in time, so it did not run.`;
  const why = reason ? ` Reason: ${reason}` : '';
  return `This call of '${tool}' was declined and did not run. Do not repeat it unchanged.${why}`;
};

function toExitResult(tool: string, input: JsonObject, decision: Decision): ToolResult {
  const message = decision.expired
    ? describeDecline(tool, decision)
    : `Rejected by reviewer: ${formatInput(input)}`;
  const signal = { type: 'exit', reason: decision.reason ?? message } as const;
  return createToolResult({ type: 'error', message, reason: 'declined', signal });
}

/** The maximum number of characters of an input in a text. */
const MAX_ECHO_LENGTH = 500;

const formatInput = (input: JsonObject): string => shorten(JSON.stringify(input), MAX_ECHO_LENGTH);
