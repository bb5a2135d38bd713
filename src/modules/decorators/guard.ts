/** What guards of a tool share: which calls they guard, and how a decision about a call is carried out. */
import type { CallContext, Decision, SuspendingQuestion } from '../../tool/call.ts';
import { checkWord, ToolDefinitionError } from '../../tool/check-definition.ts';
import { changedBehind, decorate, opensTools } from '../../tool/decorate.ts';
import { type JsonObject, shorten } from '../../tool/json.ts';
import type { AnyTool, CallRun, OpeningTool, ToolInput } from '../../tool/tool.ts';
import { failure, mapContent, type ToolResult, toolResult, withheld } from '../../tool/tool-result.ts';

/**
 * What the guard of an unfolding tool guards. `tools`: every call of a tool behind it, at whatever depth, and to open it takes
 * nobody's leave. `opening`: each call of the unfolding tool itself, and nothing that comes out of it.
 */
export type Covers = 'tools' | 'opening';

/** The option of guards that only unfolding tools have: any other tool is guarded itself. */
export interface CoversOption<T extends AnyTool, C extends Covers> {
  /** What the guard of an unfolding tool guards; `tools` unless given. */
  readonly covers?: CoversOf<T, C> | undefined;
}

/** A tool whose types were erased may be an unfolding tool; that is looked at when the guard is made. */
type CoversOf<T extends AnyTool, C extends Covers> = T extends OpeningTool
  ? C
  : AnyTool extends T
    ? C
    : never;

/** The checked input of a call that is guarded: of the tool itself, or of tools behind it, whose types nobody knows. */
export type GuardedInput<T extends AnyTool, C extends Covers> = T extends OpeningTool
  ? 'tools' extends C
    ? unknown
    : ToolInput<T>
  : ToolInput<T>;

/** The tool whose call is guarded: the one that was given, or one behind it. */
export type GuardedTool<T extends AnyTool> = T extends OpeningTool ? AnyTool : T;

/** Makes the call of a guarded tool, which lets the tool's own call through or answers in its place. */
type Guard = (guarded: AnyTool) => AnyTool['call'];

/**
 * The tool, whose calls are guarded; of an unfolding tool those of the tools behind it, unless `covers` says otherwise. Of two
 * guards both hold, the outer one first. What an agentic tool calls inside of its own loop is part of its one call.
 *
 * @throws ToolDefinitionError when `covers` is given for what is no unfolding tool, or a tool behind it is run by the model's
 *   provider, which nothing can hold back.
 */
export function withGuard<T extends AnyTool>(tool: T, covers: Covers | undefined, guard: Guard): T {
  checkWord(tool.name, { covers }, ['tools', 'opening']);
  const isUnfolding = opensTools(tool);
  if (covers !== undefined && !isUnfolding) {
    throw new ToolDefinitionError(
      tool.name,
      'covers',
      `its guard covers '${covers}', and only an unfolding tool has tools behind it: leave covers out.`,
    );
  }
  if (!isUnfolding || covers === 'opening') return decorate(tool, { call: guard(tool) });
  checkInside(tool.name, tool);
  return changedBehind(tool, (inner) => guardedInner(inner, guard));
}

/** A tool behind a guarded unfolding tool. One that is known only in a turn could not be refused before. */
function guardedInner<T extends AnyTool>(inner: T, guard: Guard): T {
  if (!inner.providerTool) return decorate(inner, { call: guard(inner) });
  return decorate(inner, {
    providerTool: undefined,
    call: async (_, { tool }) =>
      withheld(`Tool '${tool}' is not available here: each call of it would have to be decided about first.`),
  });
}

/** @throws ToolDefinitionError when one of the tools behind an unfolding tool, as far as they are known, cannot be guarded. */
function checkInside(outer: string, unfolding: AnyTool): void {
  for (const inner of unfolding.inner ?? []) {
    if (inner.providerTool) {
      const problem = `its guard cannot hold back '${inner.name}', which the model's provider runs: take that out, or use covers: 'opening'.`;
      throw new ToolDefinitionError(outer, 'tools', problem);
    }
    if (opensTools(inner)) checkInside(outer, inner);
  }
}

