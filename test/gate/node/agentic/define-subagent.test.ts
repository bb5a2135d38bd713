import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineTool, ModelError, ToolDefinitionError } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import { runBare } from '../tool-loop/bare-loop.ts';
import {
  askAgents,
  callTools,
  createAgent,
  createAnsweringTool,
  getOfferedTools,
  getResults,
  replyByLoop,
  runTurn,
  summarizeRequests,
} from './scenes.ts';

const look = createAnsweringTool('look', 'seen');
const clerk = createAgent('clerk', [look]);

describe('a subagent', () => {
  it('runs an agent as a tool (SUB-01, SUB-07)', async () => {
    const script = [askAgents('clerk'), callTools('look'), 'Filed.', 'Done.'];
    const { session, read, answer } = await runTurn([defineSubagent({ agent: clerk })], script);
    expect(summarizeRequests(session.requests)).toEqual([
      'You are boss. <- Go.',
      'You are clerk. <- To clerk.',
      'You are clerk. <- seen',
      'You are boss. <- Filed.',
    ]);
    expect(getOfferedTools(session)).toEqual([['clerk'], ['look'], ['look'], ['clerk']]);
    expect([read, answer.text]).toEqual([['Filed.'], 'Done.']);
  });

  it('finds an agent that is referenced by name when it is called (SUB-01)', async () => {
    const script = [askAgents('clerk'), callTools('look'), 'Filed.', 'Done.'];
    const { session, read } = await runTurn([defineSubagent({ agent: 'clerk' })], script, {
      agents: [clerk],
    });
    expect([getOfferedTools(session)[1], read]).toEqual([['look'], ['Filed.']]);
  });

  it('has the name and description of its agent by default (SUB-03)', () => {
    const summarizeTool = ({ name, description, metadata }: AnyTool) => [name, description, metadata];
    expect(summarizeTool(defineSubagent({ agent: clerk }))).toEqual([
      'clerk',
      'Is clerk.',
      { agent: 'clerk' },
    ]);
    expect(summarizeTool(defineSubagent({ agent: 'clerk' }))).toEqual([
      'clerk',
      "Delegate to agent 'clerk'",
      { agent: 'clerk' },
    ]);
    const renamed = { agent: clerk, name: 'file_it', description: 'Files it.' };
    expect(summarizeTool(defineSubagent(renamed))).toEqual(['file_it', 'Files it.', { agent: 'clerk' }]);
  });

  it('accepts a message for its agent by default (SUB-03, SUB-11)', () => {
    expect(defineSubagent({ agent: 'clerk' }).inputSchema).toEqual({
      type: 'object',
      properties: {
        message: {
          type: 'string',
          minLength: 1,
          description: 'What to do, with everything that is needed for it: this conversation is not seen.',
        },
      },
      required: ['message'],
    });
  });

  it('can declare its own input, which the agent receives as JSON (SUB-03)', async () => {
    const bill = defineSubagent({ agent: clerk, input: v.object({ customer: v.string() }) });
    const script = [callTools(['clerk', { customer: 'Ann' }]), 'Filed.', 'Done.'];
    const { session } = await runTurn([bill], script);
    expect(bill.inputSchema).toMatchObject({ properties: { customer: { type: 'string' } } });
    expect(session.requests[1]?.messages.at(-1)).toEqual({ role: 'user', text: '{"customer":"Ann"}' });
  });

  it('lists every problem of an invalid input, without a model call (SUB-05)', async () => {
    const input = v.object({ customer: v.string(), year: v.number() });
    const { read, session } = await runTurn(
      [defineSubagent({ agent: clerk, input })],
      [callTools('clerk'), 'Done.'],
    );
    expect(read).toEqual([
      'Error: Error parsing subagent input: customer: Invalid key: Expected "customer" but received undefined; ' +
        'year: Invalid key: Expected "year" but received undefined',
    ]);
    expect(session.requests).toHaveLength(2);
  });

  it('lists the available agents in an error result if its agent does not exist (SUB-04)', async () => {
    const { read, answer } = await runTurn(
      [defineSubagent({ agent: 'cook' })],
      [askAgents('cook'), 'Done.'],
      {
        agents: [clerk],
      },
    );
    expect(read).toEqual(["Error: Agent 'cook' not found. Available agents: boss, clerk."]);
    expect(answer.outcome).toBe('completed');
  });

  it('lists at most twenty available agents (SUB-04)', async () => {
    const agents = Array.from({ length: 25 }, (_, i) => createAgent(`clerk${String(i).padStart(2, '0')}`));
    const { read } = await runTurn([defineSubagent({ agent: 'cook' })], [askAgents('cook'), 'Done.'], {
      agents,
    });
    expect(read[0]).toMatch(
      /^Error: Agent 'cook' not found\. Available agents: boss, clerk00, .*, clerk18 and 6 more\.$/,
    );
  });

  it('needs a session only if its agent is referenced by name (SUB-06)', async () => {
    const replies = [askAgents('clerk', 'cook'), 'Filed.', 'Done.'];
    const tools = [defineSubagent({ agent: clerk }), defineSubagent({ agent: 'cook' })];
    const { model } = await runBare({ tools, replies });
    expect(getResults(model)).toEqual([
      'Filed.',
      "Error: Agent 'cook' not found. Without an app, pass the agent's definition instead of its name.",
    ]);
  });

  it('returns an error result if its model fails, and the turn continues', async () => {
    const down = new ModelError('server-error', 'Down.');
    const { read, answer } = await runTurn(
      [defineSubagent({ agent: clerk })],
      [askAgents('clerk'), down, 'Done.'],
    );
    expect([read, answer.outcome]).toEqual([['Error: Down.'], 'completed']);
  });
});

