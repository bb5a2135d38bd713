import { createRequire } from 'node:module';
import type { FakeChange, SeedRepository } from '../triage/fake-github.ts';
import type { SeedIssue } from '../triage/fake-shapes.ts';
import type { Effect } from './counted-effects.ts';

/** What the examples are listed by. */
interface Example {
  readonly name: string;
  readonly examples: readonly OpenedIssue[];
}

/** A payload of `issues.opened`, as far as the demo looks at it. */
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

// GitHub's own examples. JSON is imported in the same way by every Node that the demo runs on only so.
const examples: readonly Example[] = createRequire(import.meta.url)('@octokit/webhooks-examples');

/** What GitHub delivers when somebody opens an issue: the first of its examples. */
export const opened: OpenedIssue = openedExample();

/** The issue as GitHub writes it: `octocat/Hello-World#1`. */
export const openedName = `${opened.repository.full_name}#${opened.issue.number}`;

function openedExample(): OpenedIssue {
  const issues = examples.find(({ name }) => name === 'issues')?.examples ?? [];
  const first = issues.find(({ action, issue }) => action === 'opened' && issue.body !== null);
  if (!first) throw new Error('@octokit/webhooks-examples has no example of an opened issue.');
  return first;
}

/** The fake GitHub's only token, and what deliveries are signed with. Neither opens anything else. */
export const DEMO_TOKEN = 'demo-token-of-the-fake-github';

/** Signs the deliveries of the fake GitHub, and opens nothing else. */
export const DEMO_SECRET = 'demo-secret-of-the-fake-github';

/** The repository of the example, as the fake GitHub holds it before anything is done. */
export const seedRepository: SeedRepository = {
  name: opened.repository.full_name,
  issues: [toSeed(opened)],
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

/** The effects of GitHub as the counter writes them: for adding a label, which is idempotent, and the rest. */
export const serviceOf = ({ what }: Pick<FakeChange, 'what'>): string => `github-${what}`;

/** What the tour has done on GitHub by `once` calls. */
export const githubEffects: readonly Effect[] = [
  { service: serviceOf({ what: 'comment' }), what: openedName },
];
