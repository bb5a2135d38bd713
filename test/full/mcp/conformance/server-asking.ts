import { type AnyTool, defineTool } from '../../../../src/index.ts';
import {
  askClient,
  defineMcpPrompt,
  type McpPrompt,
  type McpQuestion,
} from '../../../../src/mcp/server/entry.ts';

/** The schema of a form with one required field. */
const createForm = (message: string, field: string) =>
  ({
    method: 'elicitation/create',
    params: {
      message,
      requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
    },
  }) satisfies McpQuestion;

const consent = {
  method: 'elicitation/create',
  params: {
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  },
} satisfies McpQuestion;

const createSamplingRequest = (text: string, maxTokens: number) =>
  ({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
  }) satisfies McpQuestion;

const roots = { method: 'roots/list' } satisfies McpQuestion;

const base = { effect: 'read' } as const;

const createConsentTool = (name: string, answer: string): AnyTool =>
  defineTool({
    ...base,
    name,
    description: 'Asks for a yes.',
    async run(_, call) {
      await askClient(call, { confirm: consent });
      return answer;
    },
  });

/** The tools that ask the suite for more input, as the scenarios of SEP-2322 require. */
export const askingTools: readonly AnyTool[] = [
  defineTool({
    ...base,
    name: 'test_input_required_result_elicitation',
    description: 'Asks for a name.',
    async run(_, call) {
      const { user_name } = await askClient(call, { user_name: createForm('What is your name?', 'name') });
      return `Hello, ${user_name?.content?.name ?? 'whoever you are'}!`;
    },
  }),
  defineTool({
    ...base,
    name: 'test_input_required_result_sampling',
    description: 'Asks a model for a capital.',
    async run(_, call) {
      const { capital_question } = await askClient(call, {
        capital_question: createSamplingRequest('What is the capital of France?', 100),
      });
      return JSON.stringify(capital_question?.content ?? 'No model.');
    },
  }),
  defineTool({
    ...base,
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the roots.',
    async run(_, call) {
      const { client_roots } = await askClient(call, { client_roots: roots });
      return `Roots: ${client_roots?.roots.map(({ uri }) => uri).join(', ')}`;
    },
  }),
  createConsentTool('test_input_required_result_request_state', 'state-ok'),
  createConsentTool('test_input_required_result_tampered_state', 'The state is as it was.'),
  defineTool({
    ...base,
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks for three things at once.',
    async run(_, call) {
      const { user_name, greeting, client_roots } = await askClient(call, {
        user_name: createForm('What is your name?', 'name'),
        greeting: createSamplingRequest('Generate a greeting', 50),
        client_roots: roots,
      });
      return JSON.stringify([user_name?.content, greeting?.content, client_roots?.roots]);
    },
  }),
  defineTool({
    ...base,
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name, and then for a color.',
    async run(_, call) {
      const { step1 } = await askClient(call, { step1: createForm('Step 1: What is your name?', 'name') });
      const { step2 } = await askClient(call, {
        step2: createForm('Step 2: What is your favorite color?', 'color'),
      });
      return `${step1?.content?.name} likes ${step2?.content?.color}.`;
    },
  }),
  defineTool({
    ...base,
    name: 'test_input_required_result_capabilities',
    description: 'Asks for what the client can answer.',
    async run(_, call) {
      const answers = await askClient(call, {
        user_name: createForm('What is your name?', 'name'),
        greeting: createSamplingRequest('Generate a greeting', 50),
      });
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    ...base,
    name: 'test_streaming_elicitation',
    description: 'Tells how far it is, and asks for a yes.',
    async run(_, call) {
      call.progress('0 of 100');
      const { confirm } = await askClient(call, { confirm: consent });
      return confirm?.action === 'accept' ? 'It was a yes.' : 'It was no yes.';
    },
  }),
];

/** The prompts that ask the suite for more input. */
export const askingPrompts: readonly McpPrompt[] = [
  defineMcpPrompt({
    name: 'test_input_required_result_prompt',
    description: 'A text about what the client says.',
    async messages(_, call) {
      const { user_context } = await askClient(call, {
        user_context: createForm('What context should the prompt use?', 'context'),
      });
      return `Context: ${user_context?.content?.context}`;
    },
  }),
];
