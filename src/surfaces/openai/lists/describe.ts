/** The description of the list routes: the fields of the protocol, and those that Holdfast adds. */
import {
  type BodySchema,
  createBodySchema,
  queryParameter,
  type RouteDescription,
  type RouteParameter,
} from '../../../modules/openapi/description.ts';
import { ANY_OBJECT, BOOLEAN, NULL, type Shape, TEXT, TEXT_OR_NULL } from '../../../tool/shape.ts';
import { COMMON_DESCRIPTION } from '../describe.ts';
import {
  CONVERSATION,
  CONVERSATION_DELETED,
  INPUT_ITEM,
  LISTED_ITEM,
  RESPONSE_DELETED,
} from './list-types.ts';

const createPageBody = (name: string, entry: Shape): BodySchema =>
  createBodySchema(name, {
    object: {
      object: { only: 'list' },
      data: { listOf: entry },
      first_id: TEXT_OR_NULL,
      last_id: TEXT_OR_NULL,
      has_more: BOOLEAN,
    },
  });

const LIST_PARAMETERS: readonly RouteParameter[] = [
  queryParameter('after', { type: 'string' }, 'The id of the last entry of the page before.'),
  queryParameter('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'The most entries.'),
  queryParameter(
    'order',
    { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
    'The latest first, or last.',
  ),
];
const MODEL_QUERY = queryParameter(
  'model',
  { type: 'string' },
  'The name of the agent. It must be there if several agents have a conversation of this id.',
);

const describeOne = (description: string, json: BodySchema) => ({
  answers: { 200: { description, json } },
  ...COMMON_DESCRIPTION,
});
const EMPTY_DESCRIPTION = { answers: {}, ...COMMON_DESCRIPTION };

const UPDATE_BODY = createBodySchema('OpenAiConversationUpdate', {
  object: { metadata: { anyOf: [{ object: { title: { optional: TEXT } } }, NULL] } },
});
const CONVERSATION_BODY = createBodySchema('OpenAiConversation', CONVERSATION);
const UNSUPPORTED_BODY = createBodySchema('OpenAiUnsupported', ANY_OBJECT);

/** Describes the routes of `openAiLists`, for `openApi({ descriptions: [openAiDescription, openAiListsDescription] })`. */
export const openAiListsDescription = {
  'GET /v1/responses/{id}/input_items': {
    summary: 'Lists the input of an OpenAI response',
    parameters: LIST_PARAMETERS,
    ...describeOne('A page of items', createPageBody('OpenAiInputItemList', INPUT_ITEM)),
  },
  'DELETE /v1/responses/{id}': {
    summary: 'Erases the conversation of an OpenAI response, if it has no other',
    ...describeOne('It is deleted', createBodySchema('OpenAiResponseDeleted', RESPONSE_DELETED)),
  },
  'GET /v1/conversations': {
    summary: 'Lists the sessions of the caller, as OpenAI conversations',
    parameters: [...LIST_PARAMETERS, MODEL_QUERY],
    ...describeOne('A page of conversations', createPageBody('OpenAiConversationList', CONVERSATION)),
  },
  'GET /v1/conversations/{id}': {
    summary: 'Shows a session, as an OpenAI conversation',
    parameters: [MODEL_QUERY],
    ...describeOne('The conversation', CONVERSATION_BODY),
  },
  'POST /v1/conversations/{id}': {
    summary: 'Sets the title of an OpenAI conversation',
    parameters: [MODEL_QUERY],
    body: UPDATE_BODY,
    ...describeOne('The conversation', CONVERSATION_BODY),
  },
  'DELETE /v1/conversations/{id}': {
    summary: 'Erases an OpenAI conversation, and all of its items',
    parameters: [MODEL_QUERY],
    ...describeOne('It is deleted', createBodySchema('OpenAiConversationDeleted', CONVERSATION_DELETED)),
  },
  'GET /v1/conversations/{id}/items': {
    summary: 'Lists the items of an OpenAI conversation',
    parameters: [...LIST_PARAMETERS, MODEL_QUERY],
    ...describeOne('A page of items', createPageBody('OpenAiItemList', LISTED_ITEM)),
  },
  'GET /v1/conversations/{id}/items/{item}': {
    summary: 'Shows an item of an OpenAI conversation',
    parameters: [MODEL_QUERY],
    ...describeOne('The item', createBodySchema('OpenAiItem', LISTED_ITEM)),
  },
  'POST /v1/conversations': {
    summary: 'Not supported: a conversation begins with its first response',
    body: UNSUPPORTED_BODY,
    ...EMPTY_DESCRIPTION,
  },
  'POST /v1/conversations/{id}/items': {
    summary: 'Not supported: items come from responses',
    body: UNSUPPORTED_BODY,
    ...EMPTY_DESCRIPTION,
  },
  'DELETE /v1/conversations/{id}/items/{item}': {
    summary: 'Not supported: only a whole conversation can be deleted',
    ...EMPTY_DESCRIPTION,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
