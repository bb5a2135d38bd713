/** The types of lists and conversations, in the format of the protocol. */
import {
  INTEGER,
  type Infer,
  type ObjectShape,
  ONLY_TRUE,
  OPTIONAL_TEXT,
  type Shape,
  TEXT,
  TEXT_OR_NULL,
} from '../../../tool/shape.ts';
import { SESSION_STATUS } from '../../../worker/index-views.ts';
import { OUTPUT_ITEM, type OutputItem } from '../response-types.ts';

const INPUT_CONTENT = {
  anyOf: [
    { object: { type: { only: 'input_text' }, text: TEXT } },
    { object: { type: { only: 'input_image' }, detail: { only: 'auto' }, image_url: TEXT } },
    { object: { type: { only: 'input_file' }, file_url: TEXT, filename: OPTIONAL_TEXT } },
  ],
} as const satisfies Shape;

/** Text or a file of a message. */
export type InputContent = Infer<typeof INPUT_CONTENT>;

/** A message of a user. */
export interface UserMessageItem extends Infer<typeof USER_MESSAGE> {}
const USER_MESSAGE = {
  object: {
    type: { only: 'message' },
    id: TEXT,
    role: { only: 'user' },
    status: { only: 'completed' },
    content: { listOf: INPUT_CONTENT },
  },
} as const satisfies Shape;

const FUNCTION_OUTPUT = {
  object: {
    type: { only: 'function_call_output' },
    id: TEXT,
    call_id: TEXT,
    output: TEXT,
    status: { only: 'completed' },
  },
} as const satisfies Shape;

const APPROVAL_RESPONSE = {
  object: {
    type: { only: 'mcp_approval_response' },
    id: TEXT,
    approval_request_id: TEXT,
    approve: { type: 'boolean' },
    reason: TEXT_OR_NULL,
  },
} as const satisfies Shape;

/** A client's input: a message, or an answer to a call. */
export type InputItem = Infer<typeof INPUT_ITEM>;
export const INPUT_ITEM = {
  anyOf: [USER_MESSAGE, FUNCTION_OUTPUT, APPROVAL_RESPONSE],
} as const satisfies Shape;

/** An item of a conversation. */
export type ListedItem = InputItem | OutputItem;
export const LISTED_ITEM = {
  anyOf: [USER_MESSAGE, FUNCTION_OUTPUT, APPROVAL_RESPONSE, ...OUTPUT_ITEM.anyOf],
} as const satisfies Shape;

/** A session in the form of a conversation. */
export interface Conversation extends Infer<typeof CONVERSATION> {}
export const CONVERSATION = {
  object: {
    id: TEXT,
    object: { only: 'conversation' },
    /** Seconds since the epoch, like `updated_at`. */
    created_at: INTEGER,
    metadata: { object: { title: OPTIONAL_TEXT } },
    /** The name of the agent. This field and the next two are extensions of the protocol. */
    model: TEXT,
    /** When the last message or reply arrived or the last turn ended. */
    updated_at: INTEGER,
    status: SESSION_STATUS,
  },
} as const satisfies Shape;

/** The response to the deletion of a conversation or a response. */
export const CONVERSATION_DELETED = {
  object: { id: TEXT, object: { only: 'conversation.deleted' }, deleted: ONLY_TRUE },
} as const satisfies ObjectShape;
export const RESPONSE_DELETED = {
  object: { id: TEXT, object: { only: 'response' }, deleted: ONLY_TRUE },
} as const satisfies ObjectShape;
