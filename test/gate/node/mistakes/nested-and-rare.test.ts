/**
 * Tests mistakes in nested definitions and in definitions that few apps have. Each case has the whole
 * message.
 */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineDomainType } from '../../../../src/index.ts';
import {
  chainAny,
  chaining,
  defineAgenticTool,
  defineInjectionStrategy,
  definePipeline,
  definePlaybook,
} from '../../../../src/kinds/entry.ts';
import { defineMcpEndpoint, defineMcpPrompt } from '../../../../src/mcp/server/entry.ts';
import { defineMcpToolGroup, mcpResources, mcpToolProvider } from '../../../../src/mcp/tools/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { defineModule } from '../../../../src/module.ts';
import { withConfirmation } from '../../../../src/modules/decorators/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { defineReference, toolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { expectMessage, type Mistake, make, makeAgent, run, tool } from './mistake.ts';

const LIMITS = 'iterations, tokens, maxGenerations, maxScheduled';
const SETTINGS =
  'temperature, topP, topK, seed, stop, reasoning, parallelToolCalls, providerOptions, maxOutputTokens, toolChoice, timeout';

const makeDig = (config: object) =>
  make(defineAgenticTool, { name: 'dig', description: 'Digs.', tools: [], ...config });

const makeModel = (settings: object) =>
  make(openaiCompatible, { baseURL: 'https://model.example', apiKey: 'k', model: 'm', settings });

describe('a nested key in an agent', () => {
  it.each<Mistake>([
    [
      'a typo in a limit',
      makeAgent({ limits: { iteration: 5 } }),
      "Agent 'clerk' has a limit 'iteration' of 5. Use 'iterations'.",
    ],
    [
      'a limit of another library',
      makeAgent({ limits: { maxSteps: 5 } }),
      "Agent 'clerk' has a limit 'maxSteps' of 5. Use 'iterations'.",
    ],
    [
      'an unknown limit',
      makeAgent({ limits: { minutes: 5 } }),
      `Agent 'clerk' has a limit 'minutes' of 5. Use one of ${LIMITS}.`,
    ],
    [
      'a limit of an agentic tool',
      makeDig({ limits: { toolCalls: 5 } }),
      "Tool 'dig': its limit 'toolCalls' is 5. Use 'use: [callLimits({ toolCalls })], with callLimits from holdfast/limits'.",
    ],
    [
      'a limit of a tool-calling manager',
      make(createToolCallingManager, { limits: { toolCall: 5 } }),
      "createToolCallingManager: callLimits: toolCall is 5. Use 'toolCalls'.",
    ],
    [
      'an invalid policy of a tool-calling manager',
      make(createToolCallingManager, { returnDirect: 'some' }),
      "createToolCallingManager: returnDirect is some. Use 'all' or 'any'.",
    ],
    [
      'a typo in a setting',
      makeAgent({ settings: { temprature: 0 } }),
      "Agent 'clerk' has a setting 'temprature' of 0. Use 'temperature'.",
    ],
    [
      'a setting of another library',
      makeAgent({ settings: { maxTokens: 100 } }),
      "Agent 'clerk' has a setting 'maxTokens' of 100. Use 'maxOutputTokens'.",
    ],
    [
      'an unknown setting',
      makeAgent({ settings: { verbosity: 'low' } }),
      `Agent 'clerk' has a setting 'verbosity' of 'low'. Use one of ${SETTINGS}.`,
    ],
    [
      'chaining as an option of an agentic tool',
      makeDig({ chaining: ['any'] }),
      "Tool 'dig': it has 'chaining'. Write use: [chaining([chainFrom(Customer)])], and import { chainFrom, chaining } from 'holdfast/kinds'.",
    ],
    [
      'a setting of an agentic tool',
      makeDig({ settings: { top_p: 1 } }),
      "Tool 'dig': it has a setting 'top_p' of 1. Use 'topP'.",
    ],
    ['a setting of a model', makeModel({ temprature: 0 }), "'settings.temprature' is 0. Use 'temperature'."],
    [
      'a typo in a policy',
      makeAgent({ policies: { unknownTool: {} } }),
      "Agent 'clerk' has a policy 'unknownTool' of an object. Use 'unknownTools'.",
    ],
    [
      'a typo inside a policy',
      makeAgent({ policies: { blankReplies: { retrys: 3 } } }),
      "Agent 'clerk' has a policy 'blankReplies.retrys' of 3. Use 'retries'.",
    ],
    [
      'a timeout with an unknown key',
      makeAgent({ settings: { timeout: { ms: 5_000 } } }),
      `Agent 'clerk' has a setting 'timeout' of {"ms":5000}. Use { total, silence }, each a whole number of ms from 1 to 86400000.`,
    ],
  ])('the error explains the mistake: %s', expectMessage);

  it('is accepted if the agent is spread into another agent', () => {
    const first = makeAgent({
      limits: { iterations: 3, tokens: undefined },
      settings: { temperature: 0, timeout: { total: 1_000 } },
      policies: { blankReplies: { retries: 2 } },
    })();
    expect(makeAgent({ ...Object(first), name: 'second' })()).toMatchObject({
      limits: { iterations: 3 },
      settings: { temperature: 0, timeout: { total: 1_000 } },
      policies: { blankReplies: { retries: 2, end: 'failed' } },
    });
  });
});

