/**
 * Invalid arguments of `createHoldfast` and `defineSchedule`: each is reported in full when the module loads.
 */
import { expect, it } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { outgoingWebhook } from '../../../../src/modules/outgoing-webhooks/entry.ts';
import { defineSchedule } from '../../../../src/modules/schedules/entry.ts';

const base = { description: 'Pays.', instructions: 'Pay.' };
const clerk = defineAgent({ ...base, name: 'clerk' });
const schedule = {
  name: 'daily',
  cron: '0 9 * * *',
  agent: 'clerk',
  owner: { id: 'ada' },
  session: 's',
  message: 'Go.',
};
const createAppFrom = (config: unknown) => (): unknown => createHoldfast(config as never);
const createSchedule = (config: object) => (): unknown => defineSchedule({ ...schedule, ...config } as never);

const createWebhook = (config: object) => (): unknown =>
  outgoingWebhook({ url: 'https://desk.example', secret: 'S', ...config });

const createAskingAgent = (agent: string) =>
  defineAgent({ ...base, name: 'desk', tools: [defineSubagent({ agent })] });
const deepAgent = defineAgent({
  ...base,
  name: 'desk',
  tools: [
    defineAgenticTool({ name: 'dig', description: 'Digs.', tools: [defineSubagent({ agent: 'ghost' })] }),
  ],
});

it.each<[mistake: string, make: () => unknown, message: string]>([
  [
    'no value',
    createAppFrom(undefined),
    'createHoldfast received undefined. Pass one object, as in createHoldfast({ ... }).',
  ],
  [
    'a list of agents',
    createAppFrom([clerk]),
    'createHoldfast received a list. Pass one object, as in createHoldfast({ ... }).',
  ],
  ['no agents', createAppFrom({}), "createHoldfast has no 'agents'. Use a list, as in [agent]."],
  [
    'one agent instead of a list',
    createAppFrom({ agents: clerk }),
    "createHoldfast has an object as its 'agents'. Use a list, as in [agent].",
  ],
  [
    'the key agent',
    createAppFrom({ agent: clerk }),
    "createHoldfast has 'agent' instead of 'agents'. Rename it.",
  ],
  [
    'the literal of an agent',
    createAppFrom({ agents: [clerk, { ...base, name: 'raw' }] }),
    'createHoldfast has an object at agents[1]. Use the result of defineAgent.',
  ],
  [
    'a promise of an agent',
    createAppFrom({ agents: [Promise.resolve(clerk)] }),
    'createHoldfast has a promise at agents[0]. Use the result of defineAgent.',
  ],
  [
    'two agents with one name',
    createAppFrom({ agents: [clerk, defineAgent({ ...base, name: 'clerk' })], model: openaiCompatible() }),
    "Two agents are named 'clerk'.",
  ],
  [
    'the name of a model',
    createAppFrom({ agents: [clerk], model: 'gpt-5' }),
    "createHoldfast has 'gpt-5' as its 'model'. Use a model, as in openaiCompatible({ baseURL, apiKey, model: 'gpt-5' }), or a function that makes one from the environment.",
  ],
  [
    'the key uses',
    createAppFrom({ agents: [clerk], uses: [] }),
    "createHoldfast has an unknown option 'uses'. Did you mean 'use'?",
  ],
  [
    'tools for the whole app',
    createAppFrom({ agents: [clerk], tools: [] }),
    "createHoldfast has 'tools', but an app has no tools of its own. List them in defineAgent({ tools }).",
  ],
  [
    'instructions for the whole app',
    createAppFrom({ agents: [clerk], instructions: 'Pay.' }),
    "createHoldfast has 'instructions', but an app has no instructions. Write them in defineAgent({ instructions }).",
  ],
  [
    'a token as auth',
    createAppFrom({ agents: [clerk], auth: 'secret' }),
    "createHoldfast has a string as its 'auth'. Use a function.",
  ],
  [
    'a schedule of an unknown agent',
    createAppFrom({
      agents: [clerk],
      model: openaiCompatible(),
      use: [createSchedule({ agent: 'clark' })()],
    }),
    "Schedule 'daily' starts the agent 'clark', which is not among the agents. Did you mean 'clerk'?",
  ],
  [
    'an outgoing webhook of an unknown agent',
    createAppFrom({
      agents: [clerk],
      model: openaiCompatible(),
      use: [createWebhook({ agents: ['clerk', 'clark'] })()],
    }),
    "Outgoing webhook 'outgoing' names the agent 'clark', which is not among the agents. Did you mean 'clerk'?",
  ],
  [
    'two outgoing webhooks with one name',
    createAppFrom({
      agents: [clerk],
      model: openaiCompatible(),
      use: [createWebhook({})(), createWebhook({})()],
    }),
    "The module 'outgoing-webhooks' is used twice under the key 'outgoing'. Give one of them another key.",
  ],
  [
    'the literal of an outgoing webhook',
    createAppFrom({ agents: [clerk], use: [{ url: 'https://desk.example' }] }),
    'createHoldfast has an object at use[0]. Use the result of a module, such as openApi().',
  ],
  [
    'a module instead of a list of modules',
    createAppFrom({ agents: [clerk], use: createWebhook({})() }),
    "createHoldfast has an object as its 'use'. Use a list, as in [one, another].",
  ],
  [
    'an unknown subagent',
    createAppFrom({ agents: [clerk, createAskingAgent('clark')] }),
    "Agent 'desk' has the subagent 'clark', which is not among the agents. Did you mean 'clerk'?",
  ],
  [
    'an unknown subagent inside another tool',
    createAppFrom({ agents: [clerk, deepAgent] }),
    "Agent 'desk' has the subagent 'ghost', which is not among the agents.",
  ],
  [
    'a schedule without an agent',
    createSchedule({ agent: undefined }),
    "Schedule 'daily' has no 'agent'. Use a string.",
  ],
  [
    'a schedule with the key prompt',
    createSchedule({ message: undefined, prompt: 'Go.' }),
    "Schedule 'daily' has 'prompt' instead of 'message'. Rename it.",
  ],
  [
    'a cron of six fields',
    createSchedule({ cron: '0 0 9 * * *' }),
    "Schedule 'daily': '0 0 9 * * *' is not a cron expression of five fields.",
  ],
])('the configuration is refused if it has %s', (_, make, message) => {
  expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', message }));
});

it('an app that is exported instead of its Worker reports the mistake at the first request', () => {
  const holdfast = createHoldfast({ agents: [clerk], model: openaiCompatible() });
  expect(Reflect.get(holdfast, 'fetch')).toThrow(
    'The main module exports the result of createHoldfast. Export its Worker instead: export default holdfast.worker;',
  );
  expect(Object.keys(holdfast)).toEqual(['worker', 'routes', 'TurnRunner']);
});

it('an app with existing subagents starts', () => {
  expect(
    createAppFrom({ agents: [clerk, createAskingAgent('clerk')], model: openaiCompatible() }),
  ).not.toThrow();
});
