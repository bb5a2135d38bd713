/** What a client of the Responses protocol is sent, as its own types have it. */
import type { JsonObject } from '../../tool/json.ts';
import {
  FLAG,
  type Infer,
  JSON_SCHEMA,
  NULL,
  type Shape,
  type ShapeAs,
  TEXT,
  TEXT_OR_NULL,
  WHOLE,
  YES,
} from '../../tool/shape.ts';

/** The values of a shape, as clients of the protocol have them: their lists are not read-only. */
type Sent<Of> = Writable<Infer<Of>>;
type Writable<Value> = Value extends object
  ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
  : Value;

export type ItemStatus = Infer<typeof ITEM_STATUS>;
const ITEM_STATUS = { oneOf: ['in_progress', 'completed', 'incomplete'] } as const satisfies Shape;

const NO_ITEMS: ShapeAs<[]> = {
  schema: { type: 'array', items: { type: 'object', additionalProperties: true }, maxItems: 0 },
};

/** A piece of an answer's text that comes from somewhere. */
export interface UrlCitation extends Sent<typeof URL_CITATION> {}
const URL_CITATION = {
  object: { type: { only: 'url_citation' }, url: TEXT, title: TEXT, start_index: WHOLE, end_index: WHOLE },
} as const satisfies Shape;

/** Words of a message. */
export interface OutputText extends Sent<typeof OUTPUT_TEXT> {}
const OUTPUT_TEXT = {
  object: {
    type: { only: 'output_text' },
    text: TEXT,
    annotations: { listOf: URL_CITATION },
    logprobs: NO_ITEMS,
  },
} as const satisfies Shape;

/** What a message was said in. */
export interface MessageItem extends Sent<typeof MESSAGE_ITEM> {}
const MESSAGE_ITEM = {
  object: {
    type: { only: 'message' },
    id: TEXT,
    role: { only: 'assistant' },
    status: ITEM_STATUS,
    content: { listOf: OUTPUT_TEXT },
    /** Said by a tool while it ran. */
    phase: { optional: { only: 'commentary' } },
  },
} as const satisfies Shape;

export type SummaryText = Sent<typeof SUMMARY_TEXT>;
const SUMMARY_TEXT = { object: { type: { only: 'summary_text' }, text: TEXT } } as const satisfies Shape;

/** What the model thought, as far as it tells. */
export interface ReasoningItem extends Sent<typeof REASONING_ITEM> {}
const REASONING_ITEM = {
  object: {
    type: { only: 'reasoning' },
    id: TEXT,
    status: ITEM_STATUS,
    summary: { listOf: SUMMARY_TEXT },
  },
} as const satisfies Shape;

const CALLED = {
  object: { id: TEXT, server_label: TEXT, name: TEXT, arguments: TEXT },
} as const satisfies Shape;

/** A call that Holdfast has run. */
export interface McpCallItem extends Sent<typeof MCP_CALL_ITEM> {}
const MCP_CALL_ITEM = {
  object: {
    type: { only: 'mcp_call' },
    approval_request_id: TEXT_OR_NULL,
    output: TEXT_OR_NULL,
    error: {
      anyOf: [
        {
          object: {
            type: { only: 'mcp_tool_execution_error' },
            content: { listOf: { object: { type: { only: 'text' }, text: TEXT } } },
          },
        },
        NULL,
      ],
    },
    status: { oneOf: ['in_progress', 'completed', 'incomplete', 'failed'] },
  },
  and: CALLED,
} as const satisfies Shape;

/** A call that waits for somebody to decide. */
export interface ApprovalItem extends Sent<typeof APPROVAL_ITEM> {}
const APPROVAL_ITEM = {
  object: { type: { only: 'mcp_approval_request' } },
  and: CALLED,
} as const satisfies Shape;

