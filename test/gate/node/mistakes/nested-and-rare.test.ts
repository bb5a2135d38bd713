/** What somebody writes by mistake inside the literal of another, and in the literals that few apps have: each with the whole message. */

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
import { type Mistake, make, ofAgent, run, told, tool } from './mistake.ts';

const LIMITS = 'iterations, tokens, maxGenerations, maxScheduled';
const SETTINGS =
  'temperature, topP, topK, seed, stop, reasoning, parallelToolCalls, providerOptions, maxOutputTokens, toolChoice, timeout';

const ofDig = (config: object) =>
  make(defineAgenticTool, { name: 'dig', description: 'Digs.', tools: [], ...config });

const ofModel = (settings: object) =>
  make(openaiCompatible, { baseURL: 'https://model.example', apiKey: 'k', model: 'm', settings });

describe('a nested key in the options of an agent', () => {
  it.each<Mistake>([
    [
      'a limit with a slip',
      ofAgent({ limits: { iteration: 5 } }),
      "Agent 'clerk' has a limit 'iteration' of 5. Use 'iterations'.",
    ],
    [
      'a limit of another library',
      ofAgent({ limits: { maxSteps: 5 } }),
      "Agent 'clerk' has a limit 'maxSteps' of 5. Use 'iterations'.",
    ],
    [
      'a limit that there is not',
      ofAgent({ limits: { minutes: 5 } }),
      `Agent 'clerk' has a limit 'minutes' of 5. Use one of ${LIMITS}.`,
    ],
    [
      'a limit of an agentic tool',
      ofDig({ limits: { toolCalls: 5 } }),
      "Tool 'dig': its limit 'toolCalls' is 5. Use 'use: [callLimits({ toolCalls })], with callLimits from holdfast/limits'.",
    ],
    [
      'a limit of a manager',
      make(createToolCallingManager, { limits: { toolCall: 5 } }),
      "createToolCallingManager: callLimits: toolCall is 5. Use 'toolCalls'.",
    ],
    [
      'a policy of a manager that cannot be followed',
      make(createToolCallingManager, { returnDirect: 'some' }),
      "createToolCallingManager: returnDirect is some. Use 'all' or 'any'.",
    ],
    [
      'a setting with a slip',
      ofAgent({ settings: { temprature: 0 } }),
      "Agent 'clerk' has a setting 'temprature' of 0. Use 'temperature'.",
    ],
    [
      'a setting of another library',
      ofAgent({ settings: { maxTokens: 100 } }),
      "Agent 'clerk' has a setting 'maxTokens' of 100. Use 'maxOutputTokens'.",
    ],
    [
      'a setting that there is not',
      ofAgent({ settings: { verbosity: 'low' } }),
      `Agent 'clerk' has a setting 'verbosity' of 'low'. Use one of ${SETTINGS}.`,
    ],
    [
      'a chaining of an agentic tool',
      ofDig({ chaining: ['any'] }),
      "Tool 'dig': it has 'chaining': write use: [chaining([chainFrom(Customer)])], and import { chainFrom, chaining } from 'holdfast/kinds'.",
    ],
    [
      'a setting of an agentic tool',
      ofDig({ settings: { top_p: 1 } }),
      "Tool 'dig': it has a setting 'top_p' of 1. Use 'topP'.",
    ],
    ['a setting of a model', ofModel({ temprature: 0 }), "'settings.temprature' is 0. Use 'temperature'."],
    [
      'a policy with a slip',
      ofAgent({ policies: { unknownTool: {} } }),
      "Agent 'clerk' has a policy 'unknownTool' of an object. Use 'unknownTools'.",
    ],
    [
      'a key inside a policy',
      ofAgent({ policies: { blankReplies: { retrys: 3 } } }),
      "Agent 'clerk' has a policy 'blankReplies.retrys' of 3. Use 'retries'.",
    ],
    [
      'a time of a model',
      ofAgent({ settings: { timeout: { ms: 5_000 } } }),
      `Agent 'clerk' has a setting 'timeout' of {"ms":5000}. Use { total, silence }, each a whole number of ms from 1 to 86400000.`,
    ],
  ])('%s', told);

  it('can be the agent that was spread into another', () => {
    const first = ofAgent({
      limits: { iterations: 3, tokens: undefined },
      settings: { temperature: 0, timeout: { total: 1_000 } },
      policies: { blankReplies: { retries: 2 } },
    })();
    expect(ofAgent({ ...Object(first), name: 'second' })()).toMatchObject({
      limits: { iterations: 3 },
      settings: { temperature: 0, timeout: { total: 1_000 } },
      policies: { blankReplies: { retries: 2, end: 'failed' } },
    });
  });
});

