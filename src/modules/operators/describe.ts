/** Adds operators to the descriptions of a session's routes. */
import { SESSION_PATH } from '../../worker/route.ts';
import { type ProblemAnswer, queryParameter, type RouteAddition } from '../openapi/description.ts';

const OWNER_PARAMETER = queryParameter(
  'owner',
  { type: 'string' },
  'Whose session: `id:` or `tenant:` and a name. For operators. Defaults to the caller.',
);

const withProblems =
  (...more: readonly ProblemAnswer[]): RouteAddition =>
  ({ problems = [], ...about }) => ({ ...about, problems: [...new Set([...problems, ...more])] });

/** Describes the refusal of routes that operators cannot use. */
const forOwners = withProblems('role-required', 'invalid-query');

const withOperatorProblems = withProblems('role-required', 'invalid-query', 'session-full');

const withOperatorAccess: RouteAddition = (about) =>
  withOperatorProblems({ ...about, parameters: [...(about.parameters ?? []), OWNER_PARAMETER] });

const OWNER_ROUTES = [
  `PATCH ${SESSION_PATH}`,
  ...['/messages', '/forms', '/retry', '/fork', '/results/{callId}', '/turns/{turn}/feedback'].map(
    (path) => `POST ${SESSION_PATH}${path}`,
  ),
];

/** The routes that operators can use, below the path of a session. */
const OPERATOR_ROUTES = [
  ...['', '/turns/{turn}', '/events', '/files/{file}', '/feedback', '/forks'].map(
    (path) => `GET ${SESSION_PATH}${path}`,
  ),
  ...['', '/files/{file}'].map((path) => `DELETE ${SESSION_PATH}${path}`),
  ...['/cancel', '/answers', '/approvals/{callId}'].map((path) => `POST ${SESSION_PATH}${path}`),
];

/**
 * Describes `?owner=` of the routes that `operators` opens, for `openApi({ descriptions:
 * [operatorsDescription] })`. Extends the descriptions of these routes, and skips routes that the app does
 * not describe.
 */
export const operatorsDescription: Readonly<Record<string, RouteAddition>> = Object.fromEntries([
  ...OPERATOR_ROUTES.map((key) => [key, withOperatorAccess]),
  ...OWNER_ROUTES.map((key) => [key, forOwners]),
]);