/** A call that the client runs. */
export interface FunctionCallItem extends Sent<typeof FUNCTION_CALL_ITEM> {}
const FUNCTION_CALL_ITEM = {
  object: {
    type: { only: 'function_call' },
    id: TEXT,
    call_id: TEXT,
    name: TEXT,
    arguments: TEXT,
    status: ITEM_STATUS,
  },
} as const satisfies Shape;

/** A picture that the model made. */
export interface ImageItem extends Sent<typeof IMAGE_ITEM> {}
const IMAGE_ITEM = {
  object: {
    type: { only: 'image_generation_call' },
    id: TEXT,
    status: { only: 'completed' },
    result: TEXT,
  },
} as const satisfies Shape;

/** One item of a response's output. */
export type OutputItem =
  | MessageItem
  | ReasoningItem
  | McpCallItem
  | ApprovalItem
  | FunctionCallItem
  | ImageItem;
export const OUTPUT_ITEM = {
  anyOf: [MESSAGE_ITEM, REASONING_ITEM, MCP_CALL_ITEM, APPROVAL_ITEM, FUNCTION_CALL_ITEM, IMAGE_ITEM],
} as const satisfies Shape;

/** What a response used. */
export interface ResponseUsage extends Sent<typeof RESPONSE_USAGE> {}
const RESPONSE_USAGE = {
  object: {
    input_tokens: WHOLE,
    input_tokens_details: { object: { cached_tokens: WHOLE, cache_write_tokens: WHOLE } },
    output_tokens: WHOLE,
    output_tokens_details: { object: { reasoning_tokens: WHOLE } },
    total_tokens: WHOLE,
  },
} as const satisfies Shape;

/** What a request asks for beside its message; a key is there only if it asks for that. */
export interface Asked {
  readonly instructions?: string;
  readonly format?: AskedFormat;
}

/** The form that an answer is to have. */
export type AskedFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject };

/** The form of an answer that a request has asked for. */
const FORMAT = {
  anyOf: [
    { object: { type: { oneOf: ['text', 'json_object'] } } },
    { object: { type: { only: 'json_schema' }, name: TEXT, schema: JSON_SCHEMA } },
  ],
} as const satisfies Shape;

/**
 * What of its request a response says again. The journal keeps the instructions and the form alone, so that a response that is asked for
 * later says the others no more.
 */
export interface Echoed extends Sent<typeof ECHOED> {}
const ECHOED = {
  object: {
    model: TEXT,
    metadata: { mapOf: TEXT },
    previous_response_id: TEXT_OR_NULL,
    background: FLAG,
    instructions: TEXT_OR_NULL,
    text: { object: { format: FORMAT } },
  },
} as const satisfies Shape;

/** A response, as a client is sent it. */
export interface ResponseObject extends Sent<typeof RESPONSE> {}
export const RESPONSE = {
  object: {
    id: TEXT,
    object: { only: 'response' },
    created_at: WHOLE,
    completed_at: { anyOf: [WHOLE, NULL] },
    status: { oneOf: ['in_progress', 'completed', 'incomplete', 'failed', 'cancelled', 'queued'] },
    /** Why it failed. Beside the protocol it has a `type`: the AI SDK reads no error without it. */
    error: {
      anyOf: [
        {
          object: {
            code: { oneOf: ['server_error', 'rate_limit_exceeded'] },
            message: TEXT,
            type: { only: 'server_error' },
          },
        },
        NULL,
      ],
    },
    incomplete_details: {
      anyOf: [{ object: { reason: { oneOf: ['max_output_tokens', 'content_filter'] } } }, NULL],
    },
    max_output_tokens: NULL,
    output: { listOf: OUTPUT_ITEM },
    conversation: { object: { id: TEXT } },
    parallel_tool_calls: YES,
    store: YES,
    temperature: NULL,
    tool_choice: { only: 'auto' },
    tools: NO_ITEMS,
    top_p: NULL,
    truncation: { only: 'disabled' },
    usage: { optional: RESPONSE_USAGE },
    access_programs: NULL,
  },
  and: ECHOED,
} as const satisfies Shape;
