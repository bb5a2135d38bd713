/**
 * Tests mistakes with decorators, webhooks, AI SDK tools and test sessions. Each case has the whole
 * message.
 */

import * as v from 'valibot';
import { describe, it } from 'vitest';
import { defineDomainType, defineTool } from '../../../../src/index.ts';
import {
  chainFrom,
  chaining,
  definePipeline,
  defineUnfolding,
  discover,
} from '../../../../src/kinds/entry.ts';
import { fromAiTool } from '../../../../src/modules/ai-sdk-tools/entry.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { logTo } from '../../../../src/modules/app/entry.ts';
import {
  oneShotPerLoop,
  requireApproval,
  withConfirmation,
} from '../../../../src/modules/decorators/entry.ts';
import { defineSchedule } from '../../../../src/modules/schedules/entry.ts';
import { githubWebhook, slackWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { expectMessage, type Mistake, make, makeAgent, run, tool } from './mistake.ts';

const hook = { agent: 'clerk', secret: 'HOOK_SECRET' };
const makeGithub = (config: object) => make(githubWebhook, { ...hook, ...config });

describe('a webhook', () => {
  it.each<Mistake>([
    [
      'an event in the singular',
      makeGithub({ events: ['issue'] }),
      "Webhook 'github' has 'issue' in its 'events', which GitHub does not send. Did you mean 'issues'?",
    ],
    [
      'a typo in an event with an action',
      makeGithub({ events: ['push', 'pull_requests.opened'] }),
      "Webhook 'github' has 'pull_requests.opened' in its 'events', which GitHub does not send. Did you mean 'pull_request.opened'?",
    ],
    [
      'a typo in an action',
      makeGithub({ events: ['issues.open'] }),
      "Webhook 'github' has 'issues.open' in its 'events', which GitHub does not send. Did you mean 'issues.opened'?",
    ],
    [
      'an action that GitHub does not have, although people expect it',
      makeGithub({ events: ['pull_request.merged'] }),
      "Webhook 'github' has 'pull_request.merged' in its 'events', which GitHub does not send. Did you mean 'pull_request.closed'?",
    ],
    [
      'a flag instead of a word',
      makeGithub({ bots: true }),
      "Webhook 'github' has true as its 'bots'. Use 'ignore' or 'take'.",
    ],
    [
      'the option of another sender',
      make(slackWebhook, { ...hook, dispatches: 'once' }),
      "Webhook 'slack' has an unknown option 'dispatches'. Use one of name, agent, owner, secret, events, start, maxBodyBytes, whenBusy, bots.",
    ],
    [
      'an option in the singular',
      make(slackWebhook, { ...hook, name: 'desk', event: ['app_mention'] }),
      "Webhook 'desk' has 'event' instead of 'events'. Rename it.",
    ],
    ['no agent', make(githubWebhook, { secret: 'S' }), "Webhook 'github' has no 'agent'. Use a string."],
  ])('the error explains the mistake: %s', expectMessage);

  it('accepts unusual GitHub events that resemble no known event', () => {
    makeGithub({ events: ['issues', 'issue_comment.created', 'team', 'star', 'quantum_leap.entangled'] })();
  });
});

const NO_MESSAGE_ERROR =
  "Tool 'pay': its approval has no message for the person who decides. Pass one after the tool, as in requireApproval(tool, 'Pay?', { by: 'manager' }), " +
  'or a function of the input.';

describe('an approval', () => {
  const createApproval =
    (...given: readonly unknown[]) =>
    () =>
      Reflect.apply(requireApproval, undefined, given);

  it.each<Mistake>([
    ['no message', createApproval(tool), NO_MESSAGE_ERROR],
    ['a blank message', createApproval(tool, ' '), NO_MESSAGE_ERROR],
    ['options instead of the message', createApproval(tool, { by: 'manager' }), NO_MESSAGE_ERROR],
    [
      'no message for a confirmation',
      () => Reflect.apply(withConfirmation, undefined, [tool]),
      NO_MESSAGE_ERROR,
    ],
    [
      'an option with another name',
      createApproval(tool, 'Pay?', { role: 'manager' }),
      "Tool 'pay': its approval has 'manager' as 'role'. Use 'by'.",
    ],
    ['no tool', createApproval(), "Tool '': it is undefined, not a tool, so it cannot be decorated."],
    [
      'no tool for a one-shot tool',
      () => Reflect.apply(oneShotPerLoop, undefined, []),
      "Tool '': it is undefined, not a tool, so it cannot be decorated.",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string() }),
  tools: () => [defineTool({ name: 'pay', description: 'Pays.', run })],
});

const defineStep = (name: string, more: object) =>
  Reflect.apply(defineTool, undefined, [{ name, description: 'Does.', run, ...more }]);
const input = v.object({ id: v.string(), by: v.optional(v.string()) });

describe('a combination of tools', () => {
  it.each<Mistake>([
    [
      'a chained type and its agent with the same tool name',
      makeAgent({ tools: [tool], use: [chaining([chainFrom(Customer)])] }),
      "Agent 'clerk' has a tool 'pay', and so have the objects that it chains, whose tool would not be offered. Rename one, as with withName from 'holdfast/decorators'.",
    ],
    [
      'steps of a pipeline that do not fit together',
      make(definePipeline, {
        name: 'both',
        steps: [
          defineStep('find', { output: v.object({ total: v.number() }) }),
          defineStep('pay', { input }),
        ],
      }),
      "Tool 'both': its step 'pay' needs 'id', but 'find' before it returns 'total'. Change one of them, or write { tool: find, adapt: (result) => ({ id: ... }) }.",
    ],
    [
      'the key for inner tools of another library',
      make(defineUnfolding, { name: 'more', description: 'More.', children: [tool] }),
      "Tool 'more': it has 'children' instead of 'tools'. Rename it.",
    ],
  ])('the error explains the mistake: %s', expectMessage);

  it('causes no error if the names differ, or if the returned type is not declared', () => {
    makeAgent({ tools: [tool], use: [chaining([discover(Customer)])] })(); // These names begin with the type.
    const createOutputTool = (output: object) => defineStep('find', { output });
    for (const first of [
      defineStep('find', {}),
      createOutputTool(v.object({ id: v.string() })),
      createOutputTool(v.looseObject({})),
    ])
      make(definePipeline, { name: 'both', steps: [first, defineStep('pay', { input })] })();
  });
});

const weather = {
  description: 'Tells the weather.',
  inputSchema: v.object({}),
  execute: async () => 'Fine.',
};
const makeAiTool =
  (...given: readonly unknown[]) =>
  () =>
    Reflect.apply(fromAiTool, undefined, given);

describe('an AI SDK tool', () => {
  it.each<Mistake>([
    [
      'directly in a list of tools',
      makeAgent({ tools: [weather] }),
      "Agent 'clerk' cannot have these tools: Tool at index 0 is an AI SDK tool. Convert it with fromAiTool(tool, { name }) from 'holdfast/tools/ai-sdk'.",
    ],
    [
      'in an object instead of a list',
      makeAgent({ tools: { weather } }),
      "Agent 'clerk' has the tools of another library by their names. Use a list, as in [fromAiTool(tools.weather, { name: 'weather' })], with fromAiTool from 'holdfast/tools/ai-sdk'.",
    ],
    [
      'without options',
      makeAiTool(weather),
      "Tool '': it received undefined. Pass one object, as in fromAiTool({ ... }).",
    ],
    [
      'with a typo in its options',
      makeAiTool(weather, { nam: 'weather' }),
      "Tool '': it has an unknown option 'nam'. Did you mean 'name'?",
    ],
    [
      'in an object of several tools',
      makeAiTool({ weather }, { name: 'weather' }),
      "Tool 'weather': it contains several tools. Convert each one, as in fromAiTool(tools.weather, { name: 'weather' }).",
    ],
    [
      'that is already a Holdfast tool',
      makeAiTool(tool, { name: 'pay' }),
      "Tool 'pay': it is already a holdfast tool. List it directly.",
    ],
    [
      'that is only a name',
      makeAiTool('weather', { name: 'weather' }),
      "Tool 'weather': it is made from 'weather'. Use an AI SDK tool.",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

const makeManual = (config: object) =>
  make(defineManualTool, { name: 'locate', description: 'Locates.', ...config });

describe('a tool that its caller runs', () => {
  it.each<Mistake>([
    [
      'an effect',
      makeManual({ effect: 'read' }),
      "Tool 'locate': it has 'effect', but its caller runs it, and the turn waits for the result. Omit it.",
    ],
    [
      'a function',
      makeManual({ run }),
      "Tool 'locate': it has 'run', but its caller runs it. Omit it, or use defineTool from 'holdfast' for a tool that runs here.",
    ],
    [
      'a timeout',
      makeManual({ timeout: 5 }),
      "Tool 'locate': it has 'timeout', but its caller runs it. Set the time limit for the result with 'expires'.",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('a schedule', () => {
  it.each<Mistake>([
    [
      'an hour that does not exist',
      make(defineSchedule, {
        name: 'nightly',
        cron: '0 24 * * *',
        agent: 'clerk',
        session: 's',
        message: 'Go.',
      }),
      "Schedule 'nightly': '0 24 * * *' has 24 among its hours, which end at 23.",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('the log', () => {
  it.each<Mistake>([
    [
      'options instead of a function',
      make(logTo, { level: 'info' }),
      'logTo received an object. Use a function that takes a line, or false.',
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

const clerk = makeAgent({ tools: [tool] })();
const makeTestSession = (options?: object) => () =>
  Reflect.apply(createTestSession, undefined, [clerk, options]);

describe('a test session', () => {
  it.each<Mistake>([
    [
      'neither replies nor a model',
      makeTestSession({}),
      "createTestSession has neither 'replies' nor 'model'. Use replies, as in { replies: ['Hello.'] }.",
    ],
    [
      'no decision',
      () => Reflect.apply(Object(makeTestSession({ replies: ['Hello.'] })()).decide, undefined, ['pay']),
      "The decision is missing. Pass one after the call, as in decide('pay', 'approve').",
    ],
    [
      'no options',
      makeTestSession(),
      "createTestSession has neither 'replies' nor 'model'. Use replies, as in { replies: ['Hello.'] }.",
    ],
    [
      'one reply instead of a list',
      makeTestSession({ replies: 'Hello.' }),
      "A script has 'Hello.' as its replies. Use a list, as in ['Hello.'].",
    ],
    [
      'a reply in the form of another library',
      makeTestSession({ replies: [{ toolCalls: ['pay'] }] }),
      "A script has 'toolCalls' in replies[0]. Use 'calls'.",
    ],
    [
      'a reply that is a number',
      make(scriptedModel, ['Hello.', 5]),
      "A script has 5 in replies[1]. Use a string, { calls: ['name'] } or a function.",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});
