/**
 * The description of the routes: the responses and problems that Holdfast sends. Clients have their own
 * types.
 */
import {
  type BodySchema,
  createBodySchema,
  IDEMPOTENCY_KEY_PARAMETER,
  type RouteAnswer,
  type RouteDescription,
  type RouteParameter,
} from '../../modules/openapi/description.ts';
import { createRef } from '../../modules/openapi/to-json-schema.ts';
import {
  ANY_OBJECT,
  BOOLEAN,
  type Fields,
  INTEGER,
  NULL,
  NUMBER,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
} from '../../tool/shape.ts';
import { COMPLETION as COMPLETION_SHAPE } from './response-object.ts';
import { RESPONSE as RESPONSE_SHAPE } from './response-types.ts';

const RESPONSE_BODY = createBodySchema('OpenAiResponse', RESPONSE_SHAPE);
const COMPLETION_BODY = createBodySchema('OpenAiChatCompletion', COMPLETION_SHAPE);
const MODEL_BODY = createBodySchema('OpenAiModel', {
  object: { id: TEXT, object: { only: 'model' }, created: NUMBER, owned_by: TEXT },
});
const MODELS_BODY = createBodySchema('OpenAiModelList', {
  object: { object: { only: 'list' }, data: { listOf: { schema: createRef('OpenAiModel') } } },
});

const ERROR_BODY = createBodySchema('OpenAiError', {
  object: {
    // The error also includes the other fields of a Holdfast problem.
    error: {
      object: { message: TEXT, type: TEXT, param: TEXT_OR_NULL, code: TEXT_OR_NULL },
      also: { additionalProperties: true },
    },
  },
});

/** Allows any parameter of the protocol. The code that reads the parameters rejects unsupported ones. */
const requestBody = (name: string, object: Fields): BodySchema =>
  createBodySchema(name, { object, also: { additionalProperties: true } });

const ITEM_LIST = { listOf: ANY_OBJECT } as const satisfies Shape;

const REQUEST_FIELDS = {
  model: { type: 'string', says: 'The name of an agent.' },
  stream: { optional: BOOLEAN },
  metadata: { optional: { mapOf: TEXT } },
} as const satisfies Fields;

const NEW_RESPONSE_BODY = requestBody('OpenAiNewResponse', {
  ...REQUEST_FIELDS,
  input: { anyOf: [TEXT, ITEM_LIST] },
  background: { optional: BOOLEAN },
  previous_response_id: { optional: TEXT_OR_NULL },
  conversation: { optional: { anyOf: [TEXT, { object: { id: TEXT } }, NULL] } },
});
const NEW_COMPLETION_BODY = requestBody('OpenAiNewChatCompletion', {
  ...REQUEST_FIELDS,
  messages: ITEM_LIST,
});

const createJsonAnswer = (description: string, json: BodySchema): RouteAnswer => ({ description, json });

const RESPONSE_ANSWERS: Readonly<Record<number, RouteAnswer>> = {
  200: { ...createJsonAnswer('The response, or with `stream` its events', RESPONSE_BODY), streams: true },
};
const COMPLETION_ANSWERS: Readonly<Record<number, RouteAnswer>> = {
  200: { ...createJsonAnswer('The completion, or with `stream` its chunks', COMPLETION_BODY), streams: true },
};
const CANCEL_ANSWERS = { 200: createJsonAnswer('The response so far', RESPONSE_BODY) };
const MODEL_ANSWERS = { 200: createJsonAnswer('The agent', MODEL_BODY) };
const MODELS_ANSWERS = { 200: createJsonAnswer('The agents', MODELS_BODY) };
const ERROR_REFUSAL = { 'application/json': ERROR_BODY };

const SEND_PARAMETERS: readonly RouteParameter[] = [IDEMPOTENCY_KEY_PARAMETER];
const READ_PARAMETERS: readonly RouteParameter[] = [
  { name: 'stream', in: 'query', schema: BOOLEAN },
  { name: 'starting_after', in: 'query', schema: INTEGER, description: 'A `sequence_number`.' },
];

export const COMMON_DESCRIPTION = { others: 'As the protocol has it', refusal: ERROR_REFUSAL };

/** Describes the routes of `openAi`, for `openApi({ descriptions: [openAiDescription] })`. */
export const openAiDescription = {
  'GET /v1/models': {
    summary: 'Lists the agents, as OpenAI models',
    answers: MODELS_ANSWERS,
    ...COMMON_DESCRIPTION,
  },
  'GET /v1/models/{model}': {
    summary: 'Shows an agent, as an OpenAI model',
    answers: MODEL_ANSWERS,
    ...COMMON_DESCRIPTION,
  },
  'POST /v1/responses': {
    summary: 'Sends a message, or answers to calls, as an OpenAI response',
    parameters: SEND_PARAMETERS,
    body: NEW_RESPONSE_BODY,
    answers: RESPONSE_ANSWERS,
    ...COMMON_DESCRIPTION,
  },
  'GET /v1/responses/{id}': {
    summary: 'Shows an OpenAI response, or its events after a number',
    parameters: READ_PARAMETERS,
    answers: RESPONSE_ANSWERS,
    ...COMMON_DESCRIPTION,
  },
  'POST /v1/responses/{id}/cancel': {
    summary: 'Stops the turn of an OpenAI response',
    answers: CANCEL_ANSWERS,
    ...COMMON_DESCRIPTION,
  },
  'POST /v1/chat/completions': {
    summary: 'Sends a message, or answers to calls, as an OpenAI chat',
    parameters: SEND_PARAMETERS,
    body: NEW_COMPLETION_BODY,
    answers: COMPLETION_ANSWERS,
    ...COMMON_DESCRIPTION,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
