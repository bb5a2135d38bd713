import * as v from 'valibot';
import type { CallContext } from '../../index.ts';
import type { GitHub, Issue, WriteReceipt } from './github.ts';
import { type Ask, createGithubClient, isGone, readAnswer } from './github-client.ts';
import type { Subject } from './subject.ts';

/** GitHub's maximum page size. */
const PAGE = 100;
/** The maximum number of comment pages to search for a comment. After them, its outcome is unknown. */
const MAX_PAGES = 10;
/**
 * The maximum time until a request arrives, in milliseconds. GitHub aborts requests after ten seconds. The
 * rest is a margin for the network.
 */
const LONGEST_REQUEST = 30_000;
/** The maximum number of issues in a search result. */
const MAX_FOUND = 5;

const issueSchema = v.object({
  number: v.number(),
  title: v.string(),
  body: v.nullish(v.string(), ''),
  state: v.string(),
  user: v.nullable(v.object({ login: v.string() })),
  labels: v.array(v.union([v.string(), v.object({ name: v.nullish(v.string(), '') })])),
});
const labelsSchema = v.array(v.object({ name: v.string(), description: v.nullable(v.string()) }));
const commentSchema = v.object({ html_url: v.string(), body: v.nullish(v.string(), '') });
const foundSchema = v.object({ items: v.array(issueSchema) });
/** GitHub returns a list for a folder, and no content for a file of more than a megabyte. */
const fileSchema = v.object({ encoding: v.literal('base64'), content: v.string() });
const contentsSchema = v.union([fileSchema, v.unknown()]);

/** Uses GitHub's REST API at this address: `https://api.github.com` or your own server. */
export function createGithub(url: string): GitHub {
  const ask = createGithubClient(url);
  return { ...createIssueApi(ask), ...createCommentApi(ask), ...createRepositoryApi(ask) };
}

const createIssueApi = (ask: Ask): Pick<GitHub, 'issue' | 'addLabel' | 'close'> => ({
  async issue(subject, call) {
    const response = await ask(call, getIssuePath(subject));
    return isGone(response) ? undefined : toIssue(await readAnswer(issueSchema, response));
  },
  async addLabel(subject, label, call) {
    const response = await ask(call, `${getIssuePath(subject)}/labels`, {
      method: 'POST',
      body: { labels: [label] },
    });
    return (await readAnswer(labelsSchema, response)).map(({ name }) => name);
  },
  async close(subject, reason, call) {
    const body = { state: 'closed', state_reason: reason };
    await readAnswer(issueSchema, await ask(call, getIssuePath(subject), { method: 'PATCH', body }));
  },
});

const createCommentApi = (ask: Ask): Pick<GitHub, 'comment' | 'recall'> => ({
  async comment(subject, text, call) {
    const body = { body: `${text}\n\n${formatMark(call)}` };
    const response = await ask(call, `${getIssuePath(subject)}/comments`, { method: 'POST', body });
    return toWritten(await readAnswer(commentSchema, response));
  },
  // GitHub does not report requests in progress, so a recent comment may be stored after the search.
  async recall(subject, call) {
    const isYoung = call.now() - call.startedAt < LONGEST_REQUEST;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const path = `${getIssuePath(subject)}/comments?per_page=${PAGE}&page=${page}`;
      const comments = await readAnswer(v.array(commentSchema), await ask(call, path));
      const ours = comments.find(({ body }) => body.includes(formatMark(call)));
      if (ours) return toWritten(ours);
      if (comments.length < PAGE) return isYoung ? 'unknown' : 'not-done';
    }
    return 'unknown';
  },
});

const createRepositoryApi = (ask: Ask): Pick<GitHub, 'labels' | 'search' | 'file'> => ({
  async labels({ repository }, call) {
    const response = await ask(call, `/repos/${repository}/labels?per_page=${PAGE}`);
    const labels = await readAnswer(labelsSchema, response);
    return labels.map(({ name, description }) => ({ name, description: description ?? '' }));
  },
  async search({ repository, number }, words, call) {
    const q = encodeURIComponent([...words, `repo:${repository}`, 'is:issue'].join(' '));
    const response = await ask(call, `/search/issues?q=${q}&per_page=${MAX_FOUND + 1}`);
    const { items } = await readAnswer(foundSchema, response);
    return items
      .filter((item) => item.number !== number)
      .slice(0, MAX_FOUND)
      .map(({ number: found, title, state }) => ({ number: found, title, state }));
  },
  async file({ repository }, path, call) {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const response = await ask(call, `/repos/${repository}/contents/${encoded}`);
    if (isGone(response)) return undefined;
    const file = v.safeParse(fileSchema, await readAnswer(contentsSchema, response));
    if (!file.success) throw new Error('GitHub has no readable file at this path.');
    return toText(file.output.content);
  },
});

const getIssuePath = ({ repository, number }: Subject): string => `/repos/${repository}/issues/${number}`;

/**
 * GitHub has no idempotency keys, so the comment contains a hidden key. Other users cannot write the key
 * first, since they do not know it before the comment exists.
 */
const formatMark = ({ idempotencyKey }: CallContext): string => `<!-- holdfast ${idempotencyKey} -->`;

const toWritten = ({ html_url: url }: v.InferOutput<typeof commentSchema>): WriteReceipt => ({ url });

const toIssue = ({ user, labels, ...issue }: v.InferOutput<typeof issueSchema>): Issue => ({
  ...issue,
  author: user?.login ?? 'ghost', // as GitHub shows a deleted user
  labels: labels.map((label) => (typeof label === 'string' ? label : label.name)),
});

const toText = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64.replaceAll('\n', '')), (char) => char.charCodeAt(0)));
