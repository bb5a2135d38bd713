/** The description of the routes for clients other than `useChat`, which has its own types. */
import {
  ANY_OBJECT_BODY,
  type BodySchema,
  headerParameter,
  type RouteDescription,
  type RouteParameter,
} from '../../modules/openapi/description.ts';

/** The AI SDK version of the page. */
const VERSION_PARAMETERS: readonly RouteParameter[] = [
  {
    name: 'ui',
    in: 'query',
    schema: { type: 'string', enum: ['6', '7'], default: '6' },
    description: 'The version of the AI SDK in the page: `7` is sent what only version 7 reads.',
  },
  headerParameter('X-AI-SDK', 'The same as `ui`, which takes precedence.'),
];

const CHAT_BODY: BodySchema = {
  name: 'Chat',
  schema: {
    type: 'object',
    description:
      'As `DefaultChatTransport` sends it. Only the last message counts, or the assistant’s that is named.',
    required: ['id', 'messages'],
    properties: {
      id: { type: 'string', description: 'Of the chat: the id of its session.' },
      messages: { type: 'array', minItems: 1, items: ANY_OBJECT_BODY.schema },
      trigger: { type: 'string', enum: ['submit-message', 'regenerate-message'] },
      messageId: { type: 'string' },
      again: {
        type: 'string',
        description: 'Of a request for another answer: sent again under it, it asks for the same one.',
      },
      context: { ...ANY_OBJECT_BODY.schema, description: 'As of a NewMessage.' },
      whenBusy: { type: 'string', enum: ['reject', 'queue', 'steer'] },
      pending: { type: 'string', enum: ['decline'] },
      tools: {
        description:
          'The tools of the page, each with a name, a description and the JSON Schema of its parameters; or an object of them by their names.',
        anyOf: [
          { type: 'array', items: ANY_OBJECT_BODY.schema },
          { type: 'object', additionalProperties: ANY_OBJECT_BODY.schema },
        ],
      },
      decisions: {
        type: 'object',
        description:
          'A Decision by the id of the approval that it is for, where that is more than yes or no.',
        additionalProperties: ANY_OBJECT_BODY.schema,
      },
    },
  },
};

const STREAM_ANSWER = { description: 'A UI message stream', streams: true } as const;

/** The messages that a reloaded page receives. */
const MESSAGES_BODY: BodySchema = {
  name: 'ChatMessages',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      required: ['id', 'role', 'parts'],
      properties: {
        id: { type: 'string' },
        role: { type: 'string', enum: ['user', 'assistant'] },
        metadata: ANY_OBJECT_BODY.schema,
        parts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['type'],
            properties: { type: { type: 'string' } },
            additionalProperties: true,
          },
        },
      },
    },
  },
};

const COMMON_DESCRIPTION = {
  parameters: VERSION_PARAMETERS,
  others: 'As the protocol has it',
  refusal: { 'text/plain': { schema: { type: 'string' } } },
};

/** Describes the routes of `aiSdkUi`, for `openApi({ descriptions: [aiSdkUiDescription] })`. */
export const aiSdkUiDescription = {
  'POST /agents/{agent}/chat': {
    summary: 'Accepts the last message of a chat, or answers to its calls, and streams its turn',
    body: CHAT_BODY,
    answers: { 200: STREAM_ANSWER },
    ...COMMON_DESCRIPTION,
  },
  'GET /agents/{agent}/chat/{chat}/stream': {
    summary: 'Streams the turn of a chat that runs, from its beginning',
    answers: { 200: STREAM_ANSWER, 204: { description: 'No turn runs' } },
    ...COMMON_DESCRIPTION,
  },
  'GET /agents/{agent}/chat/{chat}/messages': {
    summary: 'The messages of a chat',
    answers: { 200: { description: 'A list of UI messages', json: MESSAGES_BODY } },
    ...COMMON_DESCRIPTION,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
