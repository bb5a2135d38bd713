import { describe, expect, it } from 'vitest';
import { createFakeGitHub } from '../../../../../src/examples/triage/fake-github.ts';
import { HELLO_REPOSITORY, seed, TOKEN } from './scene.ts';

describe('the fake GitHub', () => {
  const ISSUE = `/repos/${HELLO_REPOSITORY}/issues/1`;

  const ask = (
    path: string,
    { headers = {}, ...init }: { method?: string; body?: string; headers?: object } = {},
  ) =>
    createFakeGitHub({ token: TOKEN, repositories: [seed] }).handle(
      new Request(`https://github.test${path}`, {
        ...init,
        headers: { 'user-agent': 'test', authorization: `Bearer ${TOKEN}`, ...headers },
      }),
    );

  it.each([
    ['an invalid token', ISSUE, { headers: { authorization: 'Bearer x' } }, 401, 'Bad credentials'],
    ['a missing issue', '/repos/octocat/gone/issues/1', {}, 404, 'Not Found'],
    [
      'a blank comment',
      `${ISSUE}/comments`,
      { method: 'POST', body: '{"body":" "}' },
      422,
      'Validation Failed',
    ],
    [
      'an empty list of labels',
      `${ISSUE}/labels`,
      { method: 'POST', body: '{"labels":[]}' },
      422,
      'Validation Failed',
    ],
    ['an unknown state', ISSUE, { method: 'PATCH', body: '{"state":"gone"}' }, 422, 'Validation Failed'],
    ['an empty search', '/search/issues?q=', {}, 422, 'Validation Failed'],
  ])('refuses %s', async (_, path, init, status, message) => {
    const answer = await ask(path, init);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ message, status: String(status) });
  });

  it('finds a repository by its name in any letter case, creates labels, and returns 201 for a comment', async () => {
    const label = { method: 'POST', body: '{"labels":["new"]}' };
    expect(await (await ask(`${ISSUE.toLowerCase()}/labels`, label)).json()).toMatchObject([{ name: 'new' }]);
    const comment = await ask(`${ISSUE}/comments`, { method: 'POST', body: '{"body":"Hello."}' });
    expect(comment.status).toBe(201);
    expect(comment.headers.get('location')).toBe(
      `https://github.test/repos/${HELLO_REPOSITORY}/issues/comments/1001`,
    );
  });
});
