import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answers } from './everything-answers.ts';
import { createRealRun } from './real-run.ts';
import { actAtProgress, callLongOperation, createCallReply, createRealTalk } from './real-talk.ts';

const WORK = createCallReply('trigger-long-running-operation', { duration: 0.6, steps: 3 });

// Silences the warning of each session about a tool that it leaves out.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

describe('a real server that supports only the transport of 2024-11-05', () => {
  it('is detected, lists its tools and answers calls', async () => {
    const run = createRealRun('everything-sse');
    const chosen = answers.filter(([tool]) => !tool.startsWith('t'));
    const replies = [{ calls: chosen.map(([name, input]) => ({ name, input })) }, 'Done.'];
    const talk = createRealTalk(run, { replies });
    expect(await talk.say()).toMatchObject({ outcome: 'completed', text: 'Done.', toolCalls: chosen.length });
    expect(talk.offered()).toEqual(expect.arrayContaining(chosen.map(([tool]) => tool)));
    expect(talk.shown()).toEqual(chosen.map(([, , shows]) => shows));
    const methods = (await run.requests()).map(({ method }) => method);
    expect(methods.slice(0, 4)).toEqual(['POST', 'POST', 'GET', 'POST']);
  });

  it('is called with that transport from the start if the client is configured for it', async () => {
    const run = createRealRun('everything-sse');
    const talk = createRealTalk(run, { replies: [WORK, 'Done.'], client: { transport: 'sse' } });
    const told: unknown[] = [];
    for await (const { event, data } of talk.stream()) if (event === 'progress') told.push(data.status);
    expect(told).toEqual(['1/3', '2/3', '3/3']);
    expect((await run.requests()).at(0)?.method).toBe('GET');
  });

  it('can elicit input and receives the answer', async () => {
    const talk = createRealTalk(createRealRun('everything-sse'), {
      replies: [createCallReply('trigger-elicitation-request'), 'Done.'],
    });
    const saying = talk.say();
    await talk.decide(await talk.pending(), { decision: 'edit', input: { name: 'Ada' } });
    await saying;
    expect(talk.shown()).toEqual([expect.stringContaining('- Name: Ada')]);
  });

  it('does not end the turn if it crashes during a call', async () => {
    const run = createRealRun('everything-sse');
    const talk = createRealTalk(run, {
      replies: [callLongOperation(60), 'I do without.'],
    });
    const answer = await actAtProgress(talk.stream(), () => run.kill());
    expect(answer).toMatchObject({ outcome: 'completed', text: 'I do without.' });
    expect(talk.shown()).toEqual([
      "Error: The connection of tool 'trigger-long-running-operation' was lost before it answered.",
    ]);
  });
});
