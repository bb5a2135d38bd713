/**
 * Tests mistakes that a newcomer makes. Each case has the whole message, which explains the fix. The types
 * reject most of these mistakes, but plain JavaScript does not.
 */
import { describe, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { expectMessage, type Mistake, make, makeAgent, makeTool, run, tool } from './mistake.ts';

const AGENT_KEYS =
  'name, description, instructions, tools, model, settings, ' +
  'accepts, use, limits, policies, context, output';

const makeManual = (config: object) =>
  make(defineManualTool, { name: 'pay', description: 'Pays.', ...config });

describe('defineManualTool', () => {
  it.each<Mistake>([
    [
      'run',
      makeManual({ run }),
      "Tool 'pay': it has 'run', but its caller runs it. Omit it, or use defineTool from 'holdfast' for a tool that runs here.",
    ],
    [
      'effect',
      makeManual({ effect: 'read' }),
      "Tool 'pay': it has 'effect', but its caller runs it, and the turn waits for the result. Omit it.",
    ],
    ['no name', makeManual({ name: undefined }), "Tool '': it has no 'name'. Use a string."],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('defineTool', () => {
  it.each<Mistake>([
    [
      'execute',
      makeTool({ execute: run, run: undefined }),
      "Tool 'pay': it has 'execute' instead of 'run'. Rename it.",
    ],
    [
      'handler',
      makeTool({ handler: run, run: undefined }),
      "Tool 'pay': it has 'handler' instead of 'run'. Rename it.",
    ],
    [
      'func',
      makeTool({ func: run, run: undefined }),
      "Tool 'pay': it has 'func' instead of 'run'. Rename it.",
    ],
    [
      'parameters',
      makeTool({ parameters: {} }),
      "Tool 'pay': it has 'parameters' instead of 'input'. Rename it.",
    ],
    [
      'inputSchema',
      makeTool({ inputSchema: {} }),
      "Tool 'pay': it has 'inputSchema' instead of 'input'. Rename it.",
    ],
    ['schema', makeTool({ schema: {} }), "Tool 'pay': it has 'schema' instead of 'input'. Rename it."],
    [
      'outputSchema',
      makeTool({ outputSchema: {} }),
      "Tool 'pay': it has 'outputSchema' instead of 'output'. Rename it.",
    ],
    [
      'needsApproval',
      makeTool({ needsApproval: true }),
      "Tool 'pay': it has 'needsApproval' instead of 'withConfirmation(tool)'. Replace it.",
    ],
    ['id', makeTool({ name: undefined, id: 'pay' }), "Tool '': it has 'id' instead of 'name'. Rename it."],
    [
      'discription',
      makeTool({ description: undefined, discription: 'Pays.' }),
      "Tool 'pay': it has an unknown option 'discription'. Did you mean 'description'?",
    ],
    [
      'inputs',
      makeTool({ inputs: {} }),
      "Tool 'pay': it has an unknown option 'inputs'. Did you mean 'input'?",
    ],
    [
      'timeOut',
      makeTool({ timeOut: 1 }),
      "Tool 'pay': it has an unknown option 'timeOut'. Did you mean 'timeout'?",
    ],
    [
      'call',
      makeTool({ call: run, run: undefined }),
      "Tool 'pay': it has an unknown option 'call'. Use one of name, description, input, run, effect, reconcile, timeout, subrequests, serial, returnDirect, expose, metadata, output.",
    ],
    [
      'no run',
      makeTool({ run: undefined }),
      "Tool 'pay': it has no 'run'. Use a function, or defineManualTool from 'holdfast/answers' where the caller runs it.",
    ],
    [
      'manual instead of defineManualTool',
      makeTool({ run: undefined, manual: true }),
      "Tool 'pay': it has 'manual' instead of 'defineManualTool'. Replace it.",
    ],
    ['no name', makeTool({ name: undefined }), "Tool '': it has no 'name'. Use a string."],
    [
      'no description',
      makeTool({ description: undefined }),
      "Tool 'pay': it has no 'description'. Use a string.",
    ],
    ['a name that is a number', makeTool({ name: 7 }), "Tool '': it has 7 as its 'name'. Use a string."],
    [
      'a blank description',
      makeTool({ description: ' ' }),
      "Tool 'pay': its description is blank. The model chooses tools by their descriptions.",
    ],
    [
      'a name with a space',
      makeTool({ name: 'pay now' }),
      "Tool 'pay now': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a run that is a promise',
      makeTool({ run: Promise.resolve('ok') }),
      "Tool 'pay': it has a promise as its 'run'. Use a function.",
    ],
    [
      'text as the input',
      makeTool({ input: 'city' }),
      "Tool 'pay': it has 'city' as its 'input'. Use a schema.",
    ],
    [
      'text as returnDirect',
      makeTool({ returnDirect: 'yes' }),
      "Tool 'pay': it has 'yes' as its 'returnDirect'. Use true or false.",
    ],
    [
      'an effect in capitals',
      makeTool({ effect: 'Once' }),
      "Tool 'pay': its effect is 'Once'. It must be 'read' or 'idempotent' or 'once'. Did you mean 'once'?",
    ],
    [
      'a timeout of zero',
      makeTool({ timeout: 0 }),
      "Tool 'pay': its timeout is 0. It must be more than 0 and at most 900000 milliseconds.",
    ],
    [
      'a name instead of the definition',
      make(defineTool, 'pay'),
      "Tool '': it received 'pay'. Pass one object, as in defineTool({ ... }).",
    ],
    [
      'undefined',
      make(defineTool, undefined),
      "Tool '': it received undefined. Pass one object, as in defineTool({ ... }).",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('defineAgent', () => {
  it.each<Mistake>([
    [
      'instrutions',
      makeAgent({ instructions: undefined, instrutions: 'Pay.' }),
      "Agent 'clerk' has an unknown option 'instrutions'. Did you mean 'instructions'?",
    ],
    [
      'instruction',
      makeAgent({ instruction: 'Pay.' }),
      "Agent 'clerk' has an unknown option 'instruction'. Did you mean 'instructions'?",
    ],
    ['tool', makeAgent({ tool: [] }), "Agent 'clerk' has an unknown option 'tool'. Did you mean 'tools'?"],
    [
      'memory',
      makeAgent({ memory: {} }),
      `Agent 'clerk' has an unknown option 'memory'. Use one of ${AGENT_KEYS}.`,
    ],
    [
      'system',
      makeAgent({ instructions: undefined, system: 'Pay.' }),
      "Agent 'clerk' has 'system' instead of 'instructions'. Rename it.",
    ],
    [
      'prompt',
      makeAgent({ instructions: undefined, prompt: 'Pay.' }),
      "Agent 'clerk' has 'prompt' instead of 'instructions'. Rename it.",
    ],
    [
      'maxSteps',
      makeAgent({ maxSteps: 5 }),
      "Agent 'clerk' has 'maxSteps' instead of 'limits: { iterations }'. Replace it.",
    ],
    [
      'temperature',
      makeAgent({ temperature: 0 }),
      "Agent 'clerk' has 'temperature' instead of 'settings: { temperature }'. Replace it.",
    ],
    [
      'subagents',
      makeAgent({ subagents: [] }),
      "Agent 'clerk' has 'subagents' instead of 'tools: [defineSubagent({ agent })]'. Replace it.",
    ],
    [
      'outputSchema',
      makeAgent({ outputSchema: {} }),
      "Agent 'clerk' has 'outputSchema' instead of 'output'. Rename it.",
    ],
    ['no name', makeAgent({ name: undefined }), "Agent '' has no 'name'. Use a string."],
    [
      'no instructions',
      makeAgent({ instructions: undefined }),
      "Agent 'clerk' has no 'instructions'. Use a string.",
    ],
    [
      'instructions that are a number',
      makeAgent({ instructions: 5 }),
      "Agent 'clerk' has 5 as its 'instructions'. Use a string.",
    ],
    [
      'instructions that are a list',
      makeAgent({ instructions: ['Pay.'] }),
      "Agent 'clerk' has a list as its 'instructions'. Use a string.",
    ],
    [
      'a name with a space',
      makeAgent({ name: 'my clerk' }),
      "Agent 'my clerk' is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a blank description',
      makeAgent({ description: '' }),
      "Agent 'clerk' has '' as its 'description'. Use a string that is not blank.",
    ],
    [
      'limits that are a number',
      makeAgent({ limits: 5 }),
      "Agent 'clerk' has 5 as its 'limits'. Use an object.",
    ],
    [
      'an object of tools by name',
      makeAgent({ tools: { pay: tool } }),
      "Agent 'clerk' has an object as its 'tools'. Use a list, as in [one, another].",
    ],
    [
      'a single tool instead of a list',
      makeAgent({ tools: tool }),
      "Agent 'clerk' has an object as its 'tools'. Use a list, as in [one, another].",
    ],
    [
      'the name of a model',
      makeAgent({ model: 'gpt-5' }),
      "Agent 'clerk' has 'gpt-5' as its 'model'. Use a model, as in openaiCompatible({ baseURL, apiKey, model: 'gpt-5' }), or a function that makes one from the environment.",
    ],
    [
      'a model of the AI SDK',
      makeAgent({ model: { doGenerate: run } }),
      "Agent 'clerk' has an object as its 'model'. Use a model, as in fromAiSdk(model), or a function that makes one from the environment.",
    ],
    [
      'a binding as the model',
      makeAgent({ model: { run } }),
      "Agent 'clerk' has an object as its 'model'. Use a model, as in workersAi(env.AI, { model }), or a function that makes one from the environment.",
    ],
    [
      'a promise of a model',
      makeAgent({ model: Promise.resolve({}) }),
      "Agent 'clerk' has a promise as its 'model'. Use a model, as in openaiCompatible({ baseURL, apiKey, model }), or a function that makes one from the environment.",
    ],
    [
      'undefined',
      make(defineAgent, undefined),
      "Agent '' received undefined. Pass one object, as in defineAgent({ ... }).",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});
