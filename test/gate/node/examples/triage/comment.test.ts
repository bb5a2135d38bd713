import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createCall,
  createCallingModel,
  createScene,
  HELLO_REPOSITORY,
  listCalls,
  listComments,
  SPELLING_BODY,
  toCommentUrl,
} from './scene.ts';

afterEach(() => vi.unstubAllGlobals());

describe('a comment of the triage agent', () => {
  const comment = createCall('write_comment', { text: 'Thank you.' });
  const post = ({ method, url }: Request): boolean => method === 'POST' && url.endsWith('/comments');
  const loseConnection = (): Promise<never> => Promise.reject(new Error('Network connection lost.'));
  const written = JSON.stringify({ url: toCommentUrl(1, 1001) });

  it('is written once if the Worker is killed before GitHub has responded', async () => {
    const stage = createScene(createCallingModel(comment), {
      changed: ({ what }, session) => what === 'comment' && session.kill(),
    });
    await stage.session.send(SPELLING_BODY);
    expect(listComments(stage)).toHaveLength(1);
    expect(await listCalls(stage.session)).toEqual([['write_comment {"text":"Thank you."}', written]]);
  });

  it('is written once if the Worker is killed before the request reaches GitHub', async () => {
    let deaths = 0;
    const stage = createScene(createCallingModel(comment), {
      instead(request, session) {
        if (!post(request) || deaths > 0) return undefined;
        deaths += 1;
        session.kill();
        return loseConnection();
      },
    });
    await stage.session.send(SPELLING_BODY);
    expect(deaths).toBe(1);
    expect(listComments(stage)).toHaveLength(1);
    expect(await listCalls(stage.session)).toEqual([['write_comment {"text":"Thank you."}', written]]);
  });

  it.each([
    ['503', () => new Response('Unavailable', { status: 503 })],
    ['an unreadable body', () => new Response('<html>', { status: 201 })],
    ['a lost connection', loseConnection],
  ])('is written once if GitHub stores it and returns %s', async (_, answer) => {
    const stage = createScene(createCallingModel(comment), {
      instead: (request, _session, handle) => (post(request) ? handle().then(answer) : undefined),
    });
    await stage.session.send(SPELLING_BODY);
    expect(listComments(stage)).toHaveLength(1);
    expect(await listCalls(stage.session)).toEqual([['write_comment {"text":"Thank you."}', written]]);
  });

  it('has an unknown outcome if it was just sent but is not visible yet, and is not written again', async () => {
    const stage = createScene(createCallingModel(comment), {
      instead: (request) => (post(request) ? loseConnection() : undefined),
    });
    await stage.session.send(SPELLING_BODY);
    expect(stage.asked.filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect((await listCalls(stage.session))[0]?.[1]).toContain('The outcome of this call of');
  });

  it('is found even if the issue has more comments than one page', async () => {
    const stage = createScene(createCallingModel(comment), {
      instead: (request, _session, handle) => (post(request) ? handle().then(loseConnection) : undefined),
    });
    const others = Array.from({ length: 150 }, (_, id) => ({ id, author: 'octocat', body: 'Me too.' }));
    stage.github.issue(HELLO_REPOSITORY, 1)?.comments.push(...others);
    await stage.session.send(SPELLING_BODY);
    expect(stage.asked.filter((line) => line.includes('page='))).toEqual([
      `GET /repos/${HELLO_REPOSITORY}/issues/1/comments?per_page=100&page=1`,
      `GET /repos/${HELLO_REPOSITORY}/issues/1/comments?per_page=100&page=2`,
    ]);
    expect((await listCalls(stage.session))[0]?.[1]).toBe(JSON.stringify({ url: toCommentUrl(1, 1151) }));
  });

  it('has an unknown outcome if GitHub is unreachable, and is not written again', async () => {
    const stage = createScene(createCallingModel(comment), {
      instead: (request, _session, handle) =>
        request.url.includes('/comments')
          ? post(request)
            ? handle().then(loseConnection)
            : loseConnection()
          : undefined,
    });
    await stage.session.send(SPELLING_BODY);
    expect(listComments(stage)).toHaveLength(1);
    expect((await listCalls(stage.session))[0]?.[1]).toContain('The outcome of this call of');
  });

  it('causes an error result with GitHub’s message if GitHub refuses it', async () => {
    const { session } = createScene(createCallingModel(comment), { number: 3 });
    await session.send(SPELLING_BODY);
    expect((await listCalls(session))[0]?.[1]).toBe(
      'Error: GitHub refused the request with 403: Unable to create comment because issue is locked.',
    );
  });

  it('is not written if the issue has moved', async () => {
    const moved = { message: 'Moved Permanently' };
    const redirects: string[] = [];
    const { session, asked } = createScene(createCallingModel(comment), {
      async instead({ redirect }) {
        redirects.push(redirect);
        return Response.json(moved, { status: 301, headers: { location: 'https://evil.test/' } });
      },
    });
    await session.send(SPELLING_BODY);
    expect((await listCalls(session))[0]?.[1]).toBe(
      'Error: GitHub refused the request with 301: Moved Permanently.',
    );
    expect(asked).toEqual([`POST /repos/${HELLO_REPOSITORY}/issues/1/comments`]);
    expect(redirects).toEqual(['manual']);
  });
});
