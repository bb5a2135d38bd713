import { afterEach, describe, expect, it, vi } from 'vitest';
import { paperGitHub } from '../../../../../src/examples/triage/paper-github.ts';
import { createSubjectContext } from '../../../../../src/examples/triage/subject.ts';
import { defineTriage } from '../../../../../src/examples/triage/triage.ts';
import { offlineModel } from '../../../../../src/offline-model/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';
import {
  createCall,
  createCallingModel,
  createOfflineOptions,
  createScene,
  HELLO_REPOSITORY,
  listCalls,
  listComments,
  type Scene,
  SPELLING_BODY,
  toCommentUrl,
} from '../../../node/examples/triage/scene.ts';
import { createTestApp } from '../../http/app.ts';

afterEach(() => vi.unstubAllGlobals());

describe('the input of the triage model', () => {
  it('has two unfolding tools, and their tools once they are open', async () => {
    const { session } = createScene(createCallingModel());
    await session.send(SPELLING_BODY);
    const [first, second] = session.requests;
    expect(first?.tools.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      'issues: The issue at hand: read it, list and add labels, comment, close.',
      'repository: The repository: other issues that are similar, and its files.',
    ]);
    expect(second?.tools.map(({ name }) => name)).toEqual([
      'issues',
      'repository',
      'add_label',
      'close_issue',
      'find_similar_issues',
      'list_labels',
      'read_file',
      'read_issue',
      'write_comment',
    ]);
  });

  it('has no parameter for another issue or repository', async () => {
    const { session } = createScene(createCallingModel());
    await session.send(SPELLING_BODY);
    const inputs = session.requests[1]?.tools.flatMap(({ inputSchema }) =>
      Object.keys(Object(inputSchema.properties)),
    );
    expect(inputs?.toSorted()).toEqual(['label', 'path', 'reason', 'text', 'title']);
  });

  it('contains only the delivery as JSON and the instructions', async () => {
    const { session } = createScene({ replies: ['Done.'] });
    await session.send(SPELLING_BODY);
    expect(session.requests[0]?.messages.slice(1)).toEqual([{ role: 'user', text: SPELLING_BODY }]);
    expect(session.requests[0]?.messages[0]?.text).not.toContain('commit');
  });

  it('is listed by GET /agents, with all nested tools', async () => {
    const answer = await createTestApp({ agents: [defineTriage(paperGitHub)], model: offlineModel() })(
      '/agents',
    );
    const told = JSON.stringify(await answer.json());
    for (const name of ['read_issue', 'write_comment', 'close_issue', 'find_similar_issues', 'read_file']) {
      expect(told).toContain(`"name":"${name}"`);
    }
  });
});

describe('triage with a model that calls several tools at once', () => {
  const text = 'Thank you for telling us. #2 was much the same.';

  it('shows the model the search results, and then the results of its actions', async () => {
    const stage = createScene({
      replies: [
        { calls: [createCall('issues'), createCall('repository')] },
        { calls: [createCall('find_similar_issues', { title: 'spelling' }), createCall('list_labels')] },
        {
          calls: [createCall('add_label', { label: 'documentation' }), createCall('write_comment', { text })],
        },
        'Labeled, and answered.',
      ],
    });
    expect(await stage.session.send(SPELLING_BODY)).toMatchObject({ outcome: 'completed', toolCalls: 6 });
    const shown = stage.session.requests.at(-1)?.messages ?? [];
    expect(shown.flatMap((message) => (message.role === 'tool' ? [message.text] : [])).slice(2)).toEqual([
      '{"similar":[{"number":2,"title":"The README file has an error of spelling","state":"closed"}]}',
      '{"label":"documentation","all":[{"name":"bug","description":"Something isn\'t working"},' +
        '{"name":"documentation","description":"README file, guides and other texts"}]}',
      '{"labels":["documentation"]}',
      JSON.stringify({ url: toCommentUrl(1, 1001) }),
    ]);
    expect(stage.changes.map(({ what }) => what).toSorted()).toEqual(['comment', 'label']);
  });
});

describe('triage with the offline planner', () => {
  it('searches for similar issues, adds labels, and writes one comment', async () => {
    const stage = createScene(createOfflineOptions());
    const answer = await stage.session.send(SPELLING_BODY);
    expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 7 });
    expect((await listCalls(stage.session)).map(([asked]) => asked)).toEqual([
      'find_similar_issues {"title":"Spelling error in the README file"}',
      'read_issue {}',
      'list_labels {}',
      'add_label {"label":"documentation"}',
      'write_comment {"text":"Thank you for telling us."}',
    ]);
    expect(stage.github.issue(HELLO_REPOSITORY, 1)?.labels).toEqual(['documentation']);
    expect(listComments(stage)).toEqual([
      {
        what: 'comment',
        issue: `${HELLO_REPOSITORY}#1`,
        text: expect.stringMatching(/^Thank you for telling us\.\n\n<!-- holdfast [\da-f]{32}[.\d]+ -->$/),
      },
    ]);
    expect(answer.text).toContain(
      'number: 2, title: The README file has an error of spelling, state: closed',
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'writes one comment even if the Worker is killed while it waits for reply %i',
    async (fatal) => {
      const model = offlineModel();
      let replies = 0;
      const stage: Scene = createScene({
        model: {
          ...model,
          ask(request, options) {
            replies += 1;
            if (replies === fatal) stage.session.kill();
            return model.ask(request, options);
          },
        },
      });
      expect(await stage.session.send(SPELLING_BODY)).toMatchObject({ outcome: 'completed' });
      expect(listComments(stage)).toHaveLength(1);
      expect(stage.github.issue(HELLO_REPOSITORY, 1)?.labels).toEqual(['documentation']);
    },
  );

  it('does a dry run without a GitHub URL', async () => {
    vi.stubGlobal('fetch', () => expect.fail('Nothing real happens.'));
    const context = createSubjectContext({ repository: HELLO_REPOSITORY, number: 7 });
    const session = createTestSession(defineTriage(paperGitHub), { ...createOfflineOptions(), context });
    const { outcome, text } = await session.send(SPELLING_BODY);
    expect(outcome).toBe('completed');
    expect(text).toMatch(/url: paper:Codertocat\/Hello-World#7\/[\da-f]{8}/);
  });

  it('closes the issue if a maintainer requests and approves it', async () => {
    const stage = createScene(createOfflineOptions());
    await stage.session.send(SPELLING_BODY);
    const asked = await stage.session.send('Close the issue as not planned');
    expect(asked).toMatchObject({
      outcome: 'suspended',
      pending: [{ message: `Close ${HELLO_REPOSITORY}#1 as not planned?` }],
    });
    expect(stage.github.issue(HELLO_REPOSITORY, 1)?.state).toBe('open');
    expect(await stage.session.decide('close_issue', 'approve')).toMatchObject({ outcome: 'completed' });
    expect(stage.github.issue(HELLO_REPOSITORY, 1)).toMatchObject({
      state: 'closed',
      stateReason: 'not_planned',
    });
  });
});