const makePipeline = (config: object) => make(definePipeline, { name: 'chain', ...config });
const makeType = (config: object) =>
  make(defineDomainType, { name: 'Customer', schema: v.object({ id: v.string() }), ...config });
const makeModule = (config: object) => make(defineModule, { name: 'uses', ...config });
const makeStrategy = (config: object) => make(defineInjectionStrategy, { name: 'late', ...config });
const makePrompt = (config: object) =>
  make(defineMcpPrompt, { name: 'greet', description: 'Greets.', messages: run, ...config });
const makeEndpoint = (config: object) => make(defineMcpEndpoint, config);
const makeOptions = (config: object) => make(defineToolCallingOptions, config);

const makeGroup = (config: object) =>
  make(defineMcpToolGroup, { role: 'docs', description: 'Docs.', clients: [], ...config });
const makePlaybook = (locked: object) =>
  make(definePlaybook, { name: 'desk', description: 'Helps.', tools: [tool], locked: [locked] });

describe('an entry in a list of an agent', () => {
  it.each<Mistake>([
    [
      'a function as a strategy',
      makeAgent({ use: [run] }),
      "Agent 'clerk' has the function run at use[0]. Use the result of a module, such as summarize({ overTokens }).",
    ],
    [
      'strategies as an option',
      makeAgent({ strategies: [run] }),
      "Agent 'clerk' has 'strategies'. Write use: [defineInjectionStrategy({ name, evaluate })], and import { defineInjectionStrategy } from 'holdfast/kinds'.",
    ],
    [
      'a transformer definition instead of a module',
      makeAgent({ use: [{ name: 'cut', result: run }] }),
      "Agent 'clerk' has an object at use[0]. Use the result of a module, such as summarize({ overTokens }).",
    ],
    [
      'inspectors as an option',
      makeAgent({ inspectors: [{}] }),
      "Agent 'clerk' has 'inspectors' instead of 'use: [inspect(...)]'. Replace it.",
    ],
    [
      'tool groups as an option',
      makeAgent({ toolGroups: ['web'] }),
      "Agent 'clerk' has 'toolGroups'. Write tools: [toolGroup('web')], and import { toolGroup } from 'holdfast/tool-groups'.",
    ],
    [
      'permissions as an option',
      makeAgent({ permissions: ['internet-access'] }),
      "Agent 'clerk' has 'permissions'. Write tools: [toolGroup('web', { permissions: ['internet-access'] })], and import { toolGroup } from 'holdfast/tool-groups'.",
    ],
    [
      'a typo in the options of toolGroup',
      () => toolGroup('docs', { permission: [] } as object),
      "toolGroup('docs') has an unknown option 'permission'. Did you mean 'permissions'?",
    ],
    [
      'an unknown permission',
      () => toolGroup('docs', { permissions: ['everything' as never] }),
      "toolGroup('docs') has a list as its 'permissions'. Use a list of 'internet-access' or 'host-access'.",
    ],
    [
      'toolGroup with a blank role',
      () => toolGroup(' '),
      "toolGroup(' ') has no role. Use a string that is not blank, or a group.",
    ],
    [
      'a reference without tools',
      make(defineReference, { name: 'manual', description: 'Rules.', notes: 'Quote.' }),
      "Reference 'manual' has no 'tools'. Use a list, as in [one, another].",
    ],
    [
      'references as an option',
      makeAgent({ references: [{ name: 'manual' }] }),
      "Agent 'clerk' has 'references'. Write tools: [defineReference({ name, description, notes, tools })], and import { defineReference } from 'holdfast/tool-groups'.",
    ],
    [
      'a reference without defineReference',
      makeAgent({ tools: [{ name: 'manual', description: 'Rules.', notes: 'Quote.', tools: [] }] }),
      "Agent 'clerk' cannot have these tools: Tool at index 0 ('manual') is the literal of a reference. Pass it to defineReference from 'holdfast/tool-groups'.",
    ],
    [
      'chaining as an option',
      makeAgent({ chaining: [chainAny()] }),
      "Agent 'clerk' has 'chaining'. Write use: [chaining([chainFrom(Customer)])], and import { chainFrom, chaining } from 'holdfast/kinds'.",
    ],
    [
      'a schema in a chain',
      make(chaining, [v.object({})]),
      'chaining() has an object at [0]. Use the result of chainFrom, discover or chainAny, as in chaining([chainFrom(Customer)]).',
    ],
    [
      'a domain type without chainFrom',
      make(chaining, [chainAny(), defineDomainType({ name: 'Customer', schema: v.object({}) })]),
      'chaining() has an object at [1]. Use the result of chainFrom, discover or chainAny, as in chaining([chainFrom(Customer)]).',
    ],
    [
      'a word instead of a chain',
      make(chaining, 'any'),
      "chaining() received 'any'. Pass a list, as in chaining([chainFrom(Customer)]).",
    ],
    [
      'a chained type outside of a list',
      make(chaining, chainAny()),
      'chaining() received an object. Pass a list, as in chaining([chainFrom(Customer)]).',
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('a tool with a decorator, a lock or MCP clients', () => {
  it.each<Mistake>([
    [
      'a function instead of a tool',
      () => withConfirmation((() => tool) as never, 'Pay?'),
      "Tool '': it is the function, not a tool, so it cannot be decorated.",
    ],
    [
      'a tool without defineTool',
      () => withConfirmation({ name: 'pay', description: 'Pays.', run } as never, 'Pay?'),
      "Tool 'pay': it is an object, not a tool, so it cannot be decorated.",
    ],
    [
      'a typo in a lock',
      makePlaybook({ tool, unlockBy: {} }),
      "Tool 'desk': its locked tool at index 0 has 'unlockBy'. Use 'unlockedBy'.",
    ],
    [
      'a name instead of a condition',
      makePlaybook({ tool, unlockedBy: 'pay' }),
      "Tool 'desk': its locked tool at index 0 has 'pay' as its 'unlockedBy'. Use a condition, as in after('name').",
    ],
    [
      'servers instead of the clients of a group',
      makeGroup({ clients: undefined, servers: [] }),
      "Tool group 'docs' has 'servers' instead of 'clients'. Rename it.",
    ],
    [
      'a typo in a group',
      makeGroup({ fliter: run }),
      "Tool group 'docs' has an unknown option 'fliter'. Did you mean 'filter'?",
    ],
    [
      'no clients',
      make(mcpToolProvider, { client: [] }),
      "MCP client '': the clients are undefined. Use a list, as in { clients: [client] }.",
    ],
    [
      'the name of a client',
      make(mcpToolProvider, { clients: ['wiki'] }),
      "MCP client '': 'wiki' is not a client. Use the result of defineMcpClient.",
    ],
    [
      'a client without defineMcpClient',
      makeGroup({ clients: [{ name: 'wiki', url: 'https://wiki.example/mcp' }] }),
      "MCP client 'wiki': an object is not a client. Use the result of defineMcpClient.",
    ],
    [
      'a list of clients instead of one client',
      make(mcpResources, { clients: [] }),
      "MCP client '': an object is not a client. Use the result of defineMcpClient, as in mcpResources(client).",
    ],
    [
      'undefined instead of a client',
      make(mcpResources, undefined as never),
      "MCP client '': undefined is not a client. Use the result of defineMcpClient, as in mcpResources(client).",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('a rarely used definition', () => {
  it.each<Mistake>([
    ['a prompt without a name', makePrompt({ name: '' }), "MCP endpoint: the prompt '' has a blank name."],
    [
      'an argument without a name',
      makePrompt({ arguments: [{ name: ' ' }] }),
      "MCP endpoint: the prompt 'greet' has an argument at index 0 whose name is blank.",
    ],
    [
      'two arguments with the same name',
      makePrompt({ arguments: [{ name: 'who' }, { name: 'who' }] }),
      "MCP endpoint: the prompt 'greet' has two arguments called 'who'.",
    ],
    [
      'a pipeline without steps',
      makePipeline({}),
      "Tool 'chain': it has no 'steps'. Use a list, as in [one, another].",
    ],
    [
      'tools instead of steps in a pipeline',
      makePipeline({ tools: [tool] }),
      "Tool 'chain': it has 'tools' instead of 'steps'. Rename it.",
    ],
    [
      'a typo in a pipeline',
      makePipeline({ steps: [tool], onFailur: 'continue' }),
      "Tool 'chain': it has an unknown option 'onFailur'. Did you mean 'onFailure'?",
    ],
    [
      'a typo in a step of a pipeline',
      makePipeline({ steps: [{ tool, adapter: run }] }),
      "Tool 'chain': its step at index 0 has 'adapter'. Use 'adapt'.",
    ],
    [
      'a domain type without a schema',
      makeType({ schema: undefined }),
      "Domain type 'Customer' has no 'schema'. Use a schema.",
    ],
    [
      'a typo in a domain type',
      makeType({ tool: run }),
      "Domain type 'Customer' has an unknown option 'tool'. Did you mean 'tools'?",
    ],
    [
      'a list as the tools of a domain type',
      makeType({ tools: [tool] }),
      "Domain type 'Customer' has a list as its 'tools'. Use a function.",
    ],
    [
      'a name instead of a domain type',
      make(defineDomainType, 'Customer'),
      "Domain type '' received 'Customer'. Pass one object, as in defineDomainType({ ... }).",
    ],
    [
      'a typo in a module',
      makeModule({ sate: {} }),
      "Module 'uses': it has an unknown option 'sate'. Did you mean 'state'?",
    ],
    [
      'a module whose state is a number',
      makeModule({ state: 0 }),
      "Module 'uses': it has 0 as its 'state'. Use an object.",
    ],
    [
      'a typo in the state of a module',
      makeModule({ state: { intial: 0 } }),
      "Module 'uses': its state has an unknown option 'intial'. Did you mean 'initial'?",
    ],
    [
      'the state of another library',
      makeModule({ state: { initial: 0, reducer: run } }),
      "Module 'uses': its state has 'reducer' instead of 'apply'. Rename it.",
    ],
    ['a module without a name', make(defineModule, {}), "Module '': it has no 'name'. Use a string."],
    [
      'a strategy with two functions',
      makeStrategy({ offer: run, evaluate: run }),
      "Injection strategy 'late' has an unknown option 'evaluate'. Use one of name, offer, mayBecome, remarkOn, uses, discover.",
    ],
    [
      'a list instead of the function of a strategy',
      makeStrategy({ evaluate: [tool] }),
      "Injection strategy 'late' has a list as its 'evaluate'. Use a function.",
    ],
    [
      'a prompt without messages',
      makePrompt({ messages: undefined }),
      "MCP endpoint: the prompt 'greet' has no 'messages'. Use a function.",
    ],
    [
      'text as the messages of a prompt',
      makePrompt({ messages: 'Hello.' }),
      "MCP endpoint: the prompt 'greet' has a string as its 'messages'. Use a function.",
    ],
    [
      'args instead of the arguments of a prompt',
      makePrompt({ args: [] }),
      "MCP endpoint: the prompt 'greet' has 'args' instead of 'arguments'. Rename it.",
    ],
    [
      'a typo in an argument',
      makePrompt({ arguments: [{ name: 'who', require: true }] }),
      "MCP endpoint: the prompt 'greet' has an argument at index 0 that has an unknown option 'require'. Did you mean 'required'?",
    ],
    [
      'a typo in an endpoint',
      makeEndpoint({ prompt: [] }),
      "MCP endpoint: it has an unknown option 'prompt'. Did you mean 'prompts'?",
    ],
    [
      'an endpoint with one tool instead of a list',
      makeEndpoint({ tools: tool }),
      "MCP endpoint: it has an object as its 'tools'. Use a list, as in [one, another].",
    ],
    [
      'a published agent with a name',
      makeEndpoint({ agents: [{ agent: 'clerk', name: 'desk' }] }),
      "MCP endpoint: agents[0] has 'name' instead of 'as'. Rename it.",
    ],
    [
      'a number as a published agent',
      makeEndpoint({ agents: [7] }),
      'MCP endpoint: agents[0] is 7. Use an agent, its name, or { agent, as, description }.',
    ],
    [
      'a typo in tool-calling options',
      makeOptions({ toolName: ['pay'] }),
      "ToolCallingOptions: it has an unknown option 'toolName'. Did you mean 'toolNames'?",
    ],
    [
      'tool-calling options with a context',
      makeOptions({ context: {} }),
      "ToolCallingOptions: it has 'context' instead of 'toolContext'. Rename it.",
    ],
    [
      'tool-calling options with one tool instead of a list',
      makeOptions({ tools: tool }),
      "ToolCallingOptions: it has an object as its 'tools'. Use a list, as in [one, another].",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});
