/** The descriptions of an app's own routes. The type requires a description for each route. */

import { SENT_DECISION, SENT_RESULT } from '../../tool/call.ts';
import { ANSWERS_BODY } from '../../worker/answering.ts';
import { MESSAGE_BODY, MESSAGE_FORM } from '../../worker/body.ts';
import { SESSION_PATH } from '../../worker/route.ts';
import type { OwnRoute } from '../../worker/routes/route-table.ts';
import {
  ANY_OBJECT_BODY,
  createBodySchema,
  headerParameter,
  IDEMPOTENCY_KEY_PARAMETER,
  type ProblemAnswer,
  queryParameter,
  type RouteAnswer,
  type RouteDescription,
  type RouteDescriptions,
  type RouteParameter,
} from './description.ts';
import { toJsonSchema } from './to-json-schema.ts';

/** The key of a route, such as `GET /health`, or `POST .../messages` for a route of a session. */
type RouteKey<One extends OwnRoute> = One extends OwnRoute
  ? `${One['method']} ${One['path'] extends `${typeof SESSION_PATH}${infer Rest}` ? `...${Rest}` : One['path']}`
  : never;

/** The parameters of requests whose response is a resumable stream. */
const RESUME_PARAMETERS: readonly RouteParameter[] = [
  headerParameter('Last-Event-ID', 'The stream begins after this event.'),
  queryParameter('after', { type: ['integer', 'string'], minimum: 0 }, 'The same, as a sequence or an id.'),
];

/** The parameters of every request that can run a turn. */
export const TURN_PARAMETERS: readonly RouteParameter[] = [
  IDEMPOTENCY_KEY_PARAMETER,
  headerParameter(
    'Prefer',
    '`respond-async` runs the turn in the background; `wait=10` waits 10 seconds first (at most 60).',
  ),
  ...RESUME_PARAMETERS,
];

/** The responses of every request that can run a turn. */
export const TURN_ANSWERS: Readonly<Record<number, RouteAnswer>> = {
  200: { description: 'The turn has ended', json: 'TurnAnswer', streams: 'TurnStream' },
  202: {
    description: 'The turn runs, or waits for its time or an answer (`pending`); `Location` has its answer',
    json: ['SuspendedTurn', 'LaterTurn'],
  },
};

/** The problems of every request with a JSON body. */
const JSON_BODY_PROBLEMS: readonly ProblemAnswer[] = [
  'bad-json',
  'invalid-body',
  'body-too-large',
  'unsupported-media-type',
];

const MESSAGE_QUERY: readonly RouteParameter[] = [
  queryParameter(
    'whenBusy',
    { type: 'string', enum: ['reject', 'queue', 'steer'], default: 'reject' },
    'While a turn is open: `reject` returns 409, `queue` waits in line, `steer` returns 202 and shows the message to the model ' +
      "of the open turn; if that ends first, it starts a turn. Another person's message is queued, unless anyone may steer. " +
      'A turn that waits for an answer: 409.',
  ),
  queryParameter(
    'pending',
    { type: 'string', enum: ['decline'] },
    'First declines the questions of the open turn, and ends it.',
  ),
];

const ANSWER_PARAMETERS: readonly RouteParameter[] = [
  ...TURN_PARAMETERS,
  queryParameter(
    'question',
    { type: 'integer', minimum: 1, default: 1 },
    'The question of the call, if it has asked several.',
  ),
];

const READ_PROBLEMS: readonly ProblemAnswer[] = ['unknown-session', 'invalid-query', 'invalid-header'];

const ANSWER_PROBLEMS: readonly ProblemAnswer[] = [
  ...JSON_BODY_PROBLEMS,
  'unknown-session',
  'unknown-call',
  'not-waiting',
  'wrong-answer',
  'already-answered',
  'call-over',
  'turn-over',
  'role-required',
  'session-full',
  'invalid-header',
  'invalid-query',
];

const DECISION_PROBLEMS = ['another-person-required', 'approval-void', 'approval-expired'] as const;
const RESULT_PROBLEMS = ['result-void', 'result-expired'] as const;

type FilesRoute = `${'GET' | 'DELETE'} .../files/{file}` | 'POST .../forms';

type AnswersRoute = `POST .../${'approvals/{callId}' | 'results/{callId}' | 'answers'}`;

/** The description that both message routes share. */
const MESSAGE_ROUTE = {
  parameters: [...TURN_PARAMETERS, ...MESSAGE_QUERY],
  answers: TURN_ANSWERS,
  problems: [
    ...JSON_BODY_PROBLEMS,
    'bad-form',
    'file-too-large',
    'files-full',
    'files-unavailable',
    'session-full',
    'session-busy',
    'erasing',
    'owner-limit',
    'turn-suspended',
    'queue-full',
    'role-required',
    'invalid-header',
    'invalid-query',
    'idempotency-key-reused',
  ],
} as const satisfies Partial<RouteDescription>;

