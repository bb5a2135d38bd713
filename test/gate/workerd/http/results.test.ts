import { describe, expect, it } from 'vitest';
import { createSessionPath, readAllEvents, readJournal, readJson, SSE_HEADERS, send } from './client.ts';
import { answer, createProblem, getOnlyLink, startWaitingTurn } from './waiting.ts';

describe('the result of a tool that the caller runs', () => {
  it('is requested and sent, and the turn resumes (SPM-17, SPA-02)', async () => {
    const wait = await startWaitingTurn(['look_up']);
    const { session, turn } = wait;
    expect(wait.pending).toEqual([
      {
        call: `${turn}.3.0`,
        question: 1,
        tool: 'look_up',
        input: { id: 'o1' },
        for: 'result',
        message: "Run 'look_up' and send its result.",
        links: { results: `${session}/results/${turn}.3.0` },
      },
    ]);
    const response = await answer(getOnlyLink(wait), { result: { total: 12.5 } });
    expect([response.status, await readJson(response)]).toEqual([
      200,
      expect.objectContaining({
        turn,
        outcome: 'completed',
        text: 'Done.',
        artifacts: [{ call: `${turn}.3.0`, tool: 'look_up', value: { total: 12.5 } }],
      }),
    ]);
    expect(wait.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: '{"total":12.5}' });
    const answered = (await readJournal(session)).find(({ type }) => type === 'tool-call-answered');
    expect(answered).toMatchObject({ answer: { type: 'result', by: 'local' } });
  });

  it.each([
    [{ text: 'Found.' }, 'Found.'],
    [{ error: 'Not found.' }, 'Error: Not found.'],
    [{ result: false }, 'false'],
    [{ result: null }, ''],
  ])('is shown to the model: %j (SPM-17)', async (body, text) => {
    const wait = await startWaitingTurn(['look_up']);
    expect((await answer(getOnlyLink(wait), body)).status).toBe(200);
    expect(wait.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text });
  });

  it('is accepted only once, and is returned to its sender under a key', async () => {
    const wait = await startWaitingTurn(['look_up']);
    const headers = { 'idempotency-key': 'k' };
    const first = await readJson(await answer(getOnlyLink(wait), { text: 'One.' }, { headers }));
    expect(await readJson(await answer(getOnlyLink(wait), { text: 'One.' }, { headers }))).toEqual(first);
    const other = await answer(getOnlyLink(wait), { text: 'Two.' });
    expect([other.status, (await readJson(other)).type]).toEqual([
      409,
      'urn:holdfast:problem:already-answered',
    ]);
    expect(wait.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: 'One.' });
  });

  it('streams the turn to a client that asks for events', async () => {
    const wait = await startWaitingTurn(['look_up']);
    const events = await readAllEvents(
      await answer(getOnlyLink(wait), { text: 'Found.' }, { headers: SSE_HEADERS }),
    );
    expect(events.at(-1)).toMatchObject({ event: 'answer', data: { outcome: 'completed' } });
  });

  it.each([
    ['no result', {}, ['it must have exactly one of result, text and error']],
    ['two results', { text: 'a', error: 'b' }, ['it must have exactly one of result, text and error']],
    ['invalid text', { text: 1 }, ['text: must be text']],
    [
      'several mistakes',
      { text: 1, error: null, by: 'eve' },
      [
        'it must have exactly one of result, text and error',
        'text: must be text',
        'error: must be text',
        'by: is not known here',
      ],
    ],
    [
      'a result that is nested too deeply',
      `{"result":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
      ['result: is nested too deeply'],
    ],
  ])('is refused with every problem if it is invalid: %s', async (_, body, problems) => {
    const wait = await startWaitingTurn(['look_up']);
    const response = await answer(getOnlyLink(wait), body);
    const detail = `The body is not valid: ${problems.join('; ')}.`;
    expect(await readJson(response)).toEqual(createProblem('invalid-body', 422, detail, { problems }));
    expect((await readJson(await send(wait.session))).pending).toEqual(wait.pending);
  });

  it('must be sent by POST', async () => {
    const response = await send(`${createSessionPath('clerk')}/results/a.3.0`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
