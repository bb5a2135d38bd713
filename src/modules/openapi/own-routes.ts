/** The descriptions of the routes that every described app has, one for each by its type. */
import type { OwnRoute } from '../../worker/routes/route-table.ts';
import { ANSWERS, DECISION, MESSAGE, RESULT } from './bodies.ts';
import {
  ANY_OBJECT,
  type Answer,
  headerParameter,
  IDEMPOTENCY_KEY,
  type ProblemAnswer,
  type RouteDescription,
  type RouteParameter,
} from './description.ts';

/** The key of a route: `GET /health`. */
type KeyOf<One extends OwnRoute> = One extends OwnRoute ? `${One['method']} ${One['path']}` : never;

/** What a request may say whose answer is a stream that resumes. */
const RESUMES: readonly RouteParameter[] = [
  headerParameter('Last-Event-ID', 'The stream shows only what comes after this event.'),
  {
    name: 'after',
    in: 'query',
    schema: { type: ['integer', 'string'], minimum: 0 },
    description: 'The same, by the sequence of the event or its id. `Last-Event-ID` stands over it.',
  },
];

/** What every request may say that may run a turn. */
const TURN_HEADERS: readonly RouteParameter[] = [
  IDEMPOTENCY_KEY,
  headerParameter(
    'Prefer',
    '`respond-async` runs the turn in the background. So does `wait=10`, and its answer is waited for, 60 seconds at the most.',
  ),
  ...RESUMES,
];

/** What a request is answered that may run a turn. */
const TURN_ANSWERS: Readonly<Record<number, Answer>> = {
  200: { description: 'The turn has ended', json: 'TurnAnswer', streams: 'TurnStream' },
  202: {
    description:
      'The turn runs in the background, waits for its time or for those before it, or for somebody: `pending` tells for what. ' +
      '`Location` leads to its answer',
    json: ['SuspendedTurn', 'LaterTurn'],
  },
};

/** What every request with a JSON body may be refused for. */
const OF_JSON_BODIES: readonly ProblemAnswer[] = [
  'bad-json',
  'invalid-body',
  'body-too-large',
  'unsupported-media-type',
];

const MESSAGE_QUERY: readonly RouteParameter[] = [
  {
    name: 'whenBusy',
    in: 'query',
    schema: { type: 'string', enum: ['reject', 'queue', 'steer'], default: 'reject' },
    description:
      'While a turn is open: `reject` answers 409, `queue` starts the turn when those before it have ended, and `steer` ' +
      'shows the message to the model of the open turn with its next request. That answers 202, and the context ' +
      'and the loop of the message are those of the turn; when it ends first, the message is a turn of its own. ' +
      'A turn of somebody else is not steered, unless the app lets anyone: the message is queued, and 202 says so. ' +
      'A turn that waits for somebody is not steered: 409 with what it waits for.',
  },
  {
    name: 'pending',
    in: 'query',
    schema: { type: 'string', enum: ['decline'] },
    description: 'Declines what the turn before waits for, ends it, and then takes the message.',
  },
];

const ANSWERING: readonly RouteParameter[] = [
  ...TURN_HEADERS,
  {
    name: 'question',
    in: 'query',
    schema: { type: 'integer', minimum: 1, default: 1 },
    description: 'Which question of the call is answered, where it has asked before.',
  },
];

