import { createRequire } from 'node:module';
import type { FakeChange, SeedRepository } from '../triage/fake-github.ts';
import type { SeedIssue } from '../triage/fake-shapes.ts';
import type { Effect } from './counted-effects.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly OpenedIssue[];
}

/** The properties of an `issues.opened` payload that the demo uses. */
interface OpenedIssue {
  readonly action: string;
  readonly repository: { readonly full_name: string };
  readonly issue: {
    readonly number: number;
    readonly title: string;
    readonly body: string | null;
    readonly user: { readonly login: string };
  };
}

// GitHub's own examples. `require` imports JSON in the same way in all supported versions of Node.
const examples: readonly Example[] = createRequire(import.meta.url)('@octokit/webhooks-examples');

/** GitHub's first example of an opened issue. */
export const openedIssue: OpenedIssue = findOpenedExample();

/** The issue in GitHub's notation: `octocat/Hello-World#1`. */
export const openedName = `${openedIssue.repository.full_name}#${openedIssue.issue.number}`;

function findOpenedExample(): OpenedIssue {
  const issues = examples.find(({ name }) => name === 'issues')?.examples ?? [];
  const first = issues.find(({ action, issue }) => action === 'opened' && issue.body !== null);
  if (!first) throw new Error('@octokit/webhooks-examples has no example of an opened issue.');
  return first;
}

/** The only token of the fake GitHub. It is not valid anywhere else. */
export const DEMO_TOKEN = 'demo-token-of-the-fake-github';

/** The secret that signs deliveries of the fake GitHub. It is not valid anywhere else. */
export const DEMO_SECRET = 'demo-secret-of-the-fake-github';

/** The repository of the example, with its initial content in the fake GitHub. */
export const seedRepository: SeedRepository = {
  name: openedIssue.repository.full_name,
  issues: [toSeed(openedIssue)],
  labels: [
    { name: 'bug', description: "Something isn't working" },
    { name: 'documentation', description: 'README file, guides and other texts' },
    { name: 'question', description: 'Further information is requested' },
  ],
  files: { 'README.md': '# Hello World\n\nThe committ message says it all.\n' },
};

function toSeed({ issue: { number, title, body, user } }: OpenedIssue): SeedIssue {
  return { number, title, body, author: user.login };
}

/** Returns the name under which the counter counts an effect on GitHub. Only labels are idempotent. */
export const getServiceName = ({ what }: Pick<FakeChange, 'what'>): string => `github-${what}`;

/** The effects of the tour's `once` calls on GitHub. */
export const githubEffects: readonly Effect[] = [
  { service: getServiceName({ what: 'comment' }), what: openedName },
];
