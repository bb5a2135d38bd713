import * as v from 'valibot';
import type { Shop } from '../../../../src/examples/support/shop.ts';
import { type Agent, type CallContext, defineAgent, defineTool } from '../../../../src/index.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { pause } from './pause.ts';
import { SERVICES } from './plan.ts';

const input = v.object({ label: v.string(), before: v.number(), after: v.number() });
type Input = v.InferOutput<typeof input>;

/** The tested agent. It has a tool of each kind, and the shop's services count the effects. */
export const defineChaos = (shop: Shop): Agent<'chaos'> =>
  defineAgent({
    name: 'chaos',
    description: 'Does what it is told while it is killed.',
    instructions: 'Do every step of the plan, in order.',
    tools: [
      createReadTool(shop),
      createIdempotentTool(shop),
      createOnceTool(shop),
      createReconciledTool(shop),
      createApprovedTool(shop),
    ],
  });

const createReadTool = (shop: Shop) =>
  defineTool({
    name: 'read',
    description: 'Looks something up.',
    effect: 'read',
    input,
    run: (asked, call) => actSlowly(asked, call, () => shop.shipment('KC-7001', call)),
  });

const createIdempotentTool = (shop: Shop) =>
  defineTool({
    name: 'idempotent',
    description: 'Sets something; twice is as good as once.',
    effect: 'idempotent',
    input,
    run: (asked, call) => actSlowly(asked, call, () => shop.act(SERVICES.idempotent, toOrder(asked), call)),
  });

const createOnceTool = (shop: Shop) =>
  defineTool({
    name: 'once',
    description: 'Does something that nobody can be asked about.',
    effect: 'once',
    input,
    run: (asked, call) => actSlowly(asked, call, () => shop.act(SERVICES.once, toOrder(asked), call)),
  });

const createReconciledTool = (shop: Shop) =>
  defineTool({
    name: 'reconciled',
    description: 'Does something that can be asked about by its key.',
    effect: 'once',
    input,
    run: (asked, call) => actSlowly(asked, call, () => shop.act(SERVICES.reconciled, toOrder(asked), call)),
    async reconcile(_asked, call) {
      const known = await shop.recall(SERVICES.reconciled, call);
      return typeof known === 'string' ? known : { done: known };
    },
  });

const createApprovedTool = (shop: Shop) =>
  requireApproval(
    defineTool({
      name: 'approved',
      description: 'Does something that somebody has to approve.',
      effect: 'once',
      input,
      run: (asked, call) => actSlowly(asked, call, () => shop.act(SERVICES.approved, toOrder(asked), call)),
    }),
    ({ label }) => `Do ${label}?`,
  );

const toOrder = ({ label }: Input) => ({ label });

/** Waits before and after the effect, so that a process can die in either phase. */
async function actSlowly<T>(
  { before, after }: Input,
  { signal }: CallContext,
  act: () => Promise<T>,
): Promise<T> {
  await pause(before, signal);
  signal.throwIfAborted();
  const result = await act();
  await pause(after, signal);
  return result;
}
