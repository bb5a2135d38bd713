/** The OpenAPI descriptions of the console's routes. */
import { SESSION_PATH } from '../../worker/route.ts';
import { createBodySchema, queryParameter, type RouteDescription } from '../openapi/description.ts';
import { OFFER_VIEW } from './offer-view.ts';
import { REQUEST_VIEW } from './request-view.ts';
import { STATE_VIEW } from './state-view.ts';

const SEQ_SCHEMA = { type: 'integer', minimum: 1 };

const REPLY_PARAMETERS = [
  queryParameter('reply', SEQ_SCHEMA, 'The `model-replied` event of the reply. Defaults to the next reply.'),
  queryParameter(
    'frame',
    { type: 'string' },
    'The loop of the next reply. Defaults to the own loop of the turn.',
  ),
];

const PROBLEM_TYPES = [
  'unknown-session',
  'invalid-query',
  'role-required',
  'session-unreadable',
  'misconfigured',
] as const;

/** Describes the routes of `console`, for `openApi({ descriptions: [consoleDescription] })`. */
export const consoleDescription = {
  'GET /console': {
    operation: 'getConsole',
    summary: 'A page that shows the sessions of the app. In production, for operators',
    answers: { 200: { description: 'The page', isFile: true } },
    problems: ['role-required'],
    refusal: { 'text/plain': { schema: { type: 'string' } } },
  },
  [`GET ${SESSION_PATH}/console/state`]: {
    operation: 'getStateAtEvent',
    summary: 'The folded state of a session at one of its events. In production, for operators',
    parameters: [queryParameter('at', SEQ_SCHEMA, 'The sequence of the event. Defaults to the last one.')],
    answers: { 200: { description: 'The state', json: createBodySchema('ConsoleState', STATE_VIEW) } },
    problems: PROBLEM_TYPES,
  },
  [`GET ${SESSION_PATH}/console/offer`]: {
    operation: 'getOfferOfReply',
    summary: 'The tools that a model is offered for a reply. In production, for operators',
    parameters: REPLY_PARAMETERS,
    answers: { 200: { description: 'The tools', json: createBodySchema('ConsoleOffer', OFFER_VIEW) } },
    problems: PROBLEM_TYPES,
  },
  [`GET ${SESSION_PATH}/console/request`]: {
    operation: 'getRequestOfReply',
    summary: 'The model request of a reply, as this code makes it. In production, for operators',
    parameters: REPLY_PARAMETERS,
    answers: { 200: { description: 'The request', json: createBodySchema('ConsoleRequest', REQUEST_VIEW) } },
    problems: PROBLEM_TYPES,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
