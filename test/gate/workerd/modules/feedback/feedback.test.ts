/** Feedback about a turn, which is sent to a route, journaled, listed, and read in evals. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createHoldfast, type Session, sessionOf } from '../../../../../src/create-holdfast.ts';
import type { StoredEvent } from '../../../../../src/journal/entry.ts';
import { feedback, feedbackDescription, feedbackIn } from '../../../../../src/modules/feedback/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import {
  createSessionPath,
  getSessionId,
  post,
  readJournal,
  readJson,
  type Send,
} from '../../http/client.ts';

const use = [feedback(), openApi({ descriptions: [feedbackDescription] })];

/** An app of the tenant `shop`, used by one of its people. */
const createAppFor = (id: string): Send =>
  createTestApp({ agents: [scripted], use, auth: () => ({ id, tenant: 'shop' }) });
const ada = createAppFor('ada');

const postFeedback = async (via: Send, path: string, turn: string, body: unknown) => {
  const response = await via(`${path}/turns/${turn}/feedback`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await readJson(response) };
};

const listFeedback = async (path: string, via = ada) => {
  const response = await via(`${path}/feedback`);
  return { status: response.status, body: await readJson(response) };
};

/** A session with a turn for each of these answers. */
async function answerTurns(...texts: readonly string[]) {
  const path = createSessionPath();
  const { message } = registerScript(...(texts.length > 0 ? texts : ['An answer.']));
  const say = async (): Promise<string> =>
    String((await readJson(await post(path, { message: message() }, { via: ada }))).turn);
  const turns: string[] = [];
  for (let at = 0; at < Math.max(texts.length, 1); at += 1) turns.push(await say());
  const [turn = '', second = ''] = turns;
  return { path, turn, second };
}

const now = expect.closeTo(Date.now(), -6);

