/**
 * Tests mistakes that a newcomer makes. Each case has the whole message, which says what to write. The types
 * refuse most of them, but plain JavaScript does not.
 */
import { describe, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { expectMessage, type Mistake, make, ofAgent, ofTool, run, tool } from './mistake.ts';

const AGENT_KEYS =
  'name, description, instructions, tools, model, settings, ' +
  'accepts, use, limits, policies, context, output';

const ofManual = (config: object) => make(defineManualTool, { name: 'pay', description: 'Pays.', ...config });

describe('defineManualTool', () => {
  it.each<Mistake>([
    [
      'run',
      ofManual({ run }),
      "Tool 'pay': it has 'run', but its caller runs it. Omit it, or use defineTool from 'holdfast' for a tool that runs here.",
    ],
    [
      'effect',
      ofManual({ effect: 'read' }),
      "Tool 'pay': it has 'effect', but its caller runs it, and the turn waits for the result. Omit it.",
    ],
    ['no name', ofManual({ name: undefined }), "Tool '': it has no 'name'. Use a string."],
  ])('the error explains the mistake: %s', expectMessage);
});

describe('defineTool', () => {
  it.each<Mistake>([
    [
      'execute',
      ofTool({ execute: run, run: undefined }),
      "Tool 'pay': it has 'execute' instead of 'run'. Rename it.",
    ],
    [
      'handler',
      ofTool({ handler: run, run: undefined }),
      "Tool 'pay': it has 'handler' instead of 'run'. Rename it.",
    ],
    ['func', ofTool({ func: run, run: undefined }), "Tool 'pay': it has 'func' instead of 'run'. Rename it."],
    [
      'parameters',
      ofTool({ parameters: {} }),
      "Tool 'pay': it has 'parameters' instead of 'input'. Rename it.",
    ],
    [
      'inputSchema',
      ofTool({ inputSchema: {} }),
      "Tool 'pay': it has 'inputSchema' instead of 'input'. Rename it.",
    ],
    ['schema', ofTool({ schema: {} }), "Tool 'pay': it has 'schema' instead of 'input'. Rename it."],
    [
      'outputSchema',
      ofTool({ outputSchema: {} }),
      "Tool 'pay': it has 'outputSchema' instead of 'output'. Rename it.",
    ],
    [
      'needsApproval',
      ofTool({ needsApproval: true }),
      "Tool 'pay': it has 'needsApproval' instead of 'withConfirmation(tool)'. Replace it.",
    ],
    ['id', ofTool({ name: undefined, id: 'pay' }), "Tool '': it has 'id' instead of 'name'. Rename it."],
    [
      'discription',
      ofTool({ description: undefined, discription: 'Pays.' }),
      "Tool 'pay': it has an unknown option 'discription'. Did you mean 'description'?",
    ],
    [
      'inputs',
      ofTool({ inputs: {} }),
      "Tool 'pay': it has an unknown option 'inputs'. Did you mean 'input'?",
    ],
    [
      'timeOut',
      ofTool({ timeOut: 1 }),
      "Tool 'pay': it has an unknown option 'timeOut'. Did you mean 'timeout'?",
    ],
    [
      'call',
      ofTool({ call: run, run: undefined }),
      "Tool 'pay': it has an unknown option 'call'. Use one of name, description, input, run, effect, reconcile, timeout, subrequests, serial, returnDirect, expose, metadata, output.",
    ],
    [
      'no run',
      ofTool({ run: undefined }),
      "Tool 'pay': it has no 'run'. Use a function, or defineManualTool from 'holdfast/answers' where the caller runs it.",
    ],
    [
      'manual instead of defineManualTool',
      ofTool({ run: undefined, manual: true }),
      "Tool 'pay': it has 'manual' instead of 'defineManualTool'. Replace it.",
    ],
    ['no name', ofTool({ name: undefined }), "Tool '': it has no 'name'. Use a string."],
    [
      'no description',
      ofTool({ description: undefined }),
      "Tool 'pay': it has no 'description'. Use a string.",
    ],
    ['a name that is a number', ofTool({ name: 7 }), "Tool '': it has 7 as its 'name'. Use a string."],
    [
      'a blank description',
      ofTool({ description: ' ' }),
      "Tool 'pay': its description is blank. The model chooses tools by their descriptions.",
    ],
    [
      'a name with a space',
      ofTool({ name: 'pay now' }),
      "Tool 'pay now': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a run that is a promise',
      ofTool({ run: Promise.resolve('ok') }),
      "Tool 'pay': it has a promise as its 'run'. Use a function.",
    ],
    [
      'text as the input',
      ofTool({ input: 'city' }),
      "Tool 'pay': it has 'city' as its 'input'. Use a schema.",
    ],
    [
      'text as returnDirect',
      ofTool({ returnDirect: 'yes' }),
      "Tool 'pay': it has 'yes' as its 'returnDirect'. Use true or false.",
    ],
    [
      'an effect in capitals',
      ofTool({ effect: 'Once' }),
      "Tool 'pay': its effect is 'Once'. It must be 'read' or 'idempotent' or 'once'. Did you mean 'once'?",
    ],
    [
      'a timeout of zero',
      ofTool({ timeout: 0 }),
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
      ofAgent({ instructions: undefined, instrutions: 'Pay.' }),
      "Agent 'clerk' has an unknown option 'instrutions'. Did you mean 'instructions'?",
    ],
    [
      'instruction',
      ofAgent({ instruction: 'Pay.' }),
      "Agent 'clerk' has an unknown option 'instruction'. Did you mean 'instructions'?",
    ],
    ['tool', ofAgent({ tool: [] }), "Agent 'clerk' has an unknown option 'tool'. Did you mean 'tools'?"],
    [
      'memory',
      ofAgent({ memory: {} }),
      `Agent 'clerk' has an unknown option 'memory'. Use one of ${AGENT_KEYS}.`,
    ],
    [
      'system',
      ofAgent({ instructions: undefined, system: 'Pay.' }),
      "Agent 'clerk' has 'system' instead of 'instructions'. Rename it.",
    ],
    [
      'prompt',
      ofAgent({ instructions: undefined, prompt: 'Pay.' }),
      "Agent 'clerk' has 'prompt' instead of 'instructions'. Rename it.",
    ],
    [
      'maxSteps',
      ofAgent({ maxSteps: 5 }),
      "Agent 'clerk' has 'maxSteps' instead of 'limits: { iterations }'. Replace it.",
    ],
    [
      'temperature',
      ofAgent({ temperature: 0 }),
      "Agent 'clerk' has 'temperature' instead of 'settings: { temperature }'. Replace it.",
    ],
    [
      'subagents',
      ofAgent({ subagents: [] }),
      "Agent 'clerk' has 'subagents' instead of 'tools: [defineSubagent({ agent })]'. Replace it.",
    ],
    [
      'outputSchema',
      ofAgent({ outputSchema: {} }),
      "Agent 'clerk' has 'outputSchema' instead of 'output'. Rename it.",
    ],
    ['no name', ofAgent({ name: undefined }), "Agent '' has no 'name'. Use a string."],
    [
      'no instructions',
      ofAgent({ instructions: undefined }),
      "Agent 'clerk' has no 'instructions'. Use a string.",
    ],
    [
      'instructions that are a number',
      ofAgent({ instructions: 5 }),
      "Agent 'clerk' has 5 as its 'instructions'. Use a string.",
    ],
    [
      'instructions that are a list',
      ofAgent({ instructions: ['Pay.'] }),
      "Agent 'clerk' has a list as its 'instructions'. Use a string.",
    ],
    [
      'a name with a space',
      ofAgent({ name: 'my clerk' }),
      "Agent 'my clerk' is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'a blank description',
      ofAgent({ description: '' }),
      "Agent 'clerk' has '' as its 'description'. Use a string that is not blank.",
    ],
    [
      'limits that are a number',
      ofAgent({ limits: 5 }),
      "Agent 'clerk' has 5 as its 'limits'. Use an object.",
    ],
    [
      'an object of tools by name',
      ofAgent({ tools: { pay: tool } }),
      "Agent 'clerk' has an object as its 'tools'. Use a list, as in [one, another].",
    ],
    [
      'a single tool instead of a list',
      ofAgent({ tools: tool }),
      "Agent 'clerk' has an object as its 'tools'. Use a list, as in [one, another].",
    ],
    [
      'the name of a model',
      ofAgent({ model: 'gpt-5' }),
      "Agent 'clerk' has 'gpt-5' as its 'model'. Use a model, as in openaiCompatible({ baseURL, apiKey, model: 'gpt-5' }), or a function that makes one from the environment.",
    ],
    [
      'a model of the AI SDK',
      ofAgent({ model: { doGenerate: run } }),
      "Agent 'clerk' has an object as its 'model'. Use a model, as in fromAiSdk(model), or a function that makes one from the environment.",
    ],
    [
      'a binding as the model',
      ofAgent({ model: { run } }),
      "Agent 'clerk' has an object as its 'model'. Use a model, as in workersAi(env.AI, { model }), or a function that makes one from the environment.",
    ],
    [
      'a promise of a model',
      ofAgent({ model: Promise.resolve({}) }),
      "Agent 'clerk' has a promise as its 'model'. Use a model, as in openaiCompatible({ baseURL, apiKey, model }), or a function that makes one from the environment.",
    ],
    [
      'undefined',
      make(defineAgent, undefined),
      "Agent '' received undefined. Pass one object, as in defineAgent({ ... }).",
    ],
  ])('the error explains the mistake: %s', expectMessage);
});
