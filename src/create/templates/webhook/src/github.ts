import type { CallContext } from 'holdfast';
import * as v from 'valibot';

export const issueSchema = v.object({
  repository: v.pipe(v.string(), v.regex(/^[\w-]+\/(?!\.{1,2}$)[\w.-]+$/)),
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

export type Issue = v.InferOutput<typeof issueSchema>;

/** The agent's actions on GitHub. Each method acts for one call. */
export interface GitHub {
  addLabel(issue: Issue, label: string, call: CallContext): Promise<string>;
  comment(issue: Issue, text: string, call: CallContext): Promise<string>;
  /**
   * Returns the address of the comment from an earlier run of this call, `not-done`, or `unknown` if it may
   * still appear.
   */
  findComment(issue: Issue, call: CallContext): Promise<{ readonly done: string } | 'not-done' | 'unknown'>;
}

const commentSchema = v.object({ html_url: v.string(), body: v.nullish(v.string(), '') });

/**
 * Uses GitHub's REST API with GITHUB_TOKEN. Without a token, each method sends nothing and describes its
 * action instead.
 */
export const github: GitHub = {
  async addLabel(issue, label, call) {
    if (isDryRun(call))
      return `Without GITHUB_TOKEN: "${label}" would be added to ${formatIssueName(issue)}.`;
    await ask(call, `${getIssuePath(issue)}/labels`, { labels: [label] });
    return `Added "${label}".`;
  },
  async comment(issue, text, call) {
    if (isDryRun(call))
      return `Without GITHUB_TOKEN: ${formatIssueName(issue)} would get the comment "${text}".`;
    const answer = await ask(call, `${getIssuePath(issue)}/comments`, {
      body: `${text}\n\n${formatMark(call)}`,
    });
    return v.parse(commentSchema, answer).html_url;
  },
  async findComment(issue, call) {
    if (isDryRun(call)) return 'not-done';
    const comments = v.parse(
      v.array(commentSchema),
      await ask(call, `${getIssuePath(issue)}/comments?per_page=100`),
    );
    const ours = comments.find(({ body }) => body?.includes(formatMark(call)));
    if (ours) return { done: ours.html_url };
    // A recent request may not be stored yet, and a longer list has more pages.
    const isSure = call.now() - call.startedAt > 30_000 && comments.length < 100;
    return isSure ? 'not-done' : 'unknown';
  },
};

const isDryRun = ({ env }: CallContext): boolean => !env.GITHUB_TOKEN;
const formatIssueName = ({ repository, number }: Issue): string => `${repository}#${number}`;
const getIssuePath = ({ repository, number }: Issue): string => `/repos/${repository}/issues/${number}`;
/**
 * Returns the mark in a comment. GitHub has no idempotency keys, so a comment contains the key of its call.
 */
const formatMark = ({ idempotencyKey }: CallContext): string => `<!-- ${idempotencyKey} -->`;

async function ask({ env, signal }: CallContext, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`https://api.github.com${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body && { body: JSON.stringify(body) }),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      'user-agent': 'my-agent',
    },
    signal,
  });
  // A failing server may still have acted, so treat this like a lost connection.
  if (response.status >= 500) throw new DOMException(`GitHub returned ${response.status}.`, 'TimeoutError');
  if (!response.ok) throw new Error(`GitHub refused the request with ${response.status}.`);
  return response.json();
}