const ofPipeline = (config: object) => make(definePipeline, { name: 'chain', ...config });
const ofType = (config: object) =>
  make(defineDomainType, { name: 'Customer', schema: v.object({ id: v.string() }), ...config });
const ofModule = (config: object) => make(defineModule, { name: 'uses', ...config });
const ofStrategy = (config: object) => make(defineInjectionStrategy, { name: 'late', ...config });
const ofPrompt = (config: object) =>
  make(defineMcpPrompt, { name: 'greet', description: 'Greets.', messages: run, ...config });
const ofEndpoint = (config: object) => make(defineMcpEndpoint, config);
const ofOptions = (config: object) => make(defineToolCallingOptions, config);

const ofGroup = (config: object) =>
  make(defineMcpToolGroup, { role: 'docs', description: 'Docs.', clients: [], ...config });
const ofPlaybook = (locked: object) =>
  make(definePlaybook, { name: 'desk', description: 'Helps.', tools: [tool], locked: [locked] });

describe('an entry in a list of an agent', () => {
  it.each<Mistake>([
    [
      'a function as a strategy',
      ofAgent({ use: [run] }),
      "Agent 'clerk' has the function run at use[0]. Use the result of a module, such as summarize({ overTokens }).",
    ],
    [
      'strategies as an option',
      ofAgent({ strategies: [run] }),
      "Agent 'clerk' has 'strategies': write use: [defineInjectionStrategy({ name, evaluate })], and import { defineInjectionStrategy } from 'holdfast/kinds'.",
    ],
    [
      'the literal of a transformer as a module',
      ofAgent({ use: [{ name: 'cut', result: run }] }),
      "Agent 'clerk' has an object at use[0]. Use the result of a module, such as summarize({ overTokens }).",
    ],
    [
      'inspectors without their module',
      ofAgent({ inspectors: [{}] }),
      "Agent 'clerk' has 'inspectors' instead of 'use: [inspect(...)]'. Replace it.",
    ],
    [
      'groups as an option',
      ofAgent({ toolGroups: ['web'] }),
      "Agent 'clerk' has 'toolGroups': write tools: [toolGroup('web')], and import { toolGroup } from 'holdfast/tool-groups'.",
    ],
    [
      'permissions as an option',
      ofAgent({ permissions: ['internet-access'] }),
      "Agent 'clerk' has 'permissions': write tools: [toolGroup('web', { permissions: ['internet-access'] })], and import { toolGroup } from 'holdfast/tool-groups'.",
    ],
    [
      'a slip in a wish for a group',
      () => toolGroup('docs', { permission: [] } as object),
      "toolGroup('docs') has 'permission', which toolGroup does not take. Did you mean 'permissions'?",
    ],
    [
      'a permission that there is not',
      () => toolGroup('docs', { permissions: ['everything' as never] }),
      "toolGroup('docs') has a list as its 'permissions'. Use a list of 'internet-access' or 'host-access'.",
    ],
    [
      'a wish for no role',
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
      ofAgent({ references: [{ name: 'manual' }] }),
      "Agent 'clerk' has 'references': write tools: [defineReference({ name, description, notes, tools })], and import { defineReference } from 'holdfast/tool-groups'.",
    ],
    [
      'the literal of a reference',
      ofAgent({ tools: [{ name: 'manual', description: 'Rules.', notes: 'Quote.', tools: [] }] }),
      "Agent 'clerk' cannot have these tools: Tool at index 0 ('manual') is the literal of a reference: make it one with defineReference of 'holdfast/tool-groups'.",
    ],
    [
      'chaining as an option',
      ofAgent({ chaining: [chainAny()] }),
      "Agent 'clerk' has 'chaining': write use: [chaining([chainFrom(Customer)])], and import { chainFrom, chaining } from 'holdfast/kinds'.",
    ],
    [
      'a schema that is chained',
      make(chaining, [v.object({})]),
      'chaining() has an object at [0]. Use the result of chainFrom, discover or chainAny, as in chaining([chainFrom(Customer)]).',
    ],
    [
      'a domain type that is chained without what chains it',
      make(chaining, [chainAny(), defineDomainType({ name: 'Customer', schema: v.object({}) })]),
      'chaining() has an object at [1]. Use the result of chainFrom, discover or chainAny, as in chaining([chainFrom(Customer)]).',
    ],
    [
      "the word 'any'",
      make(chaining, 'any'),
      "chaining() received 'any'. Use a list, as in chaining([chainFrom(Customer)]).",
    ],
    [
      'what is chained, outside of a list',
      make(chaining, chainAny()),
      'chaining() received an object. Use a list, as in chaining([chainFrom(Customer)]).',
    ],
  ])('%s', told);
});

