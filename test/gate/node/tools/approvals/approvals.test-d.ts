import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  autoApprove,
  requireType,
  serialised,
  withAwaiting,
  withConfirmation,
  withReview,
} from '../../../../../src/decorators/entry.ts';
import {
  type AnyTool,
  defineDomainType,
  defineTool,
  humanInput,
  type Question,
  requireApproval,
  type Tool,
} from '../../../../../src/index.ts';
import type { CallScope } from '../../../../../src/kinds/entry.ts';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds.',
  input: v.object({ orderId: v.string(), amount: v.optional(v.number(), 10) }),
  run: ({ amount }) => amount,
});
type Refund = Tool<'refund', { orderId: string; amount: number }, number>;

// The message is made of what `run` is given, and the tool keeps its types.
const approved = requireApproval(
  refund,
  (input, call) => {
    expectTypeOf(input).toEqualTypeOf<{ orderId: string; amount: number }>();
    expectTypeOf(call).toEqualTypeOf<CallScope>();
    return `Refund ${input.amount}?`;
  },
  { by: 'supervisor', expires: 60_000, onExpiry: 'exit' },
);
expectTypeOf(approved).toEqualTypeOf<Refund>();
requireApproval(refund, ({ amount }) => `Refund ${amount}?`);
requireApproval(refund, async ({ orderId }) => orderId, undefined);
// @ts-expect-error there is no `total`
requireApproval(refund, ({ total }) => `Refund ${total}?`);
// @ts-expect-error nobody can edit once the time is over
requireApproval(refund, 'Refund?', { onExpiry: 'edit' });

// An erased tool has an erased input.
export const erased = (tool: AnyTool) =>
  requireApproval(tool, (input) => {
    expectTypeOf(input).toEqualTypeOf<unknown>();
    return String(input);
  });

expectTypeOf(withConfirmation(refund, ({ amount }) => `${amount}?`)).toEqualTypeOf<Refund>();
withConfirmation(refund, 'Sure?', { by: 'supervisor', expires: 60_000, onExpiry: 'exit' });
// @ts-expect-error nobody can edit once the time is over
withConfirmation(refund, 'Sure?', { onExpiry: 'edit' });
// @ts-expect-error there is no `total`
withConfirmation(refund, ({ total }) => total);

const awaiting = withAwaiting(refund, ({ amount }, { context }, tool) => {
  expectTypeOf(tool).toEqualTypeOf<Refund>();
  return amount > 100 ? { message: `${amount}?`, by: context.get('boss', v.string()) } : undefined;
});
expectTypeOf(awaiting).toEqualTypeOf<Refund>();
// @ts-expect-error a request has a message
withAwaiting(refund, () => ({ allows: ['approve'] }));

const Address = defineDomainType({ name: 'Address', schema: v.object({ city: v.string() }) });
expectTypeOf(requireType(refund, Address)).toEqualTypeOf<Refund>();
requireType(refund, Address, {
  message: ({ orderId }) => `Where does ${orderId.toUpperCase()} go?`,
  hint: { city: 'Bergen' },
  by: 'clerk',
});
// @ts-expect-error there is no value to go on with
requireType(refund, Address, { message: 'Where?', onExpiry: 'approve' });
// @ts-expect-error there is no `total`
requireType(refund, Address, { message: ({ total }) => total });

const reviewed = withReview(refund, ({ input, message, tool }) => {
  expectTypeOf(input).toEqualTypeOf<{ orderId: string; amount: number }>();
  expectTypeOf(message).toEqualTypeOf<string>();
  expectTypeOf(tool).toEqualTypeOf<AnyTool>();
  return input.amount > 100 ? { decision: 'reject', reason: 'Too much.' } : { decision: 'approve' };
});
expectTypeOf(reviewed).toEqualTypeOf<Refund>();
withReview(refund, serialised(autoApprove()), {
  message: ({ orderId }) => orderId,
  timeout: 1,
  onTimeout: 'reject',
});
// @ts-expect-error an edit has an input
withReview(refund, () => ({ decision: 'edit' }));
// @ts-expect-error 'yes' is no decision
withReview(refund, () => ({ decision: 'yes' }));

expectTypeOf(humanInput()).toEqualTypeOf<Tool<'human_input', Question, string>>();
expectTypeOf(humanInput({ name: 'ask_boss' }).name).toEqualTypeOf<'ask_boss'>();
humanInput({ handler: ({ input }) => ({ decision: 'edit', input: { text: input.question } }) });

// All of them fit any list.
export const tools: readonly AnyTool[] = [approved, awaiting, reviewed, humanInput()];
