/** Tests mistakes of newcomers in lists of tools and in JSON Schemas. Each case has the whole message. */

import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import {
  after,
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  defineUnfolding,
} from '../../../../src/kinds/entry.ts';
import { defineMcpClient } from '../../../../src/mcp/tools/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import { defineWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { expectMessage, type Mistake, make, makeAgent, makeTool, run, tool } from './mistake.ts';

const makeWithInput = (schema: object) => makeTool({ input: jsonSchema({ type: 'object', ...schema }) });

class Calculator {
  static readonly tools = toolTable<Calculator>({ add: { description: 'Adds.' } });
  add() {
    return 2;
  }
}
class Sums {
  static readonly tools = toolTable<Sums>({ add: { description: 'Adds.' } });
  add() {
    return 2;
  }
}
const add = defineTool({ name: 'add', description: 'Adds.', run });
class Plain {}
class Bare {
  static readonly tools = { add: { description: 'Adds.' } };
  add() {
    return 2;
  }
}
class Behind {
  static readonly unfolding = { name: 'files', description: 'Files.' };
  readonly root = '/';
}

const INVALID_TOOLS_PREFIX = "Agent 'clerk' cannot have these tools: Tool at index 0";

describe('a list of tools', () => {
  it.each<Mistake>([
    [
      'a function that makes a tool',
      makeAgent({ tools: [() => tool] }),
      `${INVALID_TOOLS_PREFIX} ('') is a function. Call it, and list its result, or pass it to toolFactory.`,
    ],
    [
      'a promise of a tool',
      makeAgent({ tools: [Promise.resolve(tool)] }),
      `${INVALID_TOOLS_PREFIX} is a promise. Await it, and list its result.`,
    ],
    [
      'the name of a tool',
      makeAgent({ tools: ['pay'] }),
      `${INVALID_TOOLS_PREFIX} is 'pay'. List the tool itself.`,
    ],
    ['undefined', makeAgent({ tools: [undefined] }), `${INVALID_TOOLS_PREFIX} must not be undefined.`],
    [
      'a nested list',
      makeAgent({ tools: [[tool]] }),
      `${INVALID_TOOLS_PREFIX} is a list. Spread it, as in [...tools].`,
    ],
    [
      'a tool without defineTool',
      makeAgent({ tools: [{ name: 'pay', description: 'Pays.', run }] }),
      `${INVALID_TOOLS_PREFIX} ('pay') is the literal of a tool. Pass it to defineTool.`,
    ],
    [
      'an AI SDK tool',
      makeAgent({ tools: [{ description: 'Pays.', inputSchema: {}, execute: run }] }),
      `${INVALID_TOOLS_PREFIX} is an AI SDK tool. Convert it with fromAiTool(tool, { name }) from 'holdfast/tools/ai-sdk'.`,
    ],
    [
      'a class instead of an instance',
      makeAgent({ tools: [Calculator] }),
      "The static 'tools' of Calculator list 'add', which is not one of its methods. Its instances have it. Use new Calculator().",
    ],
    [
      'an object whose table has only plain data',
      makeAgent({ tools: [new Bare()] }),
      `${INVALID_TOOLS_PREFIX} (Bare) has a 'tools' table of plain data. Make it with toolTable<Bare>({ ... }).`,
    ],
    [
      'an object whose class has only an unfolding',
      makeAgent({ tools: [new Behind()] }),
      `${INVALID_TOOLS_PREFIX} (Behind) has a static 'unfolding'. List unfoldingOf(...) of it.`,
    ],
    [
      'a plain object of tools',
      makeAgent({ tools: [{ pay: { description: 'Pays.', run } }] }),
      `${INVALID_TOOLS_PREFIX} is a plain object of tools. List ...toolsOf({ ... }).`,
    ],
    [
      'an instance without tools',
      makeAgent({ tools: [new Plain()] }),
      `${INVALID_TOOLS_PREFIX} (Plain) is neither a tool nor a tool provider, and its class has no static 'tools' table.`,
    ],
    [
      'an agent',
      makeAgent({ tools: [makeAgent({})()] }),
      `${INVALID_TOOLS_PREFIX} ('clerk') is an agent. List its tools instead.`,
    ],
    [
      'two tools with the same name',
      makeAgent({ tools: [tool, makeTool({})()] }),
      "Agent 'clerk' cannot have these tools: Duplicate tool name: 'pay', at index 0 and 1. Rename one, as with withName from 'holdfast/decorators'.",
    ],
    [
      'two tools with the same name, one of them from an object',
      makeAgent({ tools: [tool, add, new Sums()] }),
      "Agent 'clerk' cannot have these tools: Duplicate tool name: 'add', at index 1 and 2 (Sums). Rename one, as with toolsOf(object, { prefix: 'sums_' }) from 'holdfast/tool-objects'.",
    ],
    [
      'two objects of the same class',
      makeAgent({ tools: [new Sums(), new Sums()] }),
      "Agent 'clerk' cannot have these tools: Duplicate tool name: 'add', at index 0 (Sums) and 1 (Sums). Rename one, as with toolsOf(object, { prefix: 'sums_' }) from 'holdfast/tool-objects'.",
    ],
    [
      'two tools with the same name, one of them locked',
      make(definePlaybook, {
        name: 'book',
        description: 'By the book.',
        tools: [tool],
        locked: [{ tool: makeTool({})(), unlockedBy: after('pay') }],
      }),
      "Tool 'book': it has more than one tool 'pay'. Rename one, as with withName from 'holdfast/decorators'.",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

const namedConfig = { name: 'desk', description: 'Helps.' };
const makeSubagent = (config: object) => make(defineSubagent, config);

describe('a tool with inner tools, a group or a webhook', () => {
  it.each<Mistake>([
    [
      'no tools in an agentic tool',
      make(defineAgenticTool, namedConfig),
      "Tool 'desk': it has no 'tools'. Use a list, as in [one, another].",
    ],
    [
      'the name of a model',
      make(defineAgenticTool, { ...namedConfig, tools: [], model: 'gpt-5' }),
      "Tool 'desk': it has 'gpt-5' as its 'model'. Use a model, as in openaiCompatible({ baseURL, apiKey, model: 'gpt-5' }), or a function that makes one from the environment.",
    ],
    [
      'unlocked tools in a playbook',
      make(definePlaybook, { ...namedConfig, tools: [], unlocked: [] }),
      "Tool 'desk': it has an unknown option 'unlocked'. Did you mean 'locked'?",
    ],
    [
      'state in a state machine',
      make(defineStateMachine, { ...namedConfig, state: {}, initial: 'a' }),
      "Tool 'desk': it has an unknown option 'state'. Did you mean 'states'?",
    ],
    [
      'innerTools in an unfolding tool',
      make(defineUnfolding, { ...namedConfig, innerTools: [] }),
      "Tool 'desk': it has 'innerTools' instead of 'tools'. Rename it.",
    ],
    [
      'agents in a subagent',
      makeSubagent({ agents: 'clerk' }),
      "Tool '': it has an unknown option 'agents'. Did you mean 'agent'?",
    ],
    [
      'a tool as the agent of a subagent',
      makeSubagent({ agent: tool }),
      "Tool 'pay': its agent is neither a result of defineAgent nor the name of an agent.",
    ],
    [
      'permission in a group',
      make(defineToolGroup, { role: 'web', description: 'Web.', tools: [], permission: [] }),
      "Tool group 'web' has an unknown option 'permission'. Did you mean 'permissions'?",
    ],
    [
      'a group without tools',
      make(defineToolGroup, { role: 'web', description: 'Web.' }),
      "Tool group 'web' has no 'tools'. Use a list, as in [one, another].",
    ],
    [
      'a webhook without start',
      make(defineWebhook, { name: 'hook', verify: run }),
      "Webhook 'hook' has no 'start'. Use a function.",
    ],
    [
      'a webhook with a typo',
      make(defineWebhook, { name: 'hook', verify: run, strat: run }),
      "Webhook 'hook' has an unknown option 'strat'. Did you mean 'start'?",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('defineMcpClient', () => {
  it.each<Mistake>([
    [
      'command',
      make(defineMcpClient, { name: 'docs', command: 'npx' }),
      "MCP client 'docs': it has 'command' instead of 'url (a server that speaks HTTP)'. Replace it.",
    ],
    ['no url', make(defineMcpClient, { name: 'docs' }), "MCP client 'docs': it has no 'url'. Use a URL."],
    [
      'timeOut',
      make(defineMcpClient, { name: 'docs', url: 'https://docs.example', timeOut: 1 }),
      "MCP client 'docs': it has an unknown option 'timeOut'. Did you mean 'timeout'?",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('the JSON Schema of an input', () => {
  it.each<Mistake>([
    [
      'no type',
      makeTool({ input: { properties: {} } }),
      "Tool 'pay': its input must be an object schema, since a model sends a JSON object: v.object({ ... }), z.object({ ... }), or jsonSchema({ type: 'object', ... }). Put anything else into a property.",
    ],
    [
      'a format that is not checked',
      makeWithInput({ properties: { to: { format: 'phone' } } }),
      'Tool \'pay\': its input has an assertion that Holdfast cannot check: `format: "phone"` at `$.properties.to`. Use other keywords, such as a `pattern`, or the description, or a schema library, which has its own checks.',
    ],
    [
      'a typo in properties',
      makeWithInput({ propertis: {} }),
      "Tool 'pay': its input has a mistake: 'propertis' at `$` is not a keyword. Did you mean 'properties'?",
    ],
    [
      'a typo in required',
      makeWithInput({ properties: { a: {} }, requird: ['a'] }),
      "Tool 'pay': its input has a mistake: 'requird' at `$` is not a keyword. Did you mean 'required'?",
    ],
    [
      'a typo in a nested description',
      makeWithInput({ properties: { a: { descripton: 'x' } } }),
      "Tool 'pay': its input has a mistake: 'descripton' at `$.properties.a` is not a keyword. Did you mean 'description'?",
    ],
    [
      'the unknown type strng',
      makeWithInput({ properties: { a: { type: 'strng' } } }),
      "Tool 'pay': its input has a mistake: the type 'strng' at `$.properties.a` is unknown. Did you mean 'string'?",
    ],
    [
      'the unknown type int',
      makeWithInput({ properties: { a: { type: 'int' } } }),
      "Tool 'pay': its input has a mistake: the type 'int' at `$.properties.a` is unknown. Did you mean 'integer'?",
    ],
    [
      'the unknown type date',
      makeWithInput({ properties: { a: { type: 'date' } } }),
      "Tool 'pay': its input has a mistake: the type 'date' at `$.properties.a` is unknown. Use one of string, number, integer, boolean, object, array, null.",
    ],
    [
      'a number as a type',
      makeWithInput({ properties: { a: { type: 5 } } }),
      "Tool 'pay': its input has a mistake: the type 5 at `$.properties.a` is unknown. Use one of string, number, integer, boolean, object, array, null.",
    ],
    [
      'a type instead of a schema',
      makeWithInput({ properties: { a: 'string' } }),
      "Tool 'pay': its input has a mistake: `$.properties.a` is 'string'. Use a schema, as in { type: 'string' }.",
    ],
    [
      'a list of properties',
      makeWithInput({ properties: ['a'] }),
      "Tool 'pay': its input has a mistake: 'properties' at `$` is a list. Use an object of schemas.",
    ],
    [
      'required inside a property',
      makeWithInput({ properties: { a: { type: 'string', required: true } } }),
      "Tool 'pay': its input has a mistake: 'required' at `$.properties.a` is true. Use a list of names, beside 'properties'.",
    ],
    [
      'an enum that is not a list',
      makeWithInput({ properties: { a: { enum: 'x' } } }),
      "Tool 'pay': its input has a mistake: 'enum' at `$.properties.a` is 'x'. Use a list of values.",
    ],
    [
      'a required property that does not exist',
      makeWithInput({ properties: { city: {}, days: {} }, required: ['town'] }),
      "Tool 'pay': its input has a mistake: 'town' is required at `$` and is not one of its properties: 'city', 'days'.",
    ],
    [
      'a typo in the properties of an output',
      makeAgent({ output: jsonSchema({ type: 'object', propertis: {} }) }),
      "Agent 'clerk' has an output that has a mistake: 'propertis' at `$` is not a keyword. Did you mean 'properties'?",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('a correct JSON Schema', () => {
  it.each<[string, object]>([
    [
      'has custom annotations',
      { properties: { a: { example: 1, 'x-order': 2, nullable: true, note: 'n' } } },
    ],
    [
      'has properties that are named like keywords',
      { properties: { propertis: {}, type: { type: 'string' }, required: {} } },
    ],
    [
      'requires in a subschema a property of the whole schema',
      {
        properties: { a: {}, b: {} },
        anyOf: [{ required: ['a'] }, { properties: { b: {} }, required: ['a'] }],
      },
    ],
    [
      'requires a property that a pattern allows',
      { properties: { a: {} }, patternProperties: { '^x-': {} }, required: ['x-b'] },
    ],
    ['allows several types', { properties: { a: { type: ['string', 'null'] } } }],
  ])('is accepted if it %s', (_, schema) => {
    expect(makeWithInput(schema)()).toMatchObject({ name: 'pay' });
  });
});