describe('the definition of a subagent', () => {
  it.each<[string, unknown, string]>([
    ['a blank name', ' ', "Tool '': Agent name must not be blank."],
    ['a tool', look, "Tool 'look': its agent is neither a result of defineAgent nor the name of an agent."],
    ['nothing', undefined, "Tool '': its agent is neither a result of defineAgent nor the name of an agent."],
    [
      'a name that is invalid for a tool',
      'a cook',
      "Tool 'a cook': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
  ])('throws if it receives %s instead of an agent (SUB-02)', (_, given, why) => {
    const define = () => defineSubagent({ agent: given as string }); // Plain JavaScript can pass this.
    expect(define).toThrow(ToolDefinitionError);
    expect(define).toThrow(why);
  });

  it('has its inner tools before it runs, if its agent is passed as a definition (SUB-03)', () => {
    expect(defineSubagent({ agent: clerk }).inner).toBe(clerk.tools);
    expect(defineSubagent({ agent: 'clerk' }).inner).toBeUndefined();
  });
});

describe('agents that call each other', () => {
  it('stop at sixteen nested loops, and the innermost agent receives the reason', async () => {
    const ping = createAgent('ping', [defineSubagent({ agent: 'pong' })]);
    const pong = createAgent('pong', [defineSubagent({ agent: 'ping' })]);
    const ask = ({ tools: [tool] }: { tools: readonly { name: string }[] }): ScriptedReply =>
      askAgents(tool?.name ?? '');
    const session = createTestSession(ping, {
      agents: [pong],
      replies: [
        ...Array.from({ length: 17 }, () => ask),
        ...Array.from({ length: 17 }, (_, i) => `Level ${16 - i}.`),
      ],
    });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const answer = await session.send('Go.');
    const way = Array.from({ length: 18 }, (_, level) => (level % 2 === 0 ? 'ping' : 'pong'));
    expect(warn.mock.calls.flat()).toEqual([
      `holdfast: a loop was not run, since loops are already nested 16 deep: ${way.join('/')}`,
    ]);
    warn.mockRestore();
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Level 0.', iterations: 34 });
    const told = session.requests[17]?.messages.at(-1)?.text;
    expect(told).toBe(
      'Error: Not run: loops are nested 16 deep already, which is the limit. Do the work here, without delegating it.',
    );
    const opened = (await session.events()).filter((event) => event.type === 'frame-started');
    expect(opened).toHaveLength(16);
  });
});

describe('a subagent with a call that waits for approval', () => {
  const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'paid' });
  const payer = createAgent('payer', [requireApproval(pay, () => 'Pay?')]);
  const suspendTurn = async (tools: readonly AnyTool[] = [defineSubagent({ agent: payer })]) => {
    const session = createTestSession(createAgent('boss', tools), {
      replies: replyByLoop({
        'You are boss.': [askAgents(...tools.map(({ name }) => name)), 'Done.'],
        'You are payer.': [callTools('pay'), 'Settled.'],
        'You are clerk.': ['Filed.'],
      }),
    });
    return { session, first: await session.send('Go.') };
  };

  it('suspends the turn, which resumes inside the subagent after the decision (SUB-10)', async () => {
    const { session, first } = await suspendTurn();
    expect(first).toMatchObject({ outcome: 'suspended', pending: [{ tool: 'pay', message: 'Pay?' }] });
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(summarizeRequests(session.requests)).toEqual([
      'You are boss. <- Go.',
      'You are payer. <- To payer.',
      'You are payer. <- paid',
      'You are boss. <- Settled.',
    ]);
  });

  it('shows the reason of a rejection to its agent (SUB-10)', async () => {
    const { session } = await suspendTurn();
    await session.decide('pay', { decision: 'reject', reason: 'Too much.' });
    expect(summarizeRequests(session.requests)[2]).toMatch(/^You are payer\. <- .*Too much\./s);
  });

  it('does not repeat a sibling call that ended while the call was waiting (SUB-10)', async () => {
    const { session, first } = await suspendTurn([
      defineSubagent({ agent: payer }),
      defineSubagent({ agent: clerk }),
    ]);
    expect(first.outcome).toBe('suspended');
    await session.decide('pay', 'approve');
    expect(getResults(session)).toEqual(['Settled.', 'Filed.']);
    expect(session.requests).toHaveLength(5);
  });
});
