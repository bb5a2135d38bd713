import type { SuspendingQuestion } from '../../tool/call.ts';
import { checkedFirst } from '../../tool/check-input.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { CallBlackboard } from '../../tool/kept-values.ts';
import type { AnyTool } from '../../tool/tool.ts';
import {
  type ApprovalMessage,
  type ApprovalOptions,
  carryOut,
  checkApprovalOptions,
  decideUntilValid,
  messageFor,
  mustBeDecidable,
  withAnswers,
} from './approval.ts';
import { type Covers, type CoversOption, withGuard } from './covers.ts';

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
