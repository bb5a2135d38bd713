import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { defineSchedule } from '../../modules/schedules/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const reporter = defineAgent({
  name: 'reporter',
  description: 'Reports on the day.',
  instructions: 'Say in three sentences what happened.',
});

const nightly = defineSchedule({
  name: 'nightly',
  cron: '0 6 * * *', // one of the cron triggers in wrangler.toml, in UTC
  agent: 'reporter',
  session: (at) => `report-${at.toISOString().slice(0, 10)}`, // one session for each day
  message: 'Report on yesterday.',
});

const holdfast = createHoldfast({
  agents: [reporter],
  model: orOffline(openaiCompatible()),
  use: [nightly],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
