import { describe, expect, it } from 'vitest';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createSessionPath, getSessionId, post, readJson } from './client.ts';

describe('a message whose response is JSON', () => {
  it('returns the whole turn after two iterations', async () => {
    const session = createSessionPath();
    const { message } = registerScript({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.');
    const response = await post(session, { message: message() });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    const answer = await readJson(response);
    expect(answer).toEqual({
      turn: expect.stringMatching(/^[0-9a-f]{16}$/),
      loopId: answer.turn,
      session: getSessionId(session),
      agent: 'scripted',
      outcome: 'completed',
      text: 'Three.',
      artifacts: [],
      usage: { inputTokens: 20, outputTokens: 10 },
      iterations: 2,
      toolCalls: 1,
      model: 'scripted',
    });
    expect(response.headers.get('content-location')).toBe(`${session}/turns/${answer.turn}`);
  });

  it('shows the model the earlier conversation', async () => {
    const session = createSessionPath();
    const { message, model } = registerScript('One.', 'Two.');
    const first = message('First');
    await post(session, { message: first });
    await post(session, { message: 'Second' });
    expect(model.requests[1]?.messages).toEqual([
      { role: 'system', text: 'Follow the script.' },
      { role: 'user', text: first },
      { role: 'assistant', text: 'One.', toolCalls: [] },
      { role: 'user', text: 'Second' },
    ]);
  });

  it('continues the loop that it specifies', async () => {
    const { message } = registerScript('Done.');
    const answer = await readJson(
      await post(createSessionPath(), { message: message(), loopId: 'my-loop:1' }),
    );
    expect(answer).toMatchObject({ loopId: 'my-loop:1', turn: expect.not.stringMatching('my-loop:1') });
  });

  it('keeps a tool’s data among the artifacts', async () => {
    const { message } = registerScript({ calls: [{ name: 'look_up', input: { id: 'o1' } }] }, 'Found.');
    const answer = await readJson(await post(createSessionPath(), { message: message() }));
    const call = `${answer.turn}.3.0`;
    expect(answer.artifacts).toEqual([{ call, tool: 'look_up', value: { id: 'o1', total: 12.5 } }]);
  });

  it('preserves invalid Unicode and hostile keys', async () => {
    const session = createSessionPath();
    const { message } = registerScript(
      { calls: [{ name: 'record', input: { note: 'surrogate' } }] },
      'Done.',
    );
    const text = message('\ud800 <script> \u2028');
    const context = '{"__proto__":{"admin":true},"constructor":"c","lone":"\\ud800"}';
    const response = await post(session, `{"message":${JSON.stringify(text)},"context":${context}}`);
    const { outcome, loopId } = await readJson(response);
    expect(outcome).toBe('completed');
    const shown = `{"holdfast.loopId":"${loopId}",${context.slice(1)}`;
    expect(JSON.stringify(recordings.find(({ note }) => note === 'surrogate')?.context)).toBe(shown);
  });
});