const OF_ANSWERS: readonly ProblemAnswer[] = [
  ...OF_JSON_BODIES,
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

const OF_DECISIONS = ['another-person-required', 'approval-void', 'approval-expired'] as const;
const OF_RESULTS = ['result-void', 'result-expired'] as const;

/** The routes that the module `files` brings. */
type RouteOfFiles = `${'GET' | 'DELETE'} /agents/{agent}/sessions/{session}/files/{file}`;

/** The routes that the module `answers` brings. */
type RouteOfAnswers =
  `POST /agents/{agent}/sessions/{session}/${'approvals/{callId}' | 'results/{callId}' | 'answers'}`;

/** The descriptions, in the order of the routes. */
export const OWN_ROUTES: {
  readonly [Key in KeyOf<OwnRoute> | 'GET /openapi.json' | RouteOfFiles | RouteOfAnswers]: RouteDescription;
} = {
  'GET /openapi.json': {
    operation: 'getOpenApi',
    summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1', json: ANY_OBJECT } },
  },
  'GET /': {
    operation: 'getRoot',
    summary: 'Where to go on',
    answers: { 200: { description: 'The way', json: 'Root' } },
  },
  'GET /health': {
    operation: 'getHealth',
    summary: 'Whether the Worker runs, and is deployed so that sessions work; needs no token',
    answers: { 200: { description: 'It is; `warnings` lists what could be better', json: 'Health' } },
    problems: ['misconfigured', 'session-unavailable'],
  },
  'GET /agents': {
    operation: 'listAgents',
    summary:
      'The agents, the files that they take, their tools, and the sources of tools that only a turn knows',
    answers: { 200: { description: 'The agents', json: 'AgentList' } },
  },
  'POST /agents/{agent}/sessions/{session}/messages': {
    operation: 'sendMessage',
    summary: 'Runs a turn',
    parameters: [...TURN_HEADERS, ...MESSAGE_QUERY],
    body: MESSAGE,
    answers: TURN_ANSWERS,
    problems: [
      ...OF_JSON_BODIES,
      'bad-form',
      'file-too-large',
      'files-full',
      'files-unavailable',
      'session-full',
      'session-busy',
      'turn-suspended',
      'queue-full',
      'role-required',
      'invalid-header',
      'invalid-query',
      'idempotency-key-reused',
    ],
  },
  'GET /agents/{agent}/sessions/{session}': {
    operation: 'getState',
    summary: 'The state of a session',
    parameters: [
      headerParameter('If-None-Match', 'The state is not sent, nor read, when its `ETag` is among these.'),
    ],
    answers: {
      200: {
        description: 'The state; `waiting` lists the turns that have not begun, and how each waits',
        json: 'SessionState',
      },
      304: { description: 'The client has it' },
    },
    problems: ['unknown-session'],
  },
  'DELETE /agents/{agent}/sessions/{session}': {
    operation: 'eraseSession',
    summary: 'Erases a session: what it holds, what waits in it and what it planned',
    answers: { 204: { description: 'There is no such session, or none any more' } },
    problems: [
      'unknown-agent',
      'invalid-session-id',
      'role-required',
      'session-unavailable',
      'newer-deployment',
    ],
  },
  'GET /agents/{agent}/sessions/{session}/turns/{turn}': {
    operation: 'getTurn',
    summary: 'The answer of one turn, as its message would be answered, or its events as a stream',
    parameters: [
      headerParameter('Prefer', '`wait=10` waits for the end of the turn, 60 seconds at the most.'),
      ...RESUMES,
    ],
    answers: {
      200: { description: 'The turn has ended', json: 'TurnAnswer', streams: 'TurnStream' },
      202: {
        description: 'It has not: `status` is queued, scheduled, steering, running or suspended',
        json: ['SuspendedTurn', 'LaterTurn'],
      },
      303: {
        description: 'Its message was taken into another turn, whose answer is its answer',
        json: 'LaterTurn',
      },
    },
    problems: ['unknown-session', 'unknown-turn', 'invalid-query', 'invalid-header'],
  },
  'GET /agents/{agent}/sessions/{session}/events': {
    operation: 'getEvents',
    summary: 'The journal, as JSON pages or as a stream that follows live',
    parameters: [
      ...RESUMES,
      {
        name: 'limit',
        in: 'query',
        schema: { type: 'integer', minimum: 1 },
        description: 'The most events of a page.',
      },
    ],
    answers: { 200: { description: 'Events', json: 'EventsPage', streams: 'SessionStream' } },
    problems: ['unknown-session', 'invalid-query', 'invalid-header'],
  },
  'GET /agents/{agent}/sessions/{session}/files/{file}': {
    operation: 'getFile',
    summary: 'The bytes of a file of a session',
    parameters: [
      headerParameter('Range', 'One range of bytes; the whole file is answered for several.'),
      headerParameter(
        'If-None-Match',
        'The file is not sent when it is the one of this tag, which is its id.',
      ),
    ],
    answers: {
      200: { description: 'The file: a download, unless it is an image that is safe to show', isFile: true },
      206: { description: 'The range that was asked for', isFile: true },
      304: { description: 'The client has it' },
    },
    problems: ['unknown-file', 'range-not-satisfiable', 'files-unavailable'],
  },
  'DELETE /agents/{agent}/sessions/{session}/files/{file}': {
    operation: 'deleteFile',
    summary: 'Deletes a file of a session; its conversation keeps the line that names it',
    answers: { 204: { description: 'The file is deleted, or was before' } },
    problems: ['unknown-file', 'session-busy', 'role-required'],
  },
  'POST /agents/{agent}/sessions/{session}/cancel': {
    operation: 'cancel',
    summary: 'Stops a turn, or ends it before it begins',
    parameters: [
      {
        name: 'turn',
        in: 'query',
        schema: { type: 'string' },
        description:
          'One that runs, or waits for those before it or for its time. The open turn unless given.',
      },
    ],
    answers: { 202: { description: 'It will stop', json: 'CancelRequested' } },
    problems: ['unknown-session', 'unknown-turn', 'no-open-turn', 'turn-over', 'role-required'],
  },
  'POST /agents/{agent}/sessions/{session}/approvals/{callId}': {
    operation: 'decide',
    summary: 'Decides about a call that waits, once, and goes on with its turn',
    parameters: ANSWERING,
    body: DECISION,
    answers: TURN_ANSWERS,
    problems: [...OF_ANSWERS, ...OF_DECISIONS],
  },
  'POST /agents/{agent}/sessions/{session}/results/{callId}': {
    operation: 'sendResult',
    summary: 'Sends the result of a tool that the caller runs, once, and goes on with its turn',
    parameters: ANSWERING,
    body: RESULT,
    answers: TURN_ANSWERS,
    problems: [...OF_ANSWERS, ...OF_RESULTS],
  },
  'POST /agents/{agent}/sessions/{session}/answers': {
    operation: 'answerCalls',
    summary: 'Answers several calls of a turn, each once, and goes on with it',
    parameters: TURN_HEADERS,
    body: ANSWERS,
    answers: TURN_ANSWERS,
    problems: [...OF_ANSWERS, ...OF_DECISIONS, ...OF_RESULTS],
  },
};
