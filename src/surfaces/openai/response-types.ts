/** The objects of the Responses protocol that clients receive. */
import type { JsonObject } from '../../tool/json.ts';
import {
  BOOLEAN,
  INTEGER,
  type Infer,
  JSON_SCHEMA,
  NULL,
  ONLY_TRUE,
  type Shape,
  type ShapeAs,
  TEXT,
  TEXT_OR_NULL,
} from '../../tool/shape.ts';

/** The values of a shape with mutable lists, as in the types of clients. */
type ClientValue<Of> = Writable<Infer<Of>>;
type Writable<Value> = Value extends object
  ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
  : Value;

export type ItemStatus = Infer<typeof ITEM_STATUS>;
const ITEM_STATUS = { oneOf: ['in_progress', 'completed', 'incomplete'] } as const satisfies Shape;

const NO_ITEMS: ShapeAs<[]> = {
  schema: { type: 'array', items: { type: 'object', additionalProperties: true }, maxItems: 0 },
};

/** A citation of a part of an answer's text. */
export interface UrlCitation extends ClientValue<typeof URL_CITATION> {}
const URL_CITATION = {
  object: {
    type: { only: 'url_citation' },
    url: TEXT,
    title: TEXT,
    start_index: INTEGER,
    end_index: INTEGER,
  },
} as const satisfies Shape;

/** The text of a message. */
export interface OutputText extends ClientValue<typeof OUTPUT_TEXT> {}
const OUTPUT_TEXT = {
  object: {
    type: { only: 'output_text' },
    text: TEXT,
    annotations: { listOf: URL_CITATION },
    logprobs: NO_ITEMS,
  },
} as const satisfies Shape;

/** An output message. */
export interface MessageItem extends ClientValue<typeof MESSAGE_ITEM> {}
const MESSAGE_ITEM = {
  object: {
    type: { only: 'message' },
    id: TEXT,
    role: { only: 'assistant' },
    status: ITEM_STATUS,
    content: { listOf: OUTPUT_TEXT },
    /** Set for a message of a running tool. */
    phase: { optional: { only: 'commentary' } },
  },
} as const satisfies Shape;

export type SummaryText = ClientValue<typeof SUMMARY_TEXT>;
const SUMMARY_TEXT = { object: { type: { only: 'summary_text' }, text: TEXT } } as const satisfies Shape;

/** The reasoning of the model, if it is visible. */
export interface ReasoningItem extends ClientValue<typeof REASONING_ITEM> {}
const REASONING_ITEM = {
  object: {
    type: { only: 'reasoning' },
    id: TEXT,
    status: ITEM_STATUS,
    summary: { listOf: SUMMARY_TEXT },
  },
} as const satisfies Shape;

const CALL_BASE = {
  object: { id: TEXT, server_label: TEXT, name: TEXT, arguments: TEXT },
} as const satisfies Shape;

/** A call that Holdfast ran. */
export interface McpCallItem extends ClientValue<typeof MCP_CALL_ITEM> {}
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
  and: CALL_BASE,
} as const satisfies Shape;

/** A call that waits for a decision. */
export interface ApprovalItem extends ClientValue<typeof APPROVAL_ITEM> {}
const APPROVAL_ITEM = {
  object: { type: { only: 'mcp_approval_request' } },
  and: CALL_BASE,
} as const satisfies Shape;

/** A call that the client runs. */
export interface FunctionCallItem extends ClientValue<typeof FUNCTION_CALL_ITEM> {}
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

/** An image that the model generated. */
export interface ImageItem extends ClientValue<typeof IMAGE_ITEM> {}
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

/** The token usage of a response. */
export interface ResponseUsage extends ClientValue<typeof RESPONSE_USAGE> {}
const RESPONSE_USAGE = {
  object: {
    input_tokens: INTEGER,
    input_tokens_details: { object: { cached_tokens: INTEGER, cache_write_tokens: INTEGER } },
    output_tokens: INTEGER,
    output_tokens_details: { object: { reasoning_tokens: INTEGER } },
    total_tokens: INTEGER,
  },
} as const satisfies Shape;

/** The additions of a request to its message. Each key is present only if the request sets it. */
export interface RequestExtras {
  readonly instructions?: string;
  readonly format?: RequestedFormat;
}

/** The requested form of an answer. */
export type RequestedFormat =
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly name: string; readonly schema: JsonObject };

const ANSWER_FORMAT = {
  anyOf: [
    { object: { type: { oneOf: ['text', 'json_object'] } } },
    { object: { type: { only: 'json_schema' }, name: TEXT, schema: JSON_SCHEMA } },
  ],
} as const satisfies Shape;

/**
 * The request fields that a response repeats. The journal stores only the instructions and the form, so a
 * response that is read later lacks the others.
 */
export interface EchoedFields extends ClientValue<typeof ECHOED_FIELDS> {}
const ECHOED_FIELDS = {
  object: {
    model: TEXT,
    metadata: { mapOf: TEXT },
    previous_response_id: TEXT_OR_NULL,
    background: BOOLEAN,
    instructions: TEXT_OR_NULL,
    text: { object: { format: ANSWER_FORMAT } },
  },
} as const satisfies Shape;

/** A response, in the format of the protocol. */
export interface ResponseObject extends ClientValue<typeof RESPONSE> {}
export const RESPONSE = {
  object: {
    id: TEXT,
    object: { only: 'response' },
    created_at: INTEGER,
    completed_at: { anyOf: [INTEGER, NULL] },
    status: { oneOf: ['in_progress', 'completed', 'incomplete', 'failed', 'cancelled', 'queued'] },
    /**
     * The reason for a failure. `type` is an extension of the protocol: the AI SDK rejects an error without
     * it.
     */
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
    parallel_tool_calls: ONLY_TRUE,
    store: ONLY_TRUE,
    temperature: NULL,
    tool_choice: { only: 'auto' },
    tools: NO_ITEMS,
    top_p: NULL,
    truncation: { only: 'disabled' },
    usage: { optional: RESPONSE_USAGE },
    access_programs: NULL,
  },
  and: ECHOED_FIELDS,
} as const satisfies Shape;
