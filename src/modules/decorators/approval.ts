/** Decorators whose calls wait for a person outside the turn. */
import type { CallContext, SuspendingQuestion } from '../../tool/call.ts';
import { checkTime, checkWord, ToolDefinitionError } from '../../tool/check-definition.ts';
import { withCheckedInput } from '../../tool/check-input.ts';
import type { InnerShape } from '../../tool/check-literal.ts';
import { assertTool } from '../../tool/decorate.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { CallBlackboard } from '../../tool/kept-values.ts';
import { literals } from '../../tool/literals.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { answers } from '../answers/answers.ts';
import {
  applyDecision,
  type Covers,
  type CoversOption,
  decideUntilValid,
  EXPIRY_DECISIONS,
  editProblems,
  type GuardedInput,
  type GuardedTool,
  withGuard,
} from './guard.ts';

/**
 * Returns a tool that runs only after someone outside the turn has approved the call. The call is suspended
 * until then, and survives crashes. An edit runs the tool with a different valid input, and the result shows
 * that input to the model. If the edited input is invalid, the call asks its sender again. A rejection or an
 * expiry becomes an error result for the model, and an exit ends the turn. A decision applies to one call and
 * is used once. If the model's own input is invalid, the call does not ask.
 *
 * For an unfolding tool, each call of an inner tool needs approval in every turn, and opening the tool does
 * not. Set `covers` to `opening` to reverse this. An agentic tool is approved as one call.
 *
 * @throws ToolDefinitionError if `expires` is not more than 0, if `onExpiry` or `notBy` is invalid, if
 * `covers` is set for a tool that does not unfold, or if the model's provider runs an inner tool.
 *
 * @example
 * ```ts
 * const approved = requireApproval(refundOrder, ({ orderId }) => `Refund order ${orderId}?`, { by: 'manager' });
 * ```
 */
export const requireApproval = <T extends AnyTool, const C extends Covers = 'tools'>(
  tool: T,
  message: ApprovalMessage<T, C>,
  options: ApprovalOptions & CoversOption<T, C> = {},
): T => withPause(tool, { ...createDecider(tool, message, options), covers: options.covers });

/**
 * Returns a tool that always asks before it runs, as `requireApproval` does. If the call succeeds, the
 * confirmed input is added to the blackboard, without a name or a type.
 *
 * @throws ToolDefinitionError as `requireApproval` does.
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
  withPause(tool, {
    ...createDecider(tool, message, options),
    covers: options.covers,
    accepted: (input, { blackboard }) => blackboard.add(input),
  });

/**
 * Returns a tool whose calls wait for a decision if `decider` requests one. The decider receives the typed,
 * checked input, the call and the tool. It returns the question, or `undefined` to run the tool. It runs
 * again after the decision, and must return the same question. An edit replaces the tool's input, unless the
 * request has its own schema.
 *
 * For an unfolding tool, the decider runs for each call of an inner tool and receives that tool. Opening the
 * unfolding tool needs no decision.
 *
 * @throws ToolDefinitionError if the model's provider runs an inner tool of an unfolding tool.
 *
 * @example
 * ```ts
 * const careful = withAwaiting(refundOrder, ({ amount }) =>
 *   amount > 100 ? { message: `Refund ${amount} euro?`, by: 'manager' } : undefined,
 * );
 * ```
 */
export const withAwaiting = <T extends AnyTool>(tool: T, decider: AwaitingDecider<T>): T =>
  withPause(tool, { code: 'the decider of withAwaiting', decider: decider as AwaitingDecider<AnyTool> }); // the decider receives the input that its type declares

/**
 * The question for the person who decides: a text, or a function of the call's typed, checked input. The
 * model does not see it.
 *
 * The function runs again if the call restarts, and a decision applies only to the text that was shown. Omit
 * text that changes over time, such as the time of day.
 */
export type ApprovalMessage<T extends AnyTool, C extends Covers = 'tools'> =
  | string
  | ((input: GuardedInput<T, C>, call: CallContext) => string | Promise<string>);

/** The people who can and cannot decide, the time limit, and the decision when it expires. */
export type ApprovalOptions = Pick<SuspendingQuestion, 'by' | 'notBy' | 'expires' | 'onExpiry'>;