describe('POST .../turns/{turn}/feedback', () => {
  it('journals a score and text, which the session lists', async () => {
    const { path, turn } = await answerTurns();
    const kept = { turn, by: 'ada', score: -0.5, words: 'It is too long.', at: now };
    expect(await postFeedback(ada, path, turn, { score: -0.5, words: 'It is too long.' })).toEqual({
      status: 200,
      body: kept,
    });
    expect((await readJournal(path, ada)).at(-1)).toMatchObject({
      type: 'module-event',
      turn,
      module: 'feedback',
      facts: [{ slice: 'feedback', fact: { by: 'ada', score: -0.5, words: 'It is too long.' } }],
    });
    expect(await listFeedback(path)).toEqual({ status: 200, body: { feedback: [kept] } });
    // The session's state does not contain the feedback.
    expect(JSON.stringify(await readJson(await ada(path)))).not.toContain('too long');
  });

  it('replaces the same caller’s earlier feedback about the turn, but no other feedback', async () => {
    const { path, turn, second } = await answerTurns('One.', 'Two.');
    await postFeedback(ada, path, second, { score: 1 });
    await postFeedback(ada, path, turn, { score: -1, words: 'No.' });
    await postFeedback(createAppFor('bob'), path, turn, { words: 'Fine.' });
    await postFeedback(ada, path, turn, { score: 0.5 });
    expect(await listFeedback(path)).toEqual({
      status: 200,
      body: {
        feedback: [
          { turn, by: 'ada', score: 0.5, at: now },
          { turn, by: 'bob', words: 'Fine.', at: now },
          { turn: second, by: 'ada', score: 1, at: now },
        ],
      },
    });
  });

  it('accepts feedback about a running turn, and lists it once the turn has stopped', async () => {
    const path = createSessionPath();
    const slow = createHeldReply('Slow.');
    const running = post(path, { message: registerScript(slow.reply).message() }, { via: ada });
    await slow.asked();
    const turn = String((await readJson(await ada(path))).openTurn);
    expect((await postFeedback(ada, path, turn, { score: 1 })).status).toBe(200);
    slow.release();
    await running;
    expect((await listFeedback(path)).body).toMatchObject({ feedback: [{ turn, score: 1 }] });
  });

  it.each([
    [{}, 'score or words: at least one is required'],
    [{ score: 2 }, 'score: must be a number from -1 to 1'],
    [{ score: -1.1 }, 'score: must be a number from -1 to 1'],
    [{ score: '1' }, 'score: must be a number from -1 to 1'],
    [{ score: null }, 'score: must be a number from -1 to 1'],
    [{ words: '' }, 'words: must be text of 1 to 4000 characters'],
    [{ words: ' ' }, 'words: must be text of 1 to 4000 characters'],
    [{ words: 'x'.repeat(4_001) }, 'words: must be text of 1 to 4000 characters'],
    [{ score: 1, words: ['Good'] }, 'words: must be text of 1 to 4000 characters'],
  ])('refuses %o with 422 and explains why', async (body, problem) => {
    const { path, turn } = await answerTurns();
    expect(await postFeedback(ada, path, turn, body)).toMatchObject({
      status: 422,
      body: { problems: [problem] },
    });
    expect(await listFeedback(path)).toEqual({ status: 200, body: { feedback: [] } });
  });

  it('refuses an unknown key, and a body that is not JSON', async () => {
    const { path, turn } = await answerTurns();
    const { status, body } = await postFeedback(ada, path, turn, { score: 1, rating: 5 });
    expect([status, JSON.stringify(body.problems)]).toEqual([422, expect.stringContaining('rating')]);
    expect(await postFeedback(ada, path, turn, '{')).toMatchObject({ status: 400 });
  });

  it('accepts the longest text, and both ends of the score', async () => {
    const { path, turn } = await answerTurns();
    for (const body of [{ score: 1 }, { score: -1 }, { words: 'x'.repeat(4_000) }])
      expect((await postFeedback(ada, path, turn, body)).status).toBe(200);
  });

  it('returns 404 for an unknown turn or session, and for another owner’s session', async () => {
    const { path, turn } = await answerTurns();
    expect(await postFeedback(ada, path, 'none', { score: 1 })).toMatchObject({
      status: 404,
      body: { type: /unknown-turn$/ },
    });
    expect(await postFeedback(ada, createSessionPath(), turn, { score: 1 })).toMatchObject({ status: 404 });
    const eve = createTestApp({ agents: [scripted], use, auth: () => ({ id: 'eve' }) });
    expect(await postFeedback(eve, path, turn, { score: 1 })).toMatchObject({ status: 404 });
    expect(await listFeedback(path, eve)).toMatchObject({ status: 404, body: { type: /unknown-session$/ } });
    expect(await listFeedback(path)).toEqual({ status: 200, body: { feedback: [] } });
  });

  it('does not exist in an app without the module, which ignores its events', async () => {
    const path = createSessionPath();
    const { message } = registerScript('One.', 'Still here.');
    const first = await readJson(await post(path, { message: message() }, { via: ada }));
    const turn = String(first.turn);
    await postFeedback(ada, path, turn, { score: 1 });
    const without = createTestApp({ agents: [scripted], auth: () => ({ id: 'ada', tenant: 'shop' }) });
    expect((await without(`${path}/feedback`)).status).toBe(404);
    const next = await post(path, { message: message() }, { via: without });
    expect(await readJson(next)).toMatchObject({ outcome: 'completed', text: 'Still here.' });
    const again = await listFeedback(path);
    expect(again.body).toEqual({ feedback: [{ turn, by: 'ada', score: 1, at: now }] });
  });
});

describe('an eval', () => {
  it('selects the turns that people disliked, with question and answer', async () => {
    const { path, turn, second } = await answerTurns('It leaves at nine.', 'I do not know.');
    await postFeedback(ada, path, turn, { score: 1 });
    await postFeedback(ada, path, second, { score: -1, words: 'You know this.' });
    const holdfast = createHoldfast({ agents: [scripted], use });
    const principal = { id: 'ada', tenant: 'shop' };
    const session: Session = sessionOf(holdfast, env, {
      agent: 'scripted',
      session: getSessionId(path),
      principal,
    });
    const events: StoredEvent[] = [];
    for await (const event of session.events()) events.push(event);
    const cases = feedbackIn(events)
      .filter(({ score = 0 }) => score < 0)
      .map(({ turn: disliked, words }) => {
        const answer = events.findLast((event) => event.type === 'model-replied' && event.turn === disliked);
        return { words, answered: answer?.type === 'model-replied' ? answer.text : undefined };
      });
    expect(cases).toEqual([{ words: 'You know this.', answered: 'I do not know.' }]);
  });
});
