import type { CallContext, Decision, SuspendingQuestion } from '../../tool/call.ts';
import { checkTime, checkWord } from '../../tool/check-definition.ts';
import { checkedFirst } from '../../tool/check-input.ts';
import { type JsonObject, shorten } from '../../tool/json.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool, CallRun } from '../../tool/tool.ts';
import { failure, mapContent, type ToolResult, toolResult } from '../../tool/tool-result.ts';
import { answers } from '../answers/answers.ts';
import { type Covers, type CoversOption, type GuardedInput, type GuardedTool, withGuard } from './covers.ts';

/**
 * A tool that runs only when somebody outside has approved the call, which is suspended until then and outlives every
 * crash. An edit runs it with another valid input, and the model is told; whoever sends one that is not valid is asked once
 * more. A rejection or an expiry is answered to the model; an exit ends the turn. A decision holds for one call and is used once. A
 * bad input of the model bothers nobody.
 *
 * Of an unfolding tool every call of a tool behind it is asked about, in every turn, and opening it is not; unless `covers` says
 * `opening`. An agentic tool is approved as one call.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0, `onExpiry` is no decision, `notBy` no `requester`, `covers` is given
 *   for what is no unfolding tool, or a tool behind one is run by the model's provider.
 */
export const requireApproval = <T extends AnyTool, const C extends Covers = 'tools'>(
  tool: T,
  message: ApprovalMessage<T, C>,
  options: ApprovalOptions & CoversOption<T, C> = {},
): T => pausing(tool, { ...asking(tool, message, options), covers: options.covers });

/**
 * A tool that always asks before it runs, as `requireApproval` does. The input that was confirmed goes on the
 * blackboard, without a name or a type, when the call succeeds.
 *
 * @throws ToolDefinitionError as `requireApproval`.
 *
 * @example
 * ```ts
 * const confirmed = withConfirmation(refundOrder, ({ amount }) => `Refund ${amount} euro?`);
 * ```
 */
export const withConfirmation = <T extends AnyTool, const C extends Covers = 'tools'>(
  tool: T,
  message: ApprovalMessage<T, C>,
  options: ApprovalOptions & CoversOption<T, C> = {},
): T =>
  pausing(tool, {
    ...asking(tool, message, options),
    covers: options.covers,
    accepted: (input, { blackboard }) => blackboard.add(input),
  });

/**
 * A tool whose calls wait for a decision when `decider` asks for one. The decider sees the typed, checked input,
 * the call and the tool; it answers what to ask, or `undefined` to run. It is asked again once that is decided, and has
 * to answer the same. An edit replaces the tool's input, unless the request has a schema of its own.
 *
 * Of an unfolding tool the decider is asked about every call of a tool behind it, and is given that tool; opening it waits for
 * nobody.
 *
 * @throws ToolDefinitionError when a tool behind an unfolding tool is run by the model's provider.
 *
 * @example
 * ```ts
 * const careful = withAwaiting(refundOrder, ({ amount }) =>
 *   amount > 100 ? { message: `Refund ${amount} euro?`, by: 'manager' } : undefined,
 * );
 * ```
 */
export const withAwaiting = <T extends AnyTool>(tool: T, decider: AwaitingDecider<T>): T =>
  pausing(tool, { code: 'the decider of withAwaiting', decider: decider as AwaitingDecider<AnyTool> }); // it is given what it asks for

/**
 * What whoever decides is asked: a text, or one made of the call's typed, checked input. Not for the model.
 *
 * It is made again when the call begins anew, and a decision holds only for what was read: nothing may stand in it that
 * changes while it waits, such as the time of day.
 */
export type ApprovalMessage<T extends AnyTool, C extends Covers = 'tools'> =
  | string
  | ((input: GuardedInput<T, C>, call: CallContext) => string | Promise<string>);

/** Who decides and who may not, for how long, and what counts when nobody does. */
export type ApprovalOptions = Pick<SuspendingQuestion, 'by' | 'notBy' | 'expires' | 'onExpiry'>;

