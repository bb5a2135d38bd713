import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { indexOf, sessionIndex } from '../../modules/index/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Answers.', instructions: 'Answer briefly.' });
const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [sessionIndex()],
});

export async function report(env: object) {
  const index = indexOf(holdfast, env);
  const owner = { id: 'token' };
  const { sessions } = await index.sessions({ owner, status: 'idle', limit: 100 });
  const { total } = await index.usage({ owner, by: 'model', from: '2026-11-01' });
  return { sessions: sessions.length, turns: total.turns, cost: total.usage.cost };
}