/** The descriptions, in the order of the routes. */
const ROUTE_DESCRIPTIONS: {
  readonly [Key in RouteKey<OwnRoute> | 'GET /openapi.json' | FilesRoute | AnswersRoute]: RouteDescription;
} = {
  'GET /openapi.json': {
    operation: 'getOpenApi',
    summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1', json: ANY_OBJECT_BODY } },
  },
  'GET /': {
    operation: 'getRoot',
    summary: 'Where to go on',
    answers: { 200: { description: 'The way', json: 'Root' } },
  },
  'GET /health': {
    operation: 'getHealth',
    summary: 'Reports whether sessions work; needs no token',
    answers: { 200: { description: 'They work; `warnings` lists possible improvements', json: 'Health' } },
    problems: ['misconfigured', 'session-unavailable'],
  },
  'GET /agents': {
    operation: 'listAgents',
    summary: 'The agents, with their tools',
    answers: { 200: { description: 'The agents', json: 'AgentList' } },
  },
  'POST .../messages': {
    ...MESSAGE_ROUTE,
    operation: 'sendMessage',
    summary: 'Runs a turn',
    body: createBodySchema('NewMessage', MESSAGE_BODY),
  },
  'POST .../forms': {
    ...MESSAGE_ROUTE,
    operation: 'sendForm',
    summary: 'Runs a turn for a form',
    body: { schema: toJsonSchema(MESSAGE_FORM), type: 'multipart/form-data' },
  },
  'GET ...': {
    operation: 'getState',
    summary: 'The state of a session',
    parameters: [headerParameter('If-None-Match', 'Tags of known states.')],
    answers: {
      200: {
        description: 'The state; `waiting` lists the turns that have not begun',
        json: 'SessionState',
      },
      304: { description: 'It is unchanged' },
    },
    problems: ['unknown-session'],
  },
  'DELETE ...': {
    operation: 'eraseSession',
    summary: 'Erases a session, including waiting messages',
    answers: { 204: { description: 'The session is gone' } },
    problems: [
      'unknown-agent',
      'invalid-session-id',
      'role-required',
      'session-unavailable',
      'newer-deployment',
    ],
  },
  'GET .../turns/{turn}': {
    operation: 'getTurn',
    summary: 'The answer of a turn, or its events as a stream',
    parameters: [
      headerParameter('Prefer', '`wait=10` waits for its end, at most 60 seconds.'),
      ...RESUME_PARAMETERS,
    ],
    answers: {
      200: { description: 'The turn has ended', json: 'TurnAnswer', streams: 'TurnStream' },
      202: {
        description: 'The turn has not ended: see `status`',
        json: ['SuspendedTurn', 'LaterTurn'],
      },
      303: {
        description: 'Another turn accepted its message, and has its answer',
        json: 'LaterTurn',
      },
    },
    problems: [...READ_PROBLEMS, 'unknown-turn'],
  },
  'GET .../events': {
    operation: 'getEvents',
    summary: 'The journal, as JSON pages or as a stream that follows live',
    parameters: [
      ...RESUME_PARAMETERS,
      queryParameter('limit', { type: 'integer', minimum: 1 }, 'The maximum number of events in a page.'),
    ],
    answers: { 200: { description: 'Events', json: 'EventsPage', streams: 'SessionStream' } },
    problems: READ_PROBLEMS,
  },
  'GET .../files/{file}': {
    operation: 'getFile',
    summary: 'The bytes of a file',
    parameters: [
      headerParameter('Range', 'One range of bytes; several return the whole file.'),
      headerParameter('If-None-Match', 'Tags of known files.'),
    ],
    access: 'session',
    answers: {
      200: { description: 'The file: a download, or a safe image', isFile: true },
      206: { description: 'The range', isFile: true },
      304: { description: 'It is unchanged' },
    },
    problems: ['unknown-file', 'range-not-satisfiable', 'files-unavailable', [403, 'invalid-signature']],
  },
  'DELETE .../files/{file}': {
    operation: 'deleteFile',
    summary: 'Deletes a file; the conversation still names it',
    answers: { 204: { description: 'It is deleted' } },
    problems: ['unknown-file', 'session-busy', 'role-required'],
  },
  'POST .../cancel': {
    operation: 'cancel',
    summary: 'Stops a turn, or ends it before it begins',
    parameters: [queryParameter('turn', { type: 'string' }, 'Defaults to the open turn.')],
    answers: { 202: { description: 'It will stop', json: 'CancelRequested' } },
    problems: ['unknown-session', 'unknown-turn', 'no-open-turn', 'turn-over', 'role-required'],
  },
  'POST .../approvals/{callId}': {
    operation: 'decide',
    summary: 'Decides about a call, once, and resumes its turn',
    parameters: ANSWER_PARAMETERS,
    body: createBodySchema('Decision', SENT_DECISION),
    answers: TURN_ANSWERS,
    problems: [...ANSWER_PROBLEMS, ...DECISION_PROBLEMS],
  },
  'POST .../results/{callId}': {
    operation: 'sendResult',
    summary: 'Sends the result of a call, once, and resumes its turn',
    parameters: ANSWER_PARAMETERS,
    body: createBodySchema('Result', SENT_RESULT),
    answers: TURN_ANSWERS,
    problems: [...ANSWER_PROBLEMS, ...RESULT_PROBLEMS],
  },
  'POST .../answers': {
    operation: 'answerCalls',
    summary: 'Answers calls of a turn, each once, and resumes it',
    parameters: TURN_PARAMETERS,
    body: createBodySchema('Answers', ANSWERS_BODY),
    answers: TURN_ANSWERS,
    problems: [...ANSWER_PROBLEMS, ...DECISION_PROBLEMS, ...RESULT_PROBLEMS],
  },
};

/** The descriptions, by the method and path of their routes. */
export const OWN_ROUTES: RouteDescriptions = Object.fromEntries(
  Object.entries<RouteDescription>(ROUTE_DESCRIPTIONS).map(([key, about]) => [
    key.replace('...', SESSION_PATH),
    about,
  ]),
);
