import { createBodySchema, queryParameter, type RouteDescription } from '../openapi/description.ts';
import { OWNER_LIMITS_SHAPE } from './views.ts';

/** Describes the route of `ownerLimits`, for `openApi({ descriptions: [ownerLimitsDescription] })`. */
export const ownerLimitsDescription = {
  'GET /limits': {
    operation: 'readLimits',
    summary: 'The limits of an owner, and how much of them is used',
    parameters: [
      queryParameter(
        'owner',
        { type: 'string' },
        'The owner: `id:` or `tenant:` and a name. For operators. Defaults to the caller.',
      ),
    ],
    answers: {
      200: { description: 'The limits', json: createBodySchema('OwnerLimitsReport', OWNER_LIMITS_SHAPE) },
    },
    problems: ['invalid-query', 'role-required', 'session-unavailable'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
