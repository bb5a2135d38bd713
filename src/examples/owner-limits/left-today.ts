import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { limitsOf, ownerLimits } from '../../modules/owner-limits/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Answers.', instructions: 'Answer briefly.' });
const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [ownerLimits({ perDay: { turns: 40 } })],
});

export async function getRemainingToday(env: object, id: string) {
  const { limits } = await limitsOf(holdfast, env).read({ id });
  const turns = limits.find(({ limit }) => limit === 'turns');
  return turns && turns.most - turns.used;
}
