import type { GitHub, Label } from './github.ts';
import { formatIssueName } from './subject.ts';

const labels: readonly Label[] = [
  { name: 'bug', description: "Something isn't working" },
  { name: 'documentation', description: 'README, guides and other texts' },
  { name: 'enhancement', description: 'New feature or request' },
];

/** A fake GitHub with one issue in every repository. It responds at once and has no real effect. */
export const paperGitHub: GitHub = {
  issue: async ({ number }) => ({
    number,
    title: 'Spelling error in the README file',
    body: 'This issue is on paper: set GITHUB_API_URL to work on real ones.',
    state: 'open',
    author: 'octocat',
    labels: [],
  }),
  labels: async () => labels,
  addLabel: async (_, label) => [label],
  comment: async (subject, _, { idempotencyKey }) => ({
    url: `paper:${formatIssueName(subject)}/${idempotencyKey.slice(0, 8)}`,
  }),
  recall: async () => 'not-done',
  close: async () => {},
  search: async () => [],
  file: async (_, path) => (path === 'README.md' ? 'A README on paper.' : undefined),
};
