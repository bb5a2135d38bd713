/** The description of the routes: answers and problems of the protocols, as far as they are sent. Their clients bring types of their own. */
import {
  type Answer,
  type BodySchema,
  IDEMPOTENCY_KEY,
  type RouteDescription,
  type RouteParameter,
} from '../../modules/openapi/description.ts';
import {
  anyObject,
  either,
  list,
  number,
  object,
  orNull,
  record,
  type Schema,
  type SchemaOf,
  text,
  typed,
  values,
  whole,
  yes,
} from '../../modules/openapi/typed-schema.ts';
import type { ChatToolCall, ChatUsage, FinishReason } from './chat-chunks.ts';
import type {
  ApprovalItem,
  FunctionCallItem,
  ImageItem,
  McpCallItem,
  MessageItem,
  OutputItem,
  OutputText,
  ReasoningItem,
  ResponseObject,
  ResponseUsage,
  UrlCitation,
} from './response-types.ts';

const STATES = ['in_progress', 'completed', 'incomplete'] as const;
const STATUS = values(...STATES);
const flag: Schema = { type: 'boolean' };
const nothing = typed<null>({ type: 'null' });
const none = typed<[]>({ ...list(anyObject()), maxItems: 0 });
const mutable = <Item>(items: SchemaOf<Item>): SchemaOf<Item[]> => typed(list(items));
const called = { server_label: text, name: text, arguments: text };

const OUTPUT_TEXT = object<OutputText>({
  type: values('output_text'),
  text,
  annotations: mutable(
    object<UrlCitation>({
      type: values('url_citation'),
      url: text,
      title: text,
      start_index: whole,
      end_index: whole,
    }),
  ),
  logprobs: none,
});

const ITEM: SchemaOf<OutputItem> = either(
  object<MessageItem>({
    type: values('message'),
    id: text,
    role: values('assistant'),
    status: STATUS,
    content: mutable(OUTPUT_TEXT),
    'phase?': values('commentary'),
  }),
  object<ReasoningItem>({
    type: values('reasoning'),
    id: text,
    status: STATUS,
    summary: mutable(object<ReasoningItem['summary'][number]>({ type: values('summary_text'), text })),
  }),
  object<McpCallItem>({
    type: values('mcp_call'),
    id: text,
    ...called,
    approval_request_id: orNull(text),
    output: orNull(text),
    error: typed(orNull(anyObject<object>())),
    status: values(...STATES, 'failed'),
  }),
  object<ApprovalItem>({ type: values('mcp_approval_request'), id: text, ...called }),
  object<FunctionCallItem>({
    type: values('function_call'),
    id: text,
    call_id: text,
    name: text,
    arguments: text,
    status: STATUS,
  }),
  object<ImageItem>({
    type: values('image_generation_call'),
    id: text,
    status: values('completed'),
    result: text,
  }),
);

const RESPONSE: BodySchema = {
  name: 'OpenAiResponse',
  schema: object<ResponseObject>({
    id: text,
    object: values('response'),
    created_at: whole,
    completed_at: orNull(whole),
    status: values(...STATES, 'failed', 'cancelled', 'queued'),
    error: orNull(
      object<NonNullable<ResponseObject['error']>>({
        code: values('server_error', 'rate_limit_exceeded'),
        message: text,
        type: values('server_error'),
      }),
    ),
    incomplete_details: orNull(
      object<NonNullable<ResponseObject['incomplete_details']>>({
        reason: values('max_output_tokens', 'content_filter'),
      }),
    ),
    output: mutable(ITEM),
    conversation: object({ id: text }),
    model: text,
    metadata: record(text),
    previous_response_id: orNull(text),
    background: typed<boolean>(flag),
    'usage?': object<ResponseUsage>({
      input_tokens: whole,
      input_tokens_details: object({ cached_tokens: whole, cache_write_tokens: whole }),
      output_tokens: whole,
      output_tokens_details: object({ reasoning_tokens: whole }),
      total_tokens: whole,
    }),
    text: typed(anyObject()),
    tools: none,
    tool_choice: values('auto'),
    parallel_tool_calls: yes,
    store: yes,
    truncation: values('disabled'),
    instructions: nothing,
    max_output_tokens: nothing,
    temperature: nothing,
    top_p: nothing,
    access_programs: nothing,
  }),
};

