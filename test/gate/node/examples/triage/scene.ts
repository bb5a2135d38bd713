import { vi } from 'vitest';
import {
  createFakeGitHub,
  type FakeChange,
  type FakeGitHub,
  type SeedRepository,
} from '../../../../../src/examples/triage/fake-github.ts';
import { createGithub } from '../../../../../src/examples/triage/github-at.ts';
import { createSubjectContext } from '../../../../../src/examples/triage/subject.ts';
import { defineTriage } from '../../../../../src/examples/triage/triage.ts';
import { offlineModel } from '../../../../../src/offline-model/entry.ts';
import { createTestSession, type TestModel, type TestSession } from '../../../../../src/testing/entry.ts';
import { getModelText } from '../../../../doors/tools.ts';

export const TOKEN = 'ghp_0123456789abcdef';
export const SECRET = 'the secret of the webhook';
export const HELLO_REPOSITORY = 'Codertocat/Hello-World';

export const seed: SeedRepository = {
  name: HELLO_REPOSITORY,
  issues: [
    { number: 1, title: 'Spelling error in the README file', body: "It looks like 'commit' has two t's." },
    { number: 2, title: 'The README file has an error of spelling', state: 'closed' },
    { number: 3, title: 'Locked', locked: true },
  ],
  labels: [
    { name: 'bug', description: "Something isn't working" },
    { name: 'documentation', description: 'README file, guides and other texts' },
  ],
  files: { 'README.md': '# Hällo', 'docs/token.md': `The token is ${TOKEN}.` },
};

export interface Scene {
  readonly session: TestSession;
  readonly github: FakeGitHub;
  readonly changes: readonly FakeChange[];
  /** The requests to GitHub, one per line: method, path and query. */
  readonly asked: readonly string[];
}

export interface SceneOptions {
  readonly number?: number;
  /** Called after each change, before the response. */
  readonly changed?: (change: FakeChange, session: TestSession) => void;
  /** Returns a response in place of the fake, or `undefined` to let the fake respond. */
  readonly instead?: (
    request: Request,
    session: TestSession,
    handle: () => Promise<Response>,
  ) => Promise<Response> | undefined;
}

/** Returns a session of the triage agent about one issue, over a fake GitHub. */
export function createScene(
  model: TestModel,
  { number = 1, changed = () => {}, instead = () => undefined }: SceneOptions = {},
): Scene {
  const changes: FakeChange[] = [];
  const asked: string[] = [];
  const github = createFakeGitHub({
    token: TOKEN,
    repositories: [seed, { name: 'Codertocat/Secret', issues: [{ number: 1, title: 'Spelling error' }] }],
    changed(change) {
      changes.push(change);
      changed(change, session);
    },
  });
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const request = new Request(url, { ...init, headers: { ...init.headers } });
    asked.push(`${request.method} ${url.replace('https://github.test', '')}`);
    return instead(request, session, () => github.handle(request)) ?? github.handle(request);
  });
  const session: TestSession = createTestSession(defineTriage(createGithub('https://github.test/')), {
    ...model,
    context: createSubjectContext({ repository: HELLO_REPOSITORY, number }),
    secrets: () => ({ GITHUB_TOKEN: TOKEN }),
  });
  return { session, github, changes, asked };
}

export const createOfflineOptions = (): TestModel => ({ model: offlineModel() });
export const createCall = (name: string, input: object = {}) => ({ name, input });

/** Opens both unfolding tools, makes the calls in one reply, and then ends. */
export const createCallingModel = (...calls: readonly ReturnType<typeof createCall>[]): TestModel => ({
  replies: [{ calls: [createCall('issues'), createCall('repository')] }, { calls }, 'Done.'],
});

/** Returns the calls of a session, except those that open unfolding tools, with their texts for the model. */
export async function listCalls(session: TestSession): Promise<readonly (readonly [string, string])[]> {
  const { messages } = await session.state();
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.calls
          .filter(({ name }) => name !== 'issues' && name !== 'repository')
          .map(({ name, input, ended }): readonly [string, string] => [
            `${name} ${input}`,
            ended ? getModelText(ended.result) : 'open',
          ])
      : [],
  );
}

export const listComments = ({ changes }: Scene): readonly FakeChange[] =>
  changes.filter(({ what }) => what === 'comment');

export const createDeliveryBody = (title: string, body = ''): string =>
  JSON.stringify({ repository: HELLO_REPOSITORY, issue: 1, title, author: 'octocat', body });

export const SPELLING_BODY = createDeliveryBody(
  'Spelling error in the README file',
  "It looks like 'commit' has two t's.",
);
export const toCommentUrl = (issue: number, id: number): string =>
  `https://github.com/${HELLO_REPOSITORY}/issues/${issue}#issuecomment-${id}`;
