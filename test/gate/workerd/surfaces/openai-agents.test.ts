import { Agent, hostedMcpTool, OpenAIProvider, Runner, tool, user } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { files } from '../../../../src/modules/files/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { createFileAgent, createFileModel, MEDIA_TYPES } from '../http/file-app.ts';
import { createOpenAiClient, openAiApp } from './openai-app.ts';

const createRunner = (via = openAiApp) =>
  new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: createOpenAiClient(via), useResponses: true }),
    tracingDisabled: true,
  });
const runner = createRunner();

/** The tools run in the Worker. With this label, the SDK accepts approval requests for them. */
const tools = [
  hostedMcpTool({ serverLabel: 'holdfast', serverUrl: 'http://localhost', requireApproval: 'always' }),
];
const createTestAgent = (model: string) => new Agent({ name: model, model, tools });

describe('@openai/agents', () => {
  it('runs several turns, each with the whole conversation', async () => {
    const { message } = registerScript(
      { calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      'It is 3.',
      'Still 3.',
    );
    const first = await runner.run(createTestAgent('scripted'), message());
    expect(first.finalOutput).toBe('It is 3.');
    const second = await runner.run(createTestAgent('scripted'), [...first.history, user('And now?')]);
    expect(second.finalOutput).toBe('Still 3.');
  });

  it.each(['approve', 'reject'] as const)(
    'asks before a call, and sends the decision %s',
    async (decision) => {
      const to = crypto.randomUUID();
      const { message, model } = registerScript(
        { calls: [{ name: 'pay', input: { to, amount: 1 } }] },
        'All done.',
      );
      const first = await runner.run(createTestAgent('clerk'), message());
      const [interruption] = first.interruptions;
      if (!interruption) throw new Error('The run has no interruption.');
      expect(interruption.name).toBe('pay');
      if (decision === 'approve') first.state.approve(interruption);
      else first.state.reject(interruption, { message: 'Too much.' });
      const second = await runner.run(createTestAgent('clerk'), first.state);
      expect(second.finalOutput).toBe('All done.');
      expect(listPaymentsTo(to)).toEqual(decision === 'approve' ? [1] : []);
      expect(model.requests).toHaveLength(2);
    },
  );

  it('streams the answer', async () => {
    const { message } = registerScript({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.');
    const streamed = await runner.run(createTestAgent('scripted'), message(), { stream: true });
    let text = '';
    for await (const event of streamed) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        text += event.data.delta;
    }
    await streamed.completed;
    expect([text, streamed.finalOutput]).toEqual(['It is 3.', 'It is 3.']);
  });

  it('decides several calls of one reply separately', async () => {
    const to = crypto.randomUUID();
    const calls = [1, 2].map((amount) => ({ name: 'pay', input: { to, amount } }));
    const { message } = registerScript(
      { text: 'Both.', calls },
      { calls: [{ name: 'pay_now', input: { to, amount: 3 } }] },
      'Done.',
    );
    const first = await runner.run(createTestAgent('clerk'), message());
    const [one, other] = first.interruptions;
    if (!one || !other) throw new Error('The run does not have two interruptions.');
    first.state.approve(one);
    first.state.reject(other);
    const second = await runner.run(createTestAgent('clerk'), first.state);
    expect(second.finalOutput).toBe('Done.');
    expect(listPaymentsTo(to)).toEqual([1, 3]);
  });

  it('runs a tool that the agent leaves to its caller, one call after another', async () => {
    const createLookReply = (id: string) => ({ calls: [{ name: 'look_up', input: { id } }] });
    const { message, model } = registerScript(createLookReply('7'), createLookReply('8'), 'Red and blue.');
    const lookUp = tool({
      name: 'look_up',
      description: 'Looks up.',
      strict: false,
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
      execute: async (input) => `color of ${JSON.stringify(input)}`,
    });
    const clerk = new Agent({ name: 'clerk', model: 'clerk', tools: [...tools, lookUp] });
    const { finalOutput } = await runner.run(clerk, message());
    expect(finalOutput).toBe('Red and blue.');
    const read = model.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(read.slice(1)).toEqual(['color of {"id":"7"}', 'color of {"id":"8"}']);
  });

  it('sends an image, and receives the model’s reasoning', async () => {
    const parts = [
      { type: 'reasoning' as const, text: 'A cat?' },
      { type: 'text' as const, text: 'A cat.' },
    ];
    const model = {
      ...createFileModel(MEDIA_TYPES),
      ask: async () => ({ text: 'A cat.', toolCalls: [], finish: 'stop' as const, parts }),
    };
    const via = createTestApp({ agents: [createFileAgent({ model })], use: [openAi(), files()] });
    const image = `data:image/png;base64,${btoa('a cat')}`;
    const result = await createRunner(via).run(createTestAgent('seer'), [
      user([
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image },
      ]),
    ]);
    expect(result.finalOutput).toBe('A cat.');
    expect(result.newItems.map(({ type }) => type)).toEqual(['reasoning_item', 'message_output_item']);
  });
});
