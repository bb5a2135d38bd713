import { FORK, FORK_BODY, FORKS } from '../../worker/fork-views.ts';
import { SESSION_PATH } from '../../worker/route.ts';
import { createBodySchema, type RouteDescription } from '../openapi/description.ts';

/**
 * The OpenAPI descriptions of the routes of `branches`, for `openApi({ descriptions: [branchesDescription]
 * })`.
 */
export const branchesDescription = {
  [`POST ${SESSION_PATH}/fork`]: {
    operation: 'forkSession',
    summary: 'Creates a session with the events up to a given one',
    body: createBodySchema('NewFork', FORK_BODY),
    answers: {
      201: { description: 'The fork; `Location` is its path', json: createBodySchema('Fork', FORK) },
    },
    problems: [
      'bad-json',
      'unsupported-media-type',
      'body-too-large',
      'invalid-body',
      'unknown-session',
      'invalid-session-id',
      'session-busy',
      'erasing',
      'owner-limit',
      'session-exists',
      'would-repeat-effects',
      'files-unavailable',
    ],
  },
  [`GET ${SESSION_PATH}/forks`]: {
    operation: 'listForks',
    summary: 'The forks of a session, the oldest first',
    answers: { 200: { description: 'The forks', json: createBodySchema('Forks', FORKS) } },
    problems: ['unknown-session'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
