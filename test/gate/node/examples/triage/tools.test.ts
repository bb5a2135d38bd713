import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createCall,
  createCallingModel,
  createScene,
  HELLO_REPOSITORY,
  listCalls,
  SPELLING_BODY,
} from './scene.ts';

afterEach(() => vi.unstubAllGlobals());

describe('the other tools of the triage agent', () => {
  const similar = JSON.stringify({
    similar: [{ number: 2, title: 'The README file has an error of spelling', state: 'closed' }],
  });

  it.each<[object, string, string]>([
    [{ path: 'README.md' }, 'read_file', '# Hällo'],
    [{ path: 'gone.md' }, 'read_file', 'Error: There is no such file on the default branch.'],
    [{ title: 'Spelling error in the README' }, 'find_similar_issues', similar],
    [{ title: '?!' }, 'find_similar_issues', '{"similar":[]}'],
    [{ label: 'bug' }, 'add_label', '{"labels":["bug"]}'],
  ])('return the expected text for the input %j', async (input, name, text) => {
    const { session } = createScene(createCallingModel(createCall(name, input)));
    await session.send(SPELLING_BODY);
    expect((await listCalls(session))[0]?.[1]).toBe(text);
  });

  it('report that the issue does not exist', async () => {
    const { session } = createScene(createCallingModel(createCall('read_issue'), createCall('list_labels')), {
      number: 404,
    });
    await session.send(SPELLING_BODY);
    const missing = `Error: There is no issue ${HELLO_REPOSITORY}#404.`;
    expect((await listCalls(session)).map(([, text]) => text)).toEqual([missing, missing]);
  });

  it('add a label again if the Worker was killed while adding it', async () => {
    let deaths = 0;
    const stage = createScene(createCallingModel(createCall('add_label', { label: 'bug' })), {
      changed(_, session) {
        if (deaths === 0) session.kill();
        deaths += 1;
      },
    });
    await stage.session.send(SPELLING_BODY);
    expect(stage.changes).toHaveLength(2);
    expect(stage.github.issue(HELLO_REPOSITORY, 1)?.labels).toEqual(['bug']);
  });
});
