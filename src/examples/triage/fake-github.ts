/**
 * Simulates GitHub for the demo and for tests: the endpoints that the triage agent uses, with the paths,
 * status codes and shapes of the REST API's description (version 2022-11-28). Each request has an effect,
 * even if it is repeated.
 */
import {
  type Addresses,
  type FakeIssue,
  type FakeLabel,
  type SeedIssue,
  toCommentShape,
  toFileShape,
  toIssue,
  toIssueShape,
  toLabelShape,
} from './fake-shapes.ts';

export interface SeedRepository {
  /** `owner/name`, case-insensitive as on GitHub. */
  readonly name: string;
  readonly issues: readonly SeedIssue[];
  readonly labels?: readonly FakeLabel[] | undefined;
  /** Texts by their paths. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** A change of the fake's content, before the response is sent. */
export interface FakeChange {
  readonly what: 'comment' | 'label' | 'close';
  /** The issue, such as `octocat/Hello-World#1`. */
  readonly issue: string;
  /** The comment, the label's name, or the reason for closing. */
  readonly text: string;
}

/** The content of a fake GitHub, and its token. */
export interface FakeGitHubOptions {
  /** The only valid token. */
  readonly token: string;
  readonly repositories: readonly SeedRepository[];
  /** Called for every change. The response waits for it, and fails if it throws. */
  readonly changed?: ((change: FakeChange) => void | Promise<void>) | undefined;
}

/** A fake GitHub that handles web requests. */
export interface FakeGitHub {
  handle(request: Request): Promise<Response>;
  /** Returns the current issue. */
  issue(repository: string, number: number): FakeIssue | undefined;
}

interface Repository {
  readonly name: string;
  readonly issues: readonly FakeIssue[];
  readonly labels: FakeLabel[];
  readonly files: ReadonlyMap<string, string>;
}

interface FakeRequest extends Addresses {
  readonly request: Request;
  readonly url: URL;
  readonly held: Repository;
  readonly changed: NonNullable<FakeGitHubOptions['changed']>;
}

/** Creates a fake GitHub that responds from memory. POST requests change its content. */
export function createFakeGitHub({ token, repositories, changed = () => {} }: FakeGitHubOptions): FakeGitHub {
  const held = repositories.map(toRepository);
  const find = (name: string): Repository | undefined =>
    held.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return {
    issue: (repository, number) => findIssue(find(repository), number),
    async handle(request) {
      const url = new URL(request.url);
      if (!request.headers.has('user-agent'))
        return createRefusalResponse(403, 'Request forbidden by administrative rules.');
      if (request.headers.get('authorization') !== `Bearer ${token}`)
        return createRefusalResponse(401, 'Bad credentials');
      if (url.pathname === '/search/issues') return search(url, find);
      const [, repos, owner = '', name = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
      const repository = repos === 'repos' ? find(`${owner}/${name}`) : undefined;
      if (!repository) return createRefusalResponse(404, 'Not Found');
      const addresses = { api: url.origin, repository: repository.name };
      return routeRequest({ ...addresses, request, url, held: repository, changed }, rest);
    },
  };
}

async function routeRequest(asked: FakeRequest, [kind, ...rest]: readonly string[]): Promise<Response> {
  const { request, held } = asked;
  if (kind === 'labels' && request.method === 'GET') {
    const home = `${asked.api}/repos/${asked.repository}`;
    return Response.json(getPage(held.labels, asked.url).map((label) => toLabelShape(label, home)));
  }
  if (kind === 'contents' && request.method === 'GET') {
    const text = held.files.get(rest.join('/'));
    return text === undefined
      ? createRefusalResponse(404, 'Not Found')
      : Response.json(toFileShape(rest.join('/'), text, asked));
  }
  const [number, part] = rest;
  const issue = kind === 'issues' ? findIssue(held, Number(number)) : undefined;
  if (!issue) return createRefusalResponse(404, 'Not Found');
  switch (`${request.method} ${part ?? ''}`) {
    case 'GET ':
      return Response.json(toIssueShape(issue, asked));
    case 'PATCH ':
      return patchIssue(asked, issue);
    case 'POST labels':
      return addLabels(asked, issue);
    case 'GET comments':
      return Response.json(
        getPage(issue.comments, asked.url).map((one) => toCommentShape(one, issue, asked)),
      );
    case 'POST comments':
      return addComment(asked, issue);
    default:
      return createRefusalResponse(404, 'Not Found');
  }
}

async function patchIssue(asked: FakeRequest, issue: FakeIssue): Promise<Response> {
  const { state, state_reason: reason = 'completed' } = await readBody(asked.request);
  if (state !== 'open' && state !== 'closed') return createInvalidFieldResponse('Issue', 'state');
  issue.state = state;
  issue.stateReason = state === 'closed' ? String(reason) : 'reopened';
  await asked.changed({ what: 'close', issue: formatIssueName(asked, issue), text: issue.stateReason });
  return Response.json(toIssueShape(issue, asked));
}

/** Adds labels to an issue. Creates labels that the repository does not have, as GitHub does. */
async function addLabels(asked: FakeRequest, issue: FakeIssue): Promise<Response> {
  const { labels } = await readBody(asked.request);
  if (!Array.isArray(labels) || labels.length === 0) return createInvalidFieldResponse('Label', 'name');
  for (const name of labels.map(String)) {
    if (!asked.held.labels.some((label) => label.name === name)) {
      asked.held.labels.push({ name, description: null });
    }
    issue.labels = [...new Set([...issue.labels, name])];
    await asked.changed({ what: 'label', issue: formatIssueName(asked, issue), text: name });
  }
  return Response.json(toIssueShape(issue, asked).labels);
}

async function addComment(asked: FakeRequest, issue: FakeIssue): Promise<Response> {
  const { body } = await readBody(asked.request);
  if (issue.locked) return createRefusalResponse(403, 'Unable to create comment because issue is locked.');
  if (typeof body !== 'string' || body.trim() === '')
    return createInvalidFieldResponse('IssueComment', 'data');
  const comment = { id: 1_000 * issue.number + issue.comments.length + 1, author: 'triage', body };
  issue.comments.push(comment);
  await asked.changed({ what: 'comment', issue: formatIssueName(asked, issue), text: body });
  const shape = toCommentShape(comment, issue, asked);
  return Response.json(shape, { status: 201, headers: { location: shape.url } });
}

/** Finds issues whose title or body contains all words. Supports no qualifier except `repo:`. */
function search(url: URL, find: (name: string) => Repository | undefined): Response {
  const terms = (url.searchParams.get('q') ?? '').split(/\s+/).filter((term) => term !== '');
  const words = terms.filter((term) => !term.includes(':')).map((word) => word.toLowerCase());
  const repository = find(terms.find((term) => term.startsWith('repo:'))?.slice('repo:'.length) ?? '');
  if (terms.length === 0 || !repository) return createInvalidFieldResponse('Search', 'q');
  const found = repository.issues.filter(({ title, body }) =>
    words.every((word) => `${title} ${body ?? ''}`.toLowerCase().includes(word)),
  );
  const addresses = { api: url.origin, repository: repository.name };
  return Response.json({
    total_count: found.length,
    incomplete_results: false,
    search_type: 'lexical',
    items: getPage(found, url).map((issue) => ({ ...toIssueShape(issue, addresses), score: 1 })),
  });
}

const toRepository = ({ name, issues, labels = [], files = {} }: SeedRepository): Repository => ({
  name,
  issues: issues.map(toIssue),
  labels: [...labels],
  files: new Map(Object.entries(files)),
});

const findIssue = (held: Repository | undefined, number: number): FakeIssue | undefined =>
  held?.issues.find((issue) => issue.number === number);

const formatIssueName = ({ repository }: Addresses, { number }: FakeIssue): string =>
  `${repository}#${number}`;

/** Returns the requested page: 30 items by default, at most 100. */
function getPage<Item>(items: readonly Item[], { searchParams }: URL): readonly Item[] {
  const size = Math.min(Number(searchParams.get('per_page') ?? 30), 100);
  const start = (Number(searchParams.get('page') ?? 1) - 1) * size;
  return items.slice(start, start + size);
}

const readBody = async (request: Request): Promise<Record<string, unknown>> =>
  (await request.json()) as Record<string, unknown>; // from our own client; each field is checked before use

const DOCUMENTATION = 'https://docs.github.com/rest';

const createRefusalResponse = (status: number, message: string, more: object = {}): Response =>
  Response.json({ message, ...more, documentation_url: DOCUMENTATION, status: String(status) }, { status });

const createInvalidFieldResponse = (resource: string, field: string): Response =>
  createRefusalResponse(422, 'Validation Failed', { errors: [{ resource, code: 'invalid', field }] });