describe('a tool that is decorated, locked or requested from MCP servers', () => {
  it.each<Mistake>([
    [
      'a function that makes a tool',
      () => withConfirmation((() => tool) as never, 'Pay?'),
      "Tool '': it is the function, not a tool, so it cannot be decorated.",
    ],
    [
      'the literal of a tool',
      () => withConfirmation({ name: 'pay', description: 'Pays.', run } as never, 'Pay?'),
      "Tool 'pay': it is an object, not a tool, so it cannot be decorated.",
    ],
    [
      'a slip in a lock',
      ofPlaybook({ tool, unlockBy: {} }),
      "Tool 'desk': its locked tool at index 0 has 'unlockBy'. Use 'unlockedBy'.",
    ],
    [
      'a name in place of a condition',
      ofPlaybook({ tool, unlockedBy: 'pay' }),
      "Tool 'desk': its locked tool at index 0 has 'pay' as its 'unlockedBy'. Use a condition, as in after('name').",
    ],
    [
      'servers of a group',
      ofGroup({ clients: undefined, servers: [] }),
      "Tool group 'docs' has 'servers' instead of 'clients'. Rename it.",
    ],
    [
      'a slip in a group',
      ofGroup({ fliter: run }),
      "Tool group 'docs' has 'fliter', which defineMcpToolGroup does not take. Did you mean 'filter'?",
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
      'the literal of a client',
      ofGroup({ clients: [{ name: 'wiki', url: 'https://wiki.example/mcp' }] }),
      "MCP client 'wiki': an object is not a client. Use the result of defineMcpClient.",
    ],
    [
      'a list of clients in place of one',
      make(mcpResources, { clients: [] }),
      "MCP client '': an object is not a client. Use one that defineMcpClient has made, as in mcpResources(client).",
    ],
    [
      'no client',
      make(mcpResources, undefined as never),
      "MCP client '': undefined is not a client. Use one that defineMcpClient has made, as in mcpResources(client).",
    ],
  ])('%s', told);
});

