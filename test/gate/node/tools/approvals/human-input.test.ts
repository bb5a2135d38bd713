import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type Decision,
  SignalError,
  ToolConfigurationError,
} from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  type HumanInputConfig,
  humanInput,
  type ReviewHandler,
  type ReviewRequest,
  withName,
} from '../../../../../src/modules/decorators/entry.ts';
import { createDecidedCall } from './decided-invocation.ts';

const INPUT = { question: 'Red or blue?' };

async function answerInput(decision: Decision, config: HumanInputConfig<string> = {}) {
  const { call, asked } = createDecidedCall('human_input', [decision]);
  const result = await humanInput(config).call(INPUT, call);
  return { result, asked };
}

describe('the tool that asks a person', () => {
  it('has no effect, and asks one question', () => {
    const { call: _, check: __, ...shown } = humanInput();
    expect(shown).toEqual({
      name: 'human_input',
      description: 'Ask a person, and get their answer.',
      inputSchema: {
        type: 'object',
        properties: { question: { type: 'string', minLength: 1, description: 'What to ask the person' } },
        required: ['question'],
        additionalProperties: false,
      },
      effect: 'none',
      returnDirect: false,
      metadata: {},
      uses: [answers],
    });
  });

  it('asks for a text for five minutes, after which the model continues (AEA-02, AEA-08)', async () => {
    const { asked, result } = await answerInput({ decision: 'approve', expired: true });
    expect(asked).toEqual([
      {
        for: 'decision',
        message: 'Red or blue?',
        allows: ['approve', 'edit', 'exit'],
        schema: {
          type: 'object',
          properties: { text: { type: 'string', description: 'The answer' } },
          required: ['text'],
          additionalProperties: false,
        },
        expires: 300_000,
        onExpiry: 'approve',
      },
    ]);
    expect(result).toEqual({ type: 'text', content: 'Understood. Please continue.' });
  });

  it('asks with the configured people, time limit and name (AEA-11)', async () => {
    const config = {
      name: 'ask_boss',
      description: 'Ask the boss.',
      by: 'boss',
      expires: 5,
      onExpiry: 'exit',
    };
    const tool = humanInput({ ...config, onExpiry: 'exit' });
    const { call, asked } = createDecidedCall('ask_boss', [{ decision: 'approve' }]);
    await tool.call(INPUT, call);
    expect([tool.name, tool.description]).toEqual(['ask_boss', 'Ask the boss.']);
    expect(asked).toMatchObject([{ by: 'boss', expires: 5, onExpiry: 'exit' }]);
  });

  it.each<[Decision, string]>([
    [{ decision: 'approve' }, 'Understood. Please continue.'],
    [{ decision: 'edit', input: { text: 'Blue.' } }, 'Blue.'],
    [{ decision: 'edit', input: { text: '' } }, ''],
  ])('returns %j as a text (AEA-08)', async (decision, content) => {
    expect((await answerInput(decision)).result).toEqual({ type: 'text', content });
  });

  it.each<[Decision, string]>([
    [{ decision: 'exit' }, 'Rejected by reviewer: Red or blue?'],
    [{ decision: 'exit', reason: 'Enough.' }, 'Enough.'],
    [{ decision: 'exit', expired: true }, 'Nobody answered in time.'],
  ])('throws the exit signal for %j (AEA-06, AEA-08)', async (decision, reason) => {
    const thrown = await answerInput(decision).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SignalError);
    expect(thrown).toMatchObject({ signal: { type: 'exit', reason } });
  });

  it('asks the model to continue after five minutes without an answer (AEA-08)', async () => {
    const { call } = createDecidedCall('human_input', [], { inSession: false });
    expect(await humanInput().call(INPUT, call)).toEqual({
      type: 'text',
      content: 'No reviewer is available. Please proceed with your best judgment.',
    });
  });

  it('asks a handler if it has one, with or without a session (AEA-08)', async () => {
    const requests: ReviewRequest[] = [];
    const handleReview: ReviewHandler = (request) => {
      requests.push(request);
      return { decision: 'edit', input: { text: 'Blue.' } };
    };
    for (const inSession of [true, false]) {
      const { call, asked } = createDecidedCall('human_input', [], { inSession });
      const result = await humanInput({ handler: handleReview, expires: 60_000 }).call(INPUT, call);
      expect([result.content, asked]).toEqual(['Blue.', []]);
    }
    expect(requests).toMatchObject([
      { input: INPUT, message: 'Red or blue?', timeout: 60_000, onTimeout: 'approve' },
      { input: INPUT },
    ]);
  });

  it.each([
    [undefined, 'Your question was not answered.'],
    ['Ask later.', 'Your question was not answered. Reason: Ask later.'],
  ])('reports to the model that a handler returned no answer', async (reason, message) => {
    const { call } = createDecidedCall('human_input', []);
    const tool = humanInput({ handler: () => ({ decision: 'reject', reason }) });
    expect(await tool.call(INPUT, call)).toEqual({ type: 'error', reason: 'declined', message });
  });

  it('does not ask about an invalid input', async () => {
    const { call, asked } = createDecidedCall('human_input', []);
    expect((await humanInput().call({ question: '' }, call)).content).toMatch(
      /^The input of tool 'human_input' is not valid:\n- question: /,
    );
    expect(asked).toEqual([]);
  });

  it('uses its new name in an error after it was renamed', async () => {
    const getCheckAnswer = async (tool: AnyTool) => {
      const checked = await tool.check({ question: '' });
      return checked.ok ? '' : checked.answer.content;
    };
    expect(await getCheckAnswer(humanInput())).toMatch(/^The input of tool 'human_input' is not valid:/);
    expect(await getCheckAnswer(withName(humanInput(), 'ask'))).toMatch(
      /^The input of tool 'ask' is not valid:/,
    );
  });

  it('throws if its definition is invalid (AEA-09)', () => {
    const pretend = 'yes' as unknown as ReviewHandler; // Plain JavaScript can pass this.
    expect(() => humanInput({ handler: pretend })).toThrow(ToolConfigurationError);
    expect(() => humanInput({ name: 'ask me' })).toThrow("Tool 'ask me': its name must be 1 to 64");
    expect(() => humanInput({ onExpiry: 'reject' } as object)).toThrow(
      "Tool 'human_input': its onExpiry is 'reject'. It must be 'approve' or 'exit'.",
    );
    expect(() => humanInput({ expires: 0 })).toThrow("Tool 'human_input': its expires is 0.");
    expect(() => humanInput({ expires: 900_001, handler: () => ({ decision: 'approve' }) })).toThrow(
      "Tool 'human_input': its expires is 900001. It must be more than 0 and at most 900000 milliseconds.",
    );
  });
});