/** Returns the question about a call before it runs, or `undefined` to run it at once. */
export type AwaitingDecider<T extends AnyTool> = (
  input: GuardedInput<T, 'tools'>,
  call: CallContext,
  tool: GuardedTool<T>,
) => Approval | undefined | Promise<Approval | undefined>;

/**
 * A question about a call. It has no schema of its own, since an edit is checked like any input of the tool.
 */
type Approval = Omit<SuspendingQuestion, 'for' | 'schema' | 'input'>;

/**
 * Returns a decider that asks a question about every call. @throws ToolDefinitionError as
 * `checkApprovalOptions` does.
 */
function createDecider<T extends AnyTool, C extends Covers>(
  tool: T,
  message: ApprovalMessage<T, C>,
  options: ApprovalOptions,
): Pick<ApprovalPause, 'code' | 'decider'> {
  assertTool(tool);
  const { name } = tool;
  if (typeof message !== 'function' && (typeof message !== 'string' || message.trim() === ''))
    throw new ToolDefinitionError(name, 'message', NO_MESSAGE_PROBLEM);
  const { by, notBy, expires, onExpiry } = checkApprovalOptions(name, options);
  const asked = { by, notBy, expires, onExpiry };
  return {
    code: 'the message of its approval',
    decider: async (input, call) => ({ message: await resolveMessage(message, input, call), ...asked }),
  };
}

const NO_MESSAGE_PROBLEM =
  "its approval has no message for the person who decides. Pass one after the tool, as in requireApproval(tool, 'Pay?', { by: 'manager' }), " +
  'or a function of the input.';

interface ApprovalPause {
  /** The name of the decider in the log. */
  readonly code: string;
  readonly decider: AwaitingDecider<AnyTool>;
  readonly covers?: Covers | undefined;
  /** Called with the input just before the tool runs. */
  readonly accepted?: ((input: JsonObject, call: CallContext) => void) | undefined;
}

/**
 * Returns the tool with calls that wait for a decision if `decider` requests one. First checks the model's
 * input, so that an invalid input is returned to the model without a question. All of this runs before the
 * tool's effect, and again after the decision.
 *
 * A call throws ToolConfigurationError without a session, because no one can then decide.
 */
function withPause<T extends AnyTool>(tool: T, { code, decider, accepted, covers }: ApprovalPause): T {
  const guarded = withGuard(tool, covers, (one) =>
    withCheckedInput(one, async ({ input, typed, call }) => {
      const request = await call.during(code, () => decider(typed, call, one));
      if (request === undefined) return one.call(input, call);
      assertDecidable(call, 'approval');
      // The input to approve or edit includes any edit by an outer decorator.
      const question = { ...request, for: 'decision', schema: one.inputSchema, input } as const;
      const decision = await decideUntilValid(call, question, (edit) => editProblems(one, edit, call));
      const tell = accepted && ((given: JsonObject): void => accepted(given, call));
      return applyDecision({ tool: one, input, call, decision, accepted: tell });
    }),
  );
  return withAnswers(guarded);
}

/** Adds the module with which calls ask questions. */
const withAnswers = <T extends AnyTool>(tool: T): T => ({
  ...tool,
  uses: [...(tool.uses ?? []), answers],
});

/** Returns the message for one call. `input` is the value that the tool's `check` returned. */
export async function resolveMessage<T extends AnyTool, C extends Covers>(
  message: ApprovalMessage<T, C>,
  input: unknown,
  call: CallContext,
): Promise<string> {
  if (typeof message === 'string') return message;
  return message(input as GuardedInput<T, C>, call); // the input of the guarded tool
}

/**
 * Checks the options and returns them.
 *
 * @throws ToolDefinitionError if `expires` is not more than 0, if `onExpiry` is not one of `words`, or if
 * `notBy` is not `requester`.
 */
function checkApprovalOptions<Options extends ApprovalOptions>(
  tool: string,
  options: Options,
  words: readonly string[] = EXPIRY_DECISIONS,
): Options {
  const fault = literals?.innerFault(options, OPTIONS_SHAPE);
  if (fault)
    throw new ToolDefinitionError(
      tool,
      fault.path,
      `its approval has ${fault.value} as '${fault.path}'. Use ${fault.use}.`,
    );
  checkTime(tool, { expires: options.expires });
  checkWord(tool, { onExpiry: options.onExpiry }, words);
  checkWord(tool, { notBy: options.notBy }, ['requester']);
  return options;
}

