import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { askAgents, callTools, createAgent, createAnsweringTool, runTurn } from './scenes.ts';

const look = createAnsweringTool('look', 'seen');
const clerk = createAgent('clerk', [look]);
const Bill = v.object({ total: v.number() });

describe('a subagent whose agent declares an output', () => {
  const biller = createAgent('biller', [look], { output: Bill });
  const bill = defineSubagent({ agent: biller });

  it('returns the object as its artifact, and its JSON as the result (SUB-07)', async () => {
    const { answer, read, session } = await runTurn(
      [bill],
      [askAgents('biller'), '```json\n{ "total": 7 }\n```', 'Done.'],
    );
    expect(answer.artifacts).toMatchObject([{ tool: 'biller', value: { total: 7 } }]);
    expect(read).toEqual(['{"total":7}']);
    expect(session.requests.map(({ output }) => output?.name)).toEqual([undefined, 'biller', undefined]);
    expect(session.requests[1]?.messages[0]?.text).toBe(`You are biller.\n\n${biller.output?.instruction}`);
  });

  it('asks its model again in the same frame if the answer does not fit the form', async () => {
    const { session, read } = await runTurn(
      [bill],
      [askAgents('biller'), '{"total":"7"}', '{"total":7}', 'Done.'],
    );
    expect(read).toEqual(['{"total":7}']);
    expect(session.requests[2]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', text: '{"total":"7"}' },
      {
        role: 'user',
        text:
          'Your answer does not have the form that was asked for:\n- total: Invalid type: Expected number but ' +
          'received "7"\nAnswer again with the corrected JSON text, and nothing else.',
      },
    ]);
    expect((await session.events()).filter((event) => event.type === 'answer-rejected')).toMatchObject([
      { frame: expect.any(String) },
    ]);
  });

  it('returns an error result if the second answer does not fit either, and the turn continues', async () => {
    const { read, answer } = await runTurn([bill], [askAgents('biller'), 'Seven.', 'Seven!', 'Done.']);
    expect(read).toEqual([
      "Error: The model's answer does not have the form of the agent's output, even after a retry: It is not JSON text.",
    ]);
    expect(answer).toMatchObject({ outcome: 'completed', artifacts: [] });
  });

  it('can return text at its limit, because no further model call is possible', async () => {
    const short = createAgent('biller', [look], { output: Bill, limits: { iterations: 1 } });
    const script = [askAgents('biller'), callTools('look'), 'About seven.', 'Done.'];
    const { read, answer } = await runTurn([defineSubagent({ agent: short })], script);
    expect([read, answer.artifacts]).toEqual([['About seven.'], []]);
  });

  it('does not change the output forms of outer and inner agents', async () => {
    const outer = createAgent('outer', [defineSubagent({ agent: clerk })], { output: Bill });
    const script = [askAgents('outer'), askAgents('clerk'), 'In words.', '{"total":1}', 'Done.'];
    const { read, session } = await runTurn([defineSubagent({ agent: outer })], script);
    expect(read).toEqual(['{"total":1}']);
    expect(session.requests.map(({ output }) => output?.name)).toEqual([
      undefined,
      'outer',
      undefined,
      'outer',
      undefined,
    ]);
  });
});
