/** The additions for operators to the descriptions of a session's routes. */
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

/** For the routes that refuse an operator who names another owner. */
const ofOwners = withProblems('role-required', 'invalid-query');

const refusing = withProblems('role-required', 'invalid-query', 'session-full');

const ofOperators: RouteAddition = (about) =>
  refusing({ ...about, parameters: [...(about.parameters ?? []), OWNER] });

/** The routes that only owners can use. */
const OWNED = [
  `PATCH ${SESSION}`,
  ...['/messages', '/forms', '/retry', '/fork', '/results/{callId}', '/turns/{turn}/feedback'].map(
    (path) => `POST ${SESSION}${path}`,
  ),
];

/** The routes that operators can use, below the path of a session. */
const ROUTES = [
  ...['', '/turns/{turn}', '/events', '/files/{file}', '/feedback', '/forks'].map(
    (path) => `GET ${SESSION}${path}`,
  ),
  ...['', '/files/{file}'].map((path) => `DELETE ${SESSION}${path}`),
  ...['/cancel', '/answers', '/approvals/{callId}'].map((path) => `POST ${SESSION}${path}`),
];

/**
 * Describes `?owner=` of the routes that `operators` opens, for `openApi({ descriptions:
 * [operatorsDescription] })`. Extends the descriptions of these routes, and skips routes that the app does
 * not describe.
 */
export const operatorsDescription: Readonly<Record<string, RouteAddition>> = Object.fromEntries([
  ...ROUTES.map((key) => [key, ofOperators]),
  ...OWNED.map((key) => [key, ofOwners]),
]);
