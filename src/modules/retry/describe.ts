import { SESSION_PATH } from '../../worker/route.ts';
import type { RouteDescriptions } from '../openapi/description.ts';
import { TURN_ANSWERS, TURN_PARAMETERS } from '../openapi/own-routes.ts';

/** Describes the route of `retry()`, for `descriptions` of `openApi`. */
export const retryDescription: RouteDescriptions = {
  [`POST ${SESSION_PATH}/retry`]: {
    operation: 'retry',
    summary: 'Runs a turn for the last message, if its turn has no answer',
    parameters: TURN_PARAMETERS,
    answers: TURN_ANSWERS,
    problems: [
      'invalid-body',
      'body-too-large',
      'unknown-session',
      'nothing-to-retry',
      'session-busy',
      'erasing',
      'owner-limit',
      'turn-suspended',
      'session-full',
      'invalid-header',
      'idempotency-key-reused',
    ],
  },
};
