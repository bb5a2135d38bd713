import { bearerToken, createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { answers } from '../../modules/answers/entry.ts';
import { sessionIndex } from '../../modules/index/entry.ts';
import { operators } from '../../modules/operators/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const clerk = defineAgent({
  name: 'clerk',
  description: 'Answers questions about orders.',
  instructions: 'Answer briefly.',
});

const users = bearerToken('HOLDFAST_TOKEN');
const team = bearerToken('TEAM_TOKEN');

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [answers, sessionIndex(), operators()],
  auth: async (request, env) =>
    (await team(request, env)) ? { id: 'team', operator: true } : users(request, env),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';
