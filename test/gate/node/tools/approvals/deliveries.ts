/** A tool that asks inside `run`, with a checkpoint. */
import * as v from 'valibot';
import { type AnyTool, type CallContext, defineAgent } from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';

/** Starts a delivery, asks a question with the ticket as checkpoint, and completes the delivery. */
export const createDeliveryTool = (did: string[] = []) => ({
  name: 'deliver',
  description: 'Delivers.',
  async run(_: unknown, call: CallContext) {
    const kept = v.safeParse(v.object({ ticket: v.string() }), call.checkpoint());
    if (!kept.success) did.push('began');
    const ticket = kept.success ? kept.output.ticket : 'T-1';
    const { decision } = await call.ask({
      for: 'decision',
      message: 'Leave it at the door?',
      checkpoint: { ticket },
    });
    did.push(`${decision} ${ticket}`);
    return `Delivered with ${ticket}.`;
  },
});

export const createTestAgent = (tool: AnyTool) =>
  defineAgent({ name: 'clerk', description: 'Delivers.', instructions: '', tools: [tool], use: [answers] });
