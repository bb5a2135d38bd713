import { Agent, hostedMcpTool, OpenAIProvider, Runner, user } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { paidTo } from '../../../fixtures/clerk-agent.ts';
import { script } from '../../../fixtures/scripts.ts';
import { clientOf } from './openai-app.ts';

const runner = new Runner({
  modelProvider: new OpenAIProvider({ openAIClient: clientOf() as never, useResponses: true }),
  tracingDisabled: true,
});

/** Its tools run where the agent does; the label is what lets it take our questions. */
const tools = [
  hostedMcpTool({ serverLabel: 'holdfast', serverUrl: 'http://localhost', requireApproval: 'always' }),
];
const agentOf = (model: string) => new Agent({ name: model, model, tools });

describe('@openai/agents', () => {
  it('takes several turns, each with all of the conversation', async () => {
    const { message } = script({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.', 'Still 3.');
    const first = await runner.run(agentOf('scripted'), message());
    expect(first.finalOutput).toBe('It is 3.');
    const second = await runner.run(agentOf('scripted'), [...first.history, user('And now?')]);
    expect(second.finalOutput).toBe('Still 3.');
  });

  it.each(['approve', 'reject'] as const)('asks before a call: %s', async (decision) => {
    const to = crypto.randomUUID();
    const { message, model } = script({ calls: [{ name: 'pay', input: { to, amount: 1 } }] }, 'All done.');
    const first = await runner.run(agentOf('clerk'), message());
    const [interruption] = first.interruptions;
    if (!interruption) throw new Error('Nothing waits.');
    expect(interruption.name).toBe('pay');
    if (decision === 'approve') first.state.approve(interruption);
    else first.state.reject(interruption, { message: 'Too much.' });
    const second = await runner.run(agentOf('clerk'), first.state);
    expect(second.finalOutput).toBe('All done.');
    expect(paidTo(to)).toEqual(decision === 'approve' ? [1] : []);
    expect(model.requests).toHaveLength(2);
  });

  it('streams', async () => {
    const { message } = script({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.');
    const streamed = await runner.run(agentOf('scripted'), message(), { stream: true });
    let text = '';
    for await (const event of streamed) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        text += event.data.delta;
    }
    await streamed.completed;
    expect([text, streamed.finalOutput]).toEqual(['It is 3.', 'It is 3.']);
  });
});