/** What is to be decided about a call before it runs; `undefined` runs it at once. */
export type AwaitingDecider<T extends AnyTool> = (
  input: GuardedInput<T, 'tools'>,
  call: CallContext,
  tool: GuardedTool<T>,
) => Approval | undefined | Promise<Approval | undefined>;

/** What is asked about a call; an edit is checked as any input of its tool, so it has no schema of its own. */
type Approval = Omit<SuspendingQuestion, 'for' | 'schema' | 'input'>;

/** Has every call decided about. @throws ToolDefinitionError as `checkApprovalOptions`. */
function asking<T extends AnyTool, C extends Covers>(
  tool: T,
  message: ApprovalMessage<T, C>,
  options: ApprovalOptions,
): Pick<Pause, 'code' | 'decider'> {
  const { by, notBy, expires, onExpiry } = checkApprovalOptions(tool.name, options);
  const asked = { by, notBy, expires, onExpiry };
  return {
    code: 'the message of its approval',
    decider: async (input, call) => ({ message: await messageFor(message, input, call), ...asked }),
  };
}

interface Pause {
  /** What the log calls the decider. */
  readonly code: string;
  readonly decider: AwaitingDecider<AnyTool>;
  readonly covers?: Covers | undefined;
  /** Told the input with which the tool is about to be called. */
  readonly accepted?: ((input: JsonObject, call: CallContext) => void) | undefined;
}

/**
 * The tool, each call of which waits for a decision when `decider` wants one. A bad input is answered to the model first,
 * and nobody is bothered. All of this comes before the tool's effect, and again after the decision.
 *
 * A call throws ToolConfigurationError when there is no session in which somebody could decide.
 */
function pausing<T extends AnyTool>(tool: T, { code, decider, accepted, covers }: Pause): T {
  const guarded = withGuard(tool, covers, (one) =>
    checkedFirst(one, async ({ input, typed, call }) => {
      const request = await call.during(code, () => decider(typed, call, one));
      if (request === undefined) return one.call(input, call);
      mustBeDecidable(call, 'approval');
      // The input as it stands: an edit of a decorator around this one is what is being approved here, and edited.
      const question = { ...request, for: 'decision', schema: one.inputSchema, input } as const;
      const decision = await decideUntilValid(call, question, (edit) => editProblems(one, edit, call));
      const tell = accepted && ((given: JsonObject): void => accepted(given, call));
      return carryOut({ tool: one, input, call, decision, accepted: tell });
    }),
  );
  return withAnswers(guarded);
}

/** The tool with the module by which its calls ask. */
export const withAnswers = <T extends AnyTool>(tool: T): T => ({
  ...tool,
  uses: [...(tool.uses ?? []), answers],
});

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

/** The text of a message for one call. `input`: what the `check` of the tool that is called has answered. */
export async function messageFor<T extends AnyTool, C extends Covers>(
  message: ApprovalMessage<T, C>,
  input: unknown,
  call: CallContext,
): Promise<string> {
  if (typeof message === 'string') return message;
  return message(input as GuardedInput<T, C>, call); // of the tool that is guarded
}

/**
 * The same options.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0, `onExpiry` not one of `words`, or `notBy` not `requester`.
 */
export function checkApprovalOptions<Options extends ApprovalOptions>(
  tool: string,
  options: Options,
  words: readonly string[] = ON_EXPIRY,
): Options {
  checkTime(tool, { expires: options.expires });
  checkWord(tool, { onExpiry: options.onExpiry }, words);
  checkWord(tool, { notBy: options.notBy }, ['requester']);
  return options;
}

/** What may count as decided when nobody does: nobody can edit then. */
export const ON_EXPIRY = ['approve', 'reject', 'exit'] as const;

/** @throws ToolConfigurationError when the call runs outside of a session, where nobody is ever asked. */
export function mustBeDecidable({ tool, inSession }: CallContext, what: string): void {
  if (inSession) return;
  throw new ToolConfigurationError(
    `Tool '${tool}' requires ${what} but no ReviewHandler is configured. ` +
      'Run it in a session, where somebody can decide, or review it with withReview.',
  );
}

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