const COMPLETION: BodySchema = {
  name: 'OpenAiChatCompletion',
  schema: object({
    id: text,
    object: values('chat.completion'),
    created: whole,
    model: text,
    choices: list(
      object({
        index: whole,
        message: object({
          role: values('assistant'),
          content: orNull(text),
          refusal: nothing,
          'tool_calls?': list(
            object<ChatToolCall>({
              id: text,
              type: values('function'),
              function: object({ name: text, arguments: text }),
            }),
          ),
        }),
        finish_reason: values<readonly FinishReason[]>('stop', 'length', 'content_filter', 'tool_calls'),
        logprobs: nothing,
      }),
    ),
    usage: object<ChatUsage>({
      prompt_tokens: whole,
      completion_tokens: whole,
      total_tokens: whole,
      prompt_tokens_details: object({ cached_tokens: whole }),
      completion_tokens_details: object({ reasoning_tokens: whole }),
    }),
    metadata: record(text),
  }),
};

const MODEL: BodySchema = {
  name: 'OpenAiModel',
  schema: object({ id: text, object: values('model'), created: number, owned_by: text }),
};

const MODELS: BodySchema = {
  name: 'OpenAiModelList',
  schema: object({
    object: values('list'),
    data: list(typed<object>({ $ref: `#/components/schemas/${MODEL.name}` })),
  }),
};

const ERROR: BodySchema = {
  name: 'OpenAiError',
  schema: object({
    // What else is known of a problem of Holdfast stands beside these.
    error: typed<object>({
      ...object({ message: text, type: text, param: orNull(text), code: orNull(text) }),
      additionalProperties: true,
    }),
  }),
};

/** Any of the parameters of the protocol: which are taken is for the code that reads them, which names the one that is not. */
const request = (name: string, properties: Schema, required: readonly string[]): BodySchema => ({
  name,
  schema: { type: 'object', required, properties, additionalProperties: true },
});

const asked = {
  model: { ...text, description: 'The name of an agent.' },
  stream: flag,
  metadata: record(text),
};
const items: Schema = list(anyObject());

const NEW_RESPONSE = request(
  'OpenAiNewResponse',
  {
    ...asked,
    input: either(text, typed<unknown>(items)),
    background: flag,
    previous_response_id: orNull(text),
    conversation: either(text, typed<unknown>(object({ id: text })), nothing),
  },
  ['model', 'input'],
);
const NEW_COMPLETION = request('OpenAiNewChatCompletion', { ...asked, messages: items }, [
  'model',
  'messages',
]);

const answer = (description: string, json: BodySchema): Answer => ({ description, json });

const RESPONSE_ANSWERS: Readonly<Record<number, Answer>> = {
  200: { ...answer('The response, or with `stream` its events', RESPONSE), streams: true },
};
const COMPLETION_ANSWERS: Readonly<Record<number, Answer>> = {
  200: { ...answer('The completion, or with `stream` its chunks', COMPLETION), streams: true },
};
const CANCEL_ANSWERS = { 200: answer('The response so far', RESPONSE) };
const MODEL_ANSWERS = { 200: answer('The agent', MODEL) };
const MODELS_ANSWERS = { 200: answer('The agents', MODELS) };
const REFUSAL = { 'application/json': ERROR };

const SENDING: readonly RouteParameter[] = [IDEMPOTENCY_KEY];
const READING: readonly RouteParameter[] = [
  { name: 'stream', in: 'query', schema: flag },
  { name: 'starting_after', in: 'query', schema: whole, description: 'A `sequence_number`.' },
];

const OTHERS = { others: 'As the protocol has it', refusal: REFUSAL };

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
