import { bearerToken, createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { type OwnerPlan, ownerLimits } from '../../modules/owner-limits/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const clerk = defineAgent({
  name: 'clerk',
  description: 'Answers questions about orders.',
  instructions: 'Answer briefly.',
});

const FREE: OwnerPlan = { perDay: { turns: 2, tokens: 200_000 }, openSessions: 20, running: 4 };
const PLANS = new Map<string, OwnerPlan>([
  ['acme', { perDay: { turns: 2_000, tokens: 20_000_000 }, running: 50, allowance: { tokens: 100_000 } }],
]);

const users = bearerToken('HOLDFAST_TOKEN');
const acme = bearerToken('ACME_TOKEN');

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [ownerLimits(({ tenant = '' }) => PLANS.get(tenant) ?? FREE)],
  auth: async (request, env) =>
    (await acme(request, env)) ? { id: 'desk', tenant: 'acme' } : users(request, env),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { OwnerLimits } from '../../modules/owner-limits/entry.ts';
