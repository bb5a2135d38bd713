/** Decorators whose calls wait for a person outside. */
import type { CallContext, SuspendingQuestion } from '../../tool/call.ts';
import { checkTime, checkWord, ToolDefinitionError } from '../../tool/check-definition.ts';
import { checkedFirst } from '../../tool/check-input.ts';
import type { InnerShape } from '../../tool/check-literal.ts';
import { mustBeTool } from '../../tool/decorate.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { CallBlackboard } from '../../tool/kept-values.ts';
import { literals } from '../../tool/literals.ts';
import { ToolConfigurationError } from '../../tool/signals.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { answers } from '../answers/answers.ts';
import {
  type Covers,
  type CoversOption,
  carryOut,
  decideUntilValid,
  editProblems,
  type GuardedInput,
  type GuardedTool,
  ON_EXPIRY,
  withGuard,
} from './guard.ts';

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
  mustBeTool(tool);
  const { name } = tool;
  if (typeof message !== 'function' && (typeof message !== 'string' || message.trim() === ''))
    throw new ToolDefinitionError(name, 'message', NO_MESSAGE);
  const { by, notBy, expires, onExpiry } = checkApprovalOptions(name, options);
  const asked = { by, notBy, expires, onExpiry };
  return {
    code: 'the message of its approval',
    decider: async (input, call) => ({ message: await messageFor(message, input, call), ...asked }),
  };
}

const NO_MESSAGE =
  "its approval has no message for whoever decides: write one behind the tool, as in requireApproval(tool, 'Pay?', { by: 'manager' }), " +
  'or a function that makes one of the input.';

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
const withAnswers = <T extends AnyTool>(tool: T): T => ({
  ...tool,
  uses: [...(tool.uses ?? []), answers],
});

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
function checkApprovalOptions<Options extends ApprovalOptions>(
  tool: string,
  options: Options,
  words: readonly string[] = ON_EXPIRY,
): Options {
  const fault = literals?.innerFault(options, OPTIONS);
  if (fault)
    throw new ToolDefinitionError(
      tool,
      fault.path,
      `its approval has ${fault.value} as '${fault.path}': use ${fault.use}.`,
    );
  checkTime(tool, { expires: options.expires });
  checkWord(tool, { onExpiry: options.onExpiry }, words);
  checkWord(tool, { notBy: options.notBy }, ['requester']);
  return options;
}

const OPTIONS: InnerShape = {
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

/** @throws ToolConfigurationError when the call runs outside of a session, where nobody is ever asked. */
function mustBeDecidable({ tool, inSession }: CallContext, what: string): void {
  if (inSession) return;
  throw new ToolConfigurationError(
    `Tool '${tool}' requires ${what} but no ReviewHandler is configured. ` +
      'Run it in a session, where somebody can decide, or review it with withReview.',
  );
}

/** What is asked, of whom and for how long, and what they may start from. */
export interface RequireTypeOptions<T extends AnyTool, C extends Covers = 'tools'>
  extends Pick<ApprovalOptions, 'by' | 'notBy' | 'expires'>,
    CoversOption<T, C> {
  /** `Tool '{name}' needs a value of type '{type}'.` unless given. */
  readonly message?: ApprovalMessage<T, C> | undefined;
  /** What counts when nobody sends a value; `reject` unless given. */
  readonly onExpiry?: 'reject' | 'exit' | undefined;
  /** Shown as the `default` of the type's JSON schema. */
  readonly hint?: JsonObject | undefined;
}

/**
 * A tool that needs a value of a type on the blackboard. When the newest one there is valid the call runs at
 * once; else it waits until somebody sends one, as the input of an `edit`. That goes on the blackboard with its type; the
 * tool's own input stays the model's. Whoever sends a value that is not valid is asked once more. As all that a call changes, the value is kept when the call succeeds: after one
 * that failed it is asked for again. A bad input bothers nobody.
 *
 * Of an unfolding tool it is the tools behind it that need the value, and opening it does not; unless `covers` says `opening`.
 *
 * @throws ToolDefinitionError when `expires` is not more than 0, or `onExpiry` is something else than `reject` or `exit`; for
 *   `covers` and `notBy` as `requireApproval`.
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
    checkedFirst(one, async ({ input, typed, call }) => {
      if (hasValue(call.blackboard, type)) return one.call(input, call);
      mustBeDecidable(call, `a value of type '${type.name}'`);
      const asking = await messageFor(message ?? needs(one.name, type), typed, call);
      // A JSON schema does not say all that a type's own schema checks.
      const decision = await decideUntilValid(call, { ...question, message: asking }, (sent) => {
        const value = type.parse(sent);
        return value.ok ? [] : value.problems;
      });
      if (decision.decision !== 'edit') return carryOut({ tool: one, input, call, decision });
      call.blackboard.add(decision.input ?? {}, { type: type.name });
      return one.call(input, call);
    }),
  );
  return withAnswers(guarded);
}

const needs = (tool: string, { name }: DomainType): string =>
  `Tool '${tool}' needs a value of type '${name}'.`;

/** An older value is not looked at: it was replaced. */
function hasValue(blackboard: CallBlackboard, type: DomainType): boolean {
  const newest = blackboard.entries().findLast((entry) => entry.type === type.name);
  return newest !== undefined && type.parse(newest.value).ok;
}