const OPTIONS_SHAPE: InnerShape = {
  keys: ['by', 'notBy', 'expires', 'onExpiry', 'covers', 'message', 'hint'],
  foreign: {
    role: 'by',
    roles: 'by',
    approver: 'by',
    timeout: 'expires',
    ttl: 'expires',
    expiresIn: 'expires',
  },
};

/** @throws ToolConfigurationError if the call runs outside a session, where no one can be asked. */
function assertDecidable({ tool, inSession }: CallContext, what: string): void {
  if (inSession) return;
  throw new ToolConfigurationError(
    `Tool '${tool}' requires ${what} but no ReviewHandler is configured. ` +
      'Run it in a session, where a person can decide, or review it with withReview.',
  );
}

/** The question for a value, the people who can answer, the time limit, and a hint. */
export interface RequireTypeOptions<T extends AnyTool, C extends Covers = 'tools'>
  extends Pick<ApprovalOptions, 'by' | 'notBy' | 'expires'>,
    CoversOption<T, C> {
  /** Defaults to `Tool '{name}' needs a value of type '{type}'.` */
  readonly message?: ApprovalMessage<T, C> | undefined;
  /** The decision if no value arrives in time. Defaults to `reject`. */
  readonly onExpiry?: 'reject' | 'exit' | undefined;
  /** Shown as the `default` in the type's JSON schema. */
  readonly hint?: JsonObject | undefined;
}

/**
 * Returns a tool that needs a value of a type on the blackboard. If the newest value is valid, the call runs
 * at once. Otherwise, it waits until a person sends a value as the input of an `edit`. The value is added to
 * the blackboard with its type, and does not change the tool's own input. If the value is invalid, the call
 * asks its sender again. If the call fails, the value is lost, and the next call requests it again. If the
 * model's own input is invalid, the call does not ask.
 *
 * For an unfolding tool, the inner tools need the value, and opening the tool does not. Set `covers` to
 * `opening` to reverse this.
 *
 * @throws ToolDefinitionError if `expires` is not more than 0, if `onExpiry` is not `reject` or `exit`, or if
 * `covers` or `notBy` is invalid as in `requireApproval`.
 *
 * @example
 * ```ts
 * const needsCustomer = requireType(refundOrder, Customer, { by: 'clerk', hint: { id: 'c1', city: 'Bern' } });
 * ```
 */
export function requireType<T extends AnyTool, const C extends Covers = 'tools'>(
  tool: T,
  type: DomainType,
  options: RequireTypeOptions<T, C> = {},
): T {
  const { message, hint, covers, ...asked } = checkApprovalOptions(tool.name, options, ['reject', 'exit']);
  const schema = hint === undefined ? type.json : { ...type.json, default: hint };
  const question: Omit<SuspendingQuestion, 'message'> = {
    ...asked,
    for: 'decision',
    schema,
    allows: ['edit', 'reject', 'exit'],
  };
  const guarded = withGuard(tool, covers, (one) =>
    withCheckedInput(one, async ({ input, typed, call }) => {
      if (hasValue(call.blackboard, type)) return one.call(input, call);
      assertDecidable(call, `a value of type '${type.name}'`);
      const asking = await resolveMessage(message ?? formatMissingType(one.name, type), typed, call);
      // The type's own schema can check more than its JSON Schema expresses.
      const decision = await decideUntilValid(call, { ...question, message: asking }, (sent) => {
        const value = type.parse(sent);
        return value.ok ? [] : value.problems;
      });
      if (decision.decision !== 'edit') return applyDecision({ tool: one, input, call, decision });
      call.blackboard.add(decision.input ?? {}, { type: type.name });
      return one.call(input, call);
    }),
  );
  return withAnswers(guarded);
}

const formatMissingType = (tool: string, { name }: DomainType): string =>
  `Tool '${tool}' needs a value of type '${name}'.`;

/**
 * Returns `true` if the newest value of the type is valid. Ignores older values, because they were replaced.
 */
function hasValue(blackboard: CallBlackboard, type: DomainType): boolean {
  const newest = blackboard.entries().findLast((entry) => entry.type === type.name);
  return newest !== undefined && type.parse(newest.value).ok;
}