describe('rarely used options', () => {
  it.each<Mistake>([
    [
      'a prompt without a name',
      ofPrompt({ name: '' }),
      "MCP endpoint: the prompt '' has a name that is blank.",
    ],
    [
      'an argument without a name',
      ofPrompt({ arguments: [{ name: ' ' }] }),
      "MCP endpoint: the prompt 'greet' has an argument at index 0 whose name is blank.",
    ],
    [
      'two arguments of one name',
      ofPrompt({ arguments: [{ name: 'who' }, { name: 'who' }] }),
      "MCP endpoint: the prompt 'greet' has two arguments called 'who'.",
    ],
    [
      'a pipeline without steps',
      ofPipeline({}),
      "Tool 'chain': it has no 'steps'. Use a list, as in [one, another].",
    ],
    [
      'a pipeline of tools',
      ofPipeline({ tools: [tool] }),
      "Tool 'chain': it has 'tools' instead of 'steps'. Rename it.",
    ],
    [
      'a pipeline with a slip',
      ofPipeline({ steps: [tool], onFailur: 'continue' }),
      "Tool 'chain': it has 'onFailur', which definePipeline does not take. Did you mean 'onFailure'?",
    ],
    [
      'a step that is adapted with a slip',
      ofPipeline({ steps: [{ tool, adapter: run }] }),
      "Tool 'chain': its step at index 0 has 'adapter'. Use 'adapt'.",
    ],
    [
      'a domain type without a schema',
      ofType({ schema: undefined }),
      "Domain type 'Customer' has no 'schema'. Use a schema.",
    ],
    [
      'a domain type with a slip',
      ofType({ tool: run }),
      "Domain type 'Customer' has 'tool', which defineDomainType does not take. Did you mean 'tools'?",
    ],
    [
      'the tools of a domain type as a list',
      ofType({ tools: [tool] }),
      "Domain type 'Customer' has a list as its 'tools'. Use a function.",
    ],
    [
      'a schema in place of a domain type',
      make(defineDomainType, 'Customer'),
      "Domain type '' received 'Customer'. Pass one object, as in defineDomainType({ ... }).",
    ],
    [
      'a module with a slip',
      ofModule({ sate: {} }),
      "Module 'uses': it has 'sate', which defineModule does not take. Did you mean 'state'?",
    ],
    [
      'a module whose state is a number',
      ofModule({ state: 0 }),
      "Module 'uses': it has 0 as its 'state'. Use an object.",
    ],
    [
      'a state with a slip',
      ofModule({ state: { intial: 0 } }),
      "Module 'uses': its state has 'intial', which the state of a module does not take. Did you mean 'initial'?",
    ],
    [
      'a state of another library',
      ofModule({ state: { initial: 0, reducer: run } }),
      "Module 'uses': its state has 'reducer' instead of 'apply'. Rename it.",
    ],
    ['a module without a name', make(defineModule, {}), "Module '': it has no 'name'. Use a string."],
    [
      'a strategy of both forms',
      ofStrategy({ offer: run, evaluate: run }),
      "Injection strategy 'late' has 'evaluate', which defineInjectionStrategy does not take. It takes name, offer, mayBecome, remarkOn, uses, discover.",
    ],
    [
      'a strategy that is no function',
      ofStrategy({ evaluate: [tool] }),
      "Injection strategy 'late' has a list as its 'evaluate'. Use a function.",
    ],
    [
      'a prompt without messages',
      ofPrompt({ messages: undefined }),
      "MCP endpoint: the prompt 'greet' has no 'messages'. Use a function.",
    ],
    [
      'a prompt whose messages are a text',
      ofPrompt({ messages: 'Hello.' }),
      "MCP endpoint: the prompt 'greet' has a string as its 'messages'. Use a function.",
    ],
    [
      'args of a prompt',
      ofPrompt({ args: [] }),
      "MCP endpoint: the prompt 'greet' has 'args' instead of 'arguments'. Rename it.",
    ],
    [
      'an argument with a slip',
      ofPrompt({ arguments: [{ name: 'who', require: true }] }),
      "MCP endpoint: the prompt 'greet' has an argument at index 0 that has 'require', which an argument of a prompt does not take. Did you mean 'required'?",
    ],
    [
      'an endpoint with a slip',
      ofEndpoint({ prompt: [] }),
      "MCP endpoint: it has 'prompt', which defineMcpEndpoint does not take. Did you mean 'prompts'?",
    ],
    [
      'an endpoint of one tool',
      ofEndpoint({ tools: tool }),
      "MCP endpoint: it has an object as its 'tools'. Use a list, as in [one, another].",
    ],
    [
      'a published agent with a name',
      ofEndpoint({ agents: [{ agent: 'clerk', name: 'desk' }] }),
      "MCP endpoint: agents[0] has 'name' instead of 'as'. Rename it.",
    ],
    [
      'a published agent that is none',
      ofEndpoint({ agents: [7] }),
      'MCP endpoint: agents[0] is 7. Use an agent, its name, or { agent, as, description }.',
    ],
    [
      'options with a slip',
      ofOptions({ toolName: ['pay'] }),
      "ToolCallingOptions: it has 'toolName', which defineToolCallingOptions does not take. Did you mean 'toolNames'?",
    ],
    [
      'options with a context',
      ofOptions({ context: {} }),
      "ToolCallingOptions: it has 'context' instead of 'toolContext'. Rename it.",
    ],
    [
      'options with one tool',
      ofOptions({ tools: tool }),
      "ToolCallingOptions: it has an object as its 'tools'. Use a list, as in [one, another].",
    ],
  ])('%s', told);
});
