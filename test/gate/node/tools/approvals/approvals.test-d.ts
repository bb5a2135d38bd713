import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type AnyTool,
  type CallContext,
  defineDomainType,
  defineTool,
  type Tool,
} from '../../../../../src/index.ts';
import { defineUnfolding } from '../../../../../src/kinds/entry.ts';
import {
  type ApprovalOptions,
  autoApprove,
  type Covers,
  type HumanQuestion,
  humanInput,
  requireApproval,
  requireType,
  serialized,
  withAwaiting,
  withConfirmation,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds.',
  input: v.object({ orderId: v.string(), amount: v.optional(v.number(), 10) }),
  run: ({ amount }) => amount,
});
type RefundTool = Tool<'refund', { orderId: string; amount: number }, number>;

// The message function receives the input of `run`, and the tool keeps its types.
const approvedRefund = requireApproval(
  refund,
  (input, call) => {
    expectTypeOf(input).toEqualTypeOf<{ orderId: string; amount: number }>();
    expectTypeOf(call).toEqualTypeOf<CallContext>();
    return `Refund ${input.amount}?`;
  },
  { by: 'supervisor', expires: 60_000, onExpiry: 'exit' },
);
expectTypeOf(approvedRefund).toEqualTypeOf<RefundTool>();
requireApproval(refund, ({ amount }) => `Refund ${amount}?`);
requireApproval(refund, async ({ orderId }) => orderId, undefined);
// @ts-expect-error there is no `total`
requireApproval(refund, ({ total }) => `Refund ${total}?`);
// @ts-expect-error an expiry cannot edit
requireApproval(refund, 'Refund?', { onExpiry: 'edit' });

// A type-erased tool has an erased input.
export const approveUntyped = (tool: AnyTool) =>
  requireApproval(tool, (input) => {
    expectTypeOf(input).toEqualTypeOf<unknown>();
    return String(input);
  });

expectTypeOf(withConfirmation(refund, ({ amount }) => `${amount}?`)).toEqualTypeOf<RefundTool>();
withConfirmation(refund, 'Sure?', { by: 'supervisor', expires: 60_000, onExpiry: 'exit' });
// @ts-expect-error an expiry cannot edit
withConfirmation(refund, 'Sure?', { onExpiry: 'edit' });
// @ts-expect-error there is no `total`
withConfirmation(refund, ({ total }) => total);

const awaitingRefund = withAwaiting(refund, ({ amount }, { context }, tool) => {
  expectTypeOf(tool).toEqualTypeOf<RefundTool>();
  return amount > 100 ? { message: `${amount}?`, by: context.get('boss', v.string()) } : undefined;
});
expectTypeOf(awaitingRefund).toEqualTypeOf<RefundTool>();
// @ts-expect-error a request needs a message
withAwaiting(refund, () => ({ allows: ['approve'] }));

const Address = defineDomainType({ name: 'Address', schema: v.object({ city: v.string() }) });
expectTypeOf(requireType(refund, Address)).toEqualTypeOf<RefundTool>();
requireType(refund, Address, {
  message: ({ orderId }) => `Where does ${orderId.toUpperCase()} go?`,
  hint: { city: 'Bergen' },
  by: 'clerk',
});
// @ts-expect-error an approval has no value
requireType(refund, Address, { message: 'Where?', onExpiry: 'approve' });
// @ts-expect-error there is no `total`
requireType(refund, Address, { message: ({ total }) => total });

const reviewedRefund = withReview(refund, ({ input, message, tool }) => {
  expectTypeOf(input).toEqualTypeOf<{ orderId: string; amount: number }>();
  expectTypeOf(message).toEqualTypeOf<string>();
  expectTypeOf(tool).toEqualTypeOf<AnyTool>();
  return input.amount > 100 ? { decision: 'reject', reason: 'Too much.' } : { decision: 'approve' };
});
expectTypeOf(reviewedRefund).toEqualTypeOf<RefundTool>();
withReview(refund, serialized(autoApprove()), {
  message: ({ orderId }) => orderId,
  timeout: 1,
  onTimeout: 'reject',
});
// @ts-expect-error an edit needs an input
withReview(refund, () => ({ decision: 'edit' }));
// @ts-expect-error 'yes' is not a decision
withReview(refund, () => ({ decision: 'yes' }));

expectTypeOf(humanInput()).toEqualTypeOf<Tool<'human_input', HumanQuestion, string>>();
expectTypeOf(humanInput({ name: 'ask_boss' }).name).toEqualTypeOf<'ask_boss'>();
humanInput({ handler: ({ input }) => ({ decision: 'edit', input: { text: input.question } }) });

// A guard of the inner tools receives an unknown input; a guard of the opening receives the opening's input.
const files = defineUnfolding({
  name: 'files',
  description: 'Files.',
  input: v.object({ root: v.string() }),
  select: () => [refund],
});
expectTypeOf(requireApproval(files, (input) => String(input satisfies unknown))).toEqualTypeOf(files);
requireApproval(files, 'Call?', { covers: 'tools', by: 'supervisor' });
requireApproval(files, ({ root }) => root, { covers: 'opening' });
withConfirmation(files, ({ root }) => root, { covers: 'opening', expires: 60_000 });
requireType(files, Address, { message: ({ root }) => root, covers: 'opening' });
withReview(files, ({ input }) => ({ decision: input.root ? 'approve' : 'exit' }), {
  covers: 'opening',
  message: ({ root }) => root,
});
withReview(files, ({ input }) => {
  expectTypeOf(input).toEqualTypeOf<unknown>();
  return { decision: 'approve' };
});
withAwaiting(files, (input, _call, tool) => {
  expectTypeOf(input).toEqualTypeOf<unknown>();
  expectTypeOf(tool).toEqualTypeOf<AnyTool>();
  return undefined;
});
// @ts-expect-error each inner tool has its own input
requireApproval(files, ({ root }) => root);
// @ts-expect-error the same, if the scope is stated
withConfirmation(files, ({ root }) => root, { covers: 'tools' });
// @ts-expect-error there is no such scope
requireApproval(files, 'Call?', { covers: 'all' });
// @ts-expect-error a tool that does not unfold has no inner tools
requireApproval(refund, 'Refund?', { covers: 'tools' });
// @ts-expect-error a tool that does not unfold has no opening
withConfirmation(refund, 'Refund?', { covers: 'opening' });
// @ts-expect-error a tool that does not unfold has no opening
requireType(refund, Address, { covers: 'opening' });
// @ts-expect-error a tool that does not unfold has no opening
withReview(refund, autoApprove(), { covers: 'opening' });
// A tool with erased types may be an unfolding tool; the guard checks this when it is created.
export const requireErasedOpening = (tool: AnyTool, covers: Covers, options: ApprovalOptions) => [
  requireApproval(tool, 'Open?', { covers: 'opening' }),
  requireApproval(tool, 'Call?', { ...options, covers }),
  requireApproval(refund, ({ amount }) => `${amount}?`, options),
];

// All of these fit any list of tools.
export const tools: readonly AnyTool[] = [approvedRefund, awaitingRefund, reviewedRefund, humanInput()];
