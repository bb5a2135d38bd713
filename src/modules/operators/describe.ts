/** What operators add to the descriptions of the routes of a session. */
import { SESSION } from '../../worker/route.ts';
import { type ProblemAnswer, queryParameter, type RouteAddition } from '../openapi/description.ts';

const OWNER = queryParameter(
  'owner',
  { type: 'string' },
  'Whose session: `id:` or `tenant:` and a name. For operators. Defaults to the caller.',
);

const withProblems =
  (...more: readonly ProblemAnswer[]): RouteAddition =>
  ({ problems = [], ...about }) => ({ ...about, problems: [...new Set([...problems, ...more])] });

/** An operator who names another owner is refused here. */
const ofOwners = withProblems('role-required', 'invalid-query');

const refusing = withProblems('role-required', 'invalid-query', 'session-full');

const ofOperators: RouteAddition = (about) =>
  refusing({ ...about, parameters: [...(about.parameters ?? []), OWNER] });

/** The routes of owners alone. */
const OWNED = [
  `PATCH ${SESSION}`,
  ...['/messages', '/forms', '/retry', '/fork', '/results/{callId}', '/turns/{turn}/feedback'].map(
    (path) => `POST ${SESSION}${path}`,
  ),
];

/** The routes that operators may use, below the path of a session. */
const ROUTES = [
  ...['', '/turns/{turn}', '/events', '/files/{file}', '/feedback', '/forks'].map(
    (path) => `GET ${SESSION}${path}`,
  ),
  ...['', '/files/{file}'].map((path) => `DELETE ${SESSION}${path}`),
  ...['/cancel', '/answers', '/approvals/{callId}'].map((path) => `POST ${SESSION}${path}`),
];

/**
 * Describes `?owner=` of the routes that `operators` opens, for `openApi({ descriptions: [operatorsDescription] })`. It adds to the
 * descriptions of the routes, and leaves out routes that the app has no description of.
 */
export const operatorsDescription: Readonly<Record<string, RouteAddition>> = Object.fromEntries([
  ...ROUTES.map((key) => [key, ofOperators]),
  ...OWNED.map((key) => [key, ofOwners]),
]);
