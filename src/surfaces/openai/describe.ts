/**
 * The description of the routes: the responses and problems of the protocols that Holdfast sends. Clients
 * have their own types.
 */
import {
  type BodySchema,
  bodyOf,
  IDEMPOTENCY_KEY,
  type RouteAnswer,
  type RouteDescription,
  type RouteParameter,
} from '../../modules/openapi/description.ts';
import { refTo } from '../../modules/openapi/to-json-schema.ts';
import {
  ANY_OBJECT,
  type Fields,
  FLAG,
  NULL,
  NUMBER,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
} from '../../tool/shape.ts';
import { COMPLETION as COMPLETION_SHAPE } from './response-object.ts';
import { RESPONSE as RESPONSE_SHAPE } from './response-types.ts';

const RESPONSE = bodyOf('OpenAiResponse', RESPONSE_SHAPE);
const COMPLETION = bodyOf('OpenAiChatCompletion', COMPLETION_SHAPE);
const MODEL = bodyOf('OpenAiModel', {
  object: { id: TEXT, object: { only: 'model' }, created: NUMBER, owned_by: TEXT },
});
const MODELS = bodyOf('OpenAiModelList', {
  object: { object: { only: 'list' }, data: { listOf: { schema: refTo('OpenAiModel') } } },
});

const ERROR = bodyOf('OpenAiError', {
  object: {
    // Other fields of a Holdfast problem appear beside these.
    error: {
      object: { message: TEXT, type: TEXT, param: TEXT_OR_NULL, code: TEXT_OR_NULL },
      also: { additionalProperties: true },
    },
  },
});

/**
 * Allows any parameter of the protocol. The code that reads the parameters rejects unsupported ones by name.
 */
const request = (name: string, object: Fields): BodySchema =>
  bodyOf(name, { object, also: { additionalProperties: true } });

const ITEMS = { listOf: ANY_OBJECT } as const satisfies Shape;

const ASKED = {
  model: { type: 'string', says: 'The name of an agent.' },
  stream: { optional: FLAG },
  metadata: { optional: { mapOf: TEXT } },
} as const satisfies Fields;

const NEW_RESPONSE = request('OpenAiNewResponse', {
  ...ASKED,
  input: { anyOf: [TEXT, ITEMS] },
  background: { optional: FLAG },
  previous_response_id: { optional: TEXT_OR_NULL },
  conversation: { optional: { anyOf: [TEXT, { object: { id: TEXT } }, NULL] } },
});
const NEW_COMPLETION = request('OpenAiNewChatCompletion', { ...ASKED, messages: ITEMS });

const answer = (description: string, json: BodySchema): RouteAnswer => ({ description, json });

const RESPONSE_ANSWERS: Readonly<Record<number, RouteAnswer>> = {
  200: { ...answer('The response, or with `stream` its events', RESPONSE), streams: true },
};
const COMPLETION_ANSWERS: Readonly<Record<number, RouteAnswer>> = {
  200: { ...answer('The completion, or with `stream` its chunks', COMPLETION), streams: true },
};
const CANCEL_ANSWERS = { 200: answer('The response so far', RESPONSE) };
const MODEL_ANSWERS = { 200: answer('The agent', MODEL) };
const MODELS_ANSWERS = { 200: answer('The agents', MODELS) };
const REFUSAL = { 'application/json': ERROR };

const SENDING: readonly RouteParameter[] = [IDEMPOTENCY_KEY];
const READING: readonly RouteParameter[] = [
  { name: 'stream', in: 'query', schema: FLAG },
  { name: 'starting_after', in: 'query', schema: WHOLE, description: 'A `sequence_number`.' },
];

export const OTHERS = { others: 'As the protocol has it', refusal: REFUSAL };

/** Describes the routes of `openAi`, for `openApi({ descriptions: [openAiDescription] })`. */
export const openAiDescription = {
  'GET /v1/models': {
    summary: 'Lists the agents, as models of OpenAI',
    answers: MODELS_ANSWERS,
    ...OTHERS,
  },
  'GET /v1/models/{model}': {
    summary: 'Shows an agent, as a model of OpenAI',
    answers: MODEL_ANSWERS,
    ...OTHERS,
  },
  'POST /v1/responses': {
    summary: 'Sends a message, or answers of calls, as a response of OpenAI',
    parameters: SENDING,
    body: NEW_RESPONSE,
    answers: RESPONSE_ANSWERS,
    ...OTHERS,
  },
  'GET /v1/responses/{id}': {
    summary: 'Shows a response of OpenAI, or its events behind a number',
    parameters: READING,
    answers: RESPONSE_ANSWERS,
    ...OTHERS,
  },
  'POST /v1/responses/{id}/cancel': {
    summary: 'Stops the turn of a response of OpenAI',
    answers: CANCEL_ANSWERS,
    ...OTHERS,
  },
  'POST /v1/chat/completions': {
    summary: 'Sends a message, or answers of calls, as a chat of OpenAI',
    parameters: SENDING,
    body: NEW_COMPLETION,
    answers: COMPLETION_ANSWERS,
    ...OTHERS,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