/** What may count as decided when nobody does: nobody can edit then. */
export const ON_EXPIRY = ['approve', 'reject', 'exit'] as const;

const checkEdit = (tool: AnyTool, edit: JsonObject, call: CallRun): ReturnType<AnyTool['check']> =>
  call.during('its input schema', () => tool.check(edit, call.tool));

/** What is wrong with the edited input of a tool's call, a line each; nothing when it can be run. */
export async function editProblems(
  tool: AnyTool,
  edit: JsonObject,
  call: CallRun,
): Promise<readonly string[]> {
  const checked = await checkEdit(tool, edit, call);
  return checked.ok ? [] : (checked.problems ?? [checked.answer.content]);
}

/**
 * Asks somebody, and answers what they decided. An edit with problems is told to whoever decides, by one more question of the
 * call. When nobody answers that in time the call does not run: what the model sent was not wanted as it is.
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
    asked = { ...asked, ...afterBadEdit(request, problems) };
  }
}

/** What is asked once more, of whoever has edited a call so that it cannot run. */
export const afterBadEdit = ({ message, onExpiry }: Asked, problems: readonly string[]): Asked => ({
  message: `${message}\nWhat was sent is not valid, and nothing has run:\n- ${problems.join('\n- ')}`.trim(),
  onExpiry: onExpiry === 'approve' ? 'reject' : onExpiry,
});

/** What somebody is asked, and what counts when they do not answer in time. */
type Asked = Pick<SuspendingQuestion, 'message' | 'onExpiry'>;

/** A call that was decided about. */
interface Decided {
  /** What is called if the decision lets it. */
  readonly tool: AnyTool;
  /** The input as the model sent it. */
  readonly input: JsonObject;
  readonly call: CallRun;
  readonly decision: Decision;
  /** Told the input with which the tool is about to be called. */
  readonly accepted?: ((input: JsonObject) => void) | undefined;
}

/**
 * Does what was decided about a call: runs it, runs it with the edited input, or answers the model why it did not run.
 * An `exit` ends the turn as cancelled.
 */
export async function carryOut(decided: Decided): Promise<ToolResult> {
  const { tool, input, call, decision, accepted } = decided;
  switch (decision.decision) {
    case 'approve':
      accepted?.(input);
      return tool.call(input, call);
    case 'edit':
      return edited(decided);
    case 'reject':
      return failure('declined', declined(call.tool, decision));
    case 'exit':
      return exited(call.tool, input, decision);
  }
}

async function edited({ tool, input, call, decision, accepted }: Decided): Promise<ToolResult> {
  const revised = decision.input;
  if (revised === undefined) return badEdit(call.tool, 'No input came with the edit.');
  const checked = await checkEdit(tool, revised, call);
  if (!checked.ok) return badEdit(call.tool, checked.answer.content);
  accepted?.(revised);
  const result = await tool.call(revised, call);
  return JSON.stringify(revised) === JSON.stringify(input) ? result : noted(result, revised);
}

const badEdit = (tool: string, problem: string): ToolResult =>
  failure(
    'invalid-input',
    `Somebody edited the input of this call of '${tool}', and it did not run. ${problem}`,
  );

/** The model would take its own input for what was done. The value of an artifact stays as it is. */
const noted = (result: ToolResult, input: JsonObject): ToolResult =>
  mapContent(
    result,
    (content) => `${content}\nNote: whoever approved this call changed its input to ${echo(input)}.`,
  );

const declined = (tool: string, { expired, reason }: Decision): string => {
  if (expired) return `Nobody decided about this call of '${tool}' in time, so it did not run.`;
  const why = reason ? ` Reason: ${reason}` : '';
  return `This call of '${tool}' was declined and did not run. Do not repeat it unchanged.${why}`;
};

function exited(tool: string, input: JsonObject, decision: Decision): ToolResult {
  const message = decision.expired ? declined(tool, decision) : `Rejected by reviewer: ${echo(input)}`;
  const signal = { type: 'exit', reason: decision.reason ?? message } as const;
  return toolResult({ type: 'error', message, reason: 'declined', signal });
}

/** Characters of an input that a text echoes. */
const MAX_ECHO = 500;

const echo = (input: JsonObject): string => shorten(JSON.stringify(input), MAX_ECHO);
