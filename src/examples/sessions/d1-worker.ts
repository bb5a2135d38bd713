import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { d1Reports } from '../../modules/index/d1/entry.ts';
import { sessionIndex } from '../../modules/index/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Answers.', instructions: 'Answer briefly.' });
const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [sessionIndex({ also: d1Reports() })],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';

/** Returns the ten owners with the highest cost in a month, such as `2026-11`. */
export const listCostliestOwners = async (db: D1Database, month: string) => {
  const query = `SELECT owner, sum(cost) AS cost, sum(turns) AS turns FROM holdfast_usage
    WHERE day BETWEEN ?1 || '-01' AND ?1 || '-31' GROUP BY owner ORDER BY sum(cost) DESC LIMIT 10`;
  return (await db.prepare(query).bind(month).all()).results;
};
