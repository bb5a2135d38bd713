/** GitHub's objects as its REST API returns them, with every field that its OpenAPI description requires. */

/** The initial data of a fake issue. Its other fields are derived. */
export interface SeedIssue {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null | undefined;
  readonly author?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  readonly locked?: boolean | undefined;
}

/** A mutable issue of the fake. */
export interface FakeIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly author: string;
  labels: readonly string[];
  state: 'open' | 'closed';
  stateReason: string | null;
  readonly locked: boolean;
  readonly comments: FakeComment[];
}

export interface FakeComment {
  readonly id: number;
  readonly author: string;
  readonly body: string;
}

export interface FakeLabel {
  readonly name: string;
  readonly description: string | null;
}

/** The time of all changes, since the fake has no clock. */
const FAKE_TIME = '2026-11-01T12:00:00Z';

/** Makes an issue from its initial data. */
export const toIssue = ({
  number,
  title,
  body = null,
  author,
  labels = [],
  ...more
}: SeedIssue): FakeIssue => ({
  number,
  title,
  body,
  author: author ?? 'octocat',
  labels,
  state: more.state ?? 'open',
  stateReason: null,
  locked: more.locked ?? false,
  comments: [],
});

function toUserShape(login: string, api: string) {
  const url = `${api}/users/${login}`;
  return {
    login,
    id: 583_231,
    node_id: 'MDQ6VXNlcjU4MzIzMQ==',
    avatar_url: `https://github.com/${login}.png`,
    gravatar_id: '',
    url,
    html_url: `https://github.com/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: 'User',
    site_admin: false,
  };
}

/**
 * Returns a label in the shape of the REST API. A label that its first use created is gray and has no
 * description.
 */
export function toLabelShape({ name, description }: FakeLabel, repository: string) {
  return {
    id: [...name].reduce((sum, char) => sum * 31 + (char.codePointAt(0) ?? 0), 7) % 1_000_000,
    node_id: `LA_${name}`,
    url: `${repository}/labels/${encodeURIComponent(name)}`,
    name,
    description,
    color: 'ededed',
    default: false,
  };
}

/** The addresses of the API and of the web pages. */
export interface Addresses {
  readonly api: string;
  /** `owner/name` */
  readonly repository: string;
}

/** Returns an issue in the shape of the REST API. */
export function toIssueShape(issue: FakeIssue, { api, repository }: Addresses) {
  const home = `${api}/repos/${repository}`;
  const url = `${home}/issues/${issue.number}`;
  return {
    id: 444_500_000 + issue.number,
    node_id: `I_${issue.number}`,
    url,
    repository_url: home,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `https://github.com/${repository}/issues/${issue.number}`,
    number: issue.number,
    state: issue.state,
    state_reason: issue.stateReason,
    title: issue.title,
    body: issue.body,
    user: toUserShape(issue.author, api),
    labels: issue.labels.map((name) => toLabelShape({ name, description: null }, home)),
    assignee: null,
    assignees: [],
    milestone: null,
    locked: issue.locked,
    active_lock_reason: null,
    comments: issue.comments.length,
    closed_at: issue.state === 'closed' ? FAKE_TIME : null,
    created_at: FAKE_TIME,
    updated_at: FAKE_TIME,
    author_association: 'NONE',
  };
}

/** Returns a comment in the shape of the REST API. */
export function toCommentShape(
  { id, author, body }: FakeComment,
  issue: FakeIssue,
  { api, repository }: Addresses,
) {
  return {
    id,
    node_id: `IC_${id}`,
    url: `${api}/repos/${repository}/issues/comments/${id}`,
    html_url: `https://github.com/${repository}/issues/${issue.number}#issuecomment-${id}`,
    issue_url: `${api}/repos/${repository}/issues/${issue.number}`,
    body,
    user: toUserShape(author, api),
    created_at: FAKE_TIME,
    updated_at: FAKE_TIME,
    author_association: 'COLLABORATOR',
  };
}

/** Returns a file's content in the shape of the REST API. */
export function toFileShape(path: string, text: string, { api, repository }: Addresses) {
  const url = `${api}/repos/${repository}/contents/${path}`;
  const bytes = new TextEncoder().encode(text);
  // GitHub breaks the line after every 60 characters.
  const content = btoa(String.fromCharCode(...bytes)).replaceAll(/.{60}/g, '$&\n');
  const sha = '3d21ec53a331a6f037a91c368710b99387d012c1';
  return {
    type: 'file',
    encoding: 'base64',
    size: bytes.length,
    name: path.split('/').at(-1),
    path,
    content,
    sha,
    url,
    git_url: `${api}/repos/${repository}/git/blobs/${sha}`,
    html_url: `https://github.com/${repository}/blob/main/${path}`,
    download_url: `https://raw.githubusercontent.com/${repository}/main/${path}`,
    _links: { self: url, git: `${api}/repos/${repository}/git/blobs/${sha}`, html: url },
  };
}
