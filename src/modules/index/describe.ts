/** The descriptions of the routes of an index. */
import {
  INBOX,
  INDEXED_OWNER,
  OWNER_LIST,
  READ_BODY,
  READ_SESSION,
  SESSION_LIST,
  SESSION_STATUS,
  TITLE_BODY,
  TITLED_SESSION,
  USAGE_REPORT,
} from '../../worker/index-views.ts';
import { SESSION_PATH } from '../../worker/route.ts';
import {
  createBodySchema,
  headerParameter,
  queryParameter,
  type RouteDescription,
} from '../openapi/description.ts';

const TEXT_SCHEMA = { type: 'string' };

const OWNER_PARAMETER = queryParameter(
  'owner',
  TEXT_SCHEMA,
  'Whose: `id:` or `tenant:` and a name. Of operators. Defaults to the caller.',
);
const CURSOR_PARAMETER = queryParameter('cursor', TEXT_SCHEMA, 'The `next` of the page before.');
const LIMIT_PARAMETER = queryParameter(
  'limit',
  { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  'The most entries.',
);
const DAY_SCHEMA = { type: 'string', format: 'date' };

const INDEXED_OWNER_BODY = createBodySchema('IndexedOwner', INDEXED_OWNER);

/** Describes the routes of `sessionIndex`, for `openApi({ descriptions: [indexDescription] })`. */
export const indexDescription = {
  'GET /agents/{agent}/sessions': {
    operation: 'listSessions',
    summary: 'The sessions of an owner with this agent, the latest first',
    parameters: [
      queryParameter(
        'status',
        { type: 'string', enum: [...SESSION_STATUS.oneOf] },
        'Only sessions that stand so.',
      ),
      OWNER_PARAMETER,
      queryParameter(
        'since',
        TEXT_SCHEMA,
        'Only those with activity since: in ms since the epoch, or as ISO 8601.',
      ),
      CURSOR_PARAMETER,
      LIMIT_PARAMETER,
    ],
    answers: {
      200: { description: 'A page of sessions', json: createBodySchema('SessionList', SESSION_LIST) },
    },
    problems: ['unknown-agent', 'invalid-query', 'role-required', 'session-unavailable'],
  },
  [`PATCH ${SESSION_PATH}`]: {
    operation: 'titleSession',
    summary: 'Gives a session a title',
    body: createBodySchema('NewTitle', TITLE_BODY),
    answers: { 200: { description: 'The title', json: createBodySchema('TitledSession', TITLED_SESSION) } },
    problems: [
      'bad-json',
      'unsupported-media-type',
      'body-too-large',
      'invalid-body',
      'unknown-session',
      'session-full',
    ],
  },
  [`POST ${SESSION_PATH}/read`]: {
    operation: 'readSession',
    summary: 'Marks a session as read by the caller, up to an event',
    body: createBodySchema('NewMark', READ_BODY),
    answers: { 200: { description: 'The mark', json: createBodySchema('ReadSession', READ_SESSION) } },
    problems: [
      'bad-json',
      'unsupported-media-type',
      'body-too-large',
      'invalid-body',
      'unknown-session',
      'session-unavailable',
    ],
  },
  [`POST ${SESSION_PATH}/title`]: {
    operation: 'writeTitle',
    summary: 'Has a model write the title of a session',
    parameters: [
      headerParameter(
        'idempotency-key',
        'Under one key a model is asked at most once. Of 1 to 255 visible ASCII characters.',
      ),
    ],
    answers: { 200: { description: 'The title', json: createBodySchema('TitledSession', TITLED_SESSION) } },
    problems: [
      'invalid-header',
      'rate-limited',
      'unknown-session',
      'idempotency-key-reused',
      'model-failure',
      'session-full',
      'session-unavailable',
    ],
  },
  'GET /pending': {
    operation: 'listPending',
    summary: 'What waits for the caller, across sessions',
    parameters: [CURSOR_PARAMETER, LIMIT_PARAMETER],
    answers: { 200: { description: 'A page of sessions that wait', json: createBodySchema('Inbox', INBOX) } },
    problems: ['invalid-query', 'session-unavailable'],
  },
  'GET /usage': {
    operation: 'readUsage',
    summary: 'What an owner has used',
    parameters: [
      OWNER_PARAMETER,
      queryParameter(
        'by',
        { type: 'string', enum: ['day', 'agent', 'model'], default: 'day' },
        'What is added up.',
      ),
      queryParameter('from', DAY_SCHEMA, 'The first day, in UTC.'),
      queryParameter('to', DAY_SCHEMA, 'The last day, in UTC.'),
    ],
    answers: {
      200: { description: 'Turns, tokens and cost', json: createBodySchema('UsageReport', USAGE_REPORT) },
    },
    problems: ['invalid-query', 'role-required', 'session-unavailable'],
  },
  'GET /owners': {
    operation: 'listOwners',
    summary: 'All owners that have sessions, for operators',
    parameters: [CURSOR_PARAMETER, LIMIT_PARAMETER],
    answers: { 200: { description: 'A page of owners', json: createBodySchema('OwnerList', OWNER_LIST) } },
    problems: ['invalid-query', 'role-required', 'session-unavailable'],
  },
  'GET /owners/{owner}': {
    operation: 'readOwner',
    summary: 'How many sessions an owner has, and how far its erasure is, for operators',
    answers: { 200: { description: 'The owner', json: INDEXED_OWNER_BODY } },
    problems: ['invalid-query', 'role-required', 'session-unavailable'],
  },
  'DELETE /owners/{owner}': {
    operation: 'eraseOwner',
    summary: 'Erases all sessions of an owner, for operators',
    answers: { 202: { description: 'They are erased in the background', json: INDEXED_OWNER_BODY } },
    problems: ['invalid-query', 'role-required', 'session-unavailable'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
