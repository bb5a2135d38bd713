/** What a client of the Responses protocol is sent, as its own types have it. */

/** A piece of an answer's text that comes from somewhere. */
export interface UrlCitation {
  readonly type: 'url_citation';
  readonly url: string;
  readonly title: string;
  readonly start_index: number;
  readonly end_index: number;
}

/** Words of a message. */
export interface OutputText {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: UrlCitation[];
  readonly logprobs: [];
}

/** What a message was said in. */
export interface MessageItem {
  readonly type: 'message';
  readonly id: string;
  readonly role: 'assistant';
  readonly status: ItemStatus;
  readonly content: OutputText[];
  /** Said by a tool while it ran. */
  readonly phase?: 'commentary';
}

/** What the model thought, as far as it tells. */
export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly status: ItemStatus;
  readonly summary: SummaryText[];
}

interface SummaryText {
  readonly type: 'summary_text';
  readonly text: string;
}

/** A call that Holdfast has run. */
export interface McpCallItem {
  readonly type: 'mcp_call';
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly approval_request_id: string | null;
  readonly output: string | null;
  readonly error: { readonly type: 'mcp_tool_execution_error'; readonly content: SaidText[] } | null;
  readonly status: ItemStatus | 'failed';
}

interface SaidText {
  readonly type: 'text';
  readonly text: string;
}

/** A call that waits for somebody to decide. */
export interface ApprovalItem {
  readonly type: 'mcp_approval_request';
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

/** A call that the client runs. */
export interface FunctionCallItem {
  readonly type: 'function_call';
  readonly id: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status: ItemStatus;
}

/** A picture that the model made. */
export interface ImageItem {
  readonly type: 'image_generation_call';
  readonly id: string;
  readonly status: 'completed';
  readonly result: string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** One item of a response's output. */
export type OutputItem =
  | MessageItem
  | ReasoningItem
  | McpCallItem
  | ApprovalItem
  | FunctionCallItem
  | ImageItem;

/** What a response used. */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** What of its request a response says again. The journal does not keep it, so that one that is asked for later does not. */
export interface Echoed {
  readonly model: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly previous_response_id: string | null;
  readonly background: boolean;
}

/** Why a response failed. */
interface ResponseFailure {
  readonly code: 'server_error' | 'rate_limit_exceeded';
  readonly message: string;
  /** Beside the protocol: the AI SDK reads no error without it. */
  readonly type: 'server_error';
}

/** A response, as a client is sent it. */
export interface ResponseObject extends Echoed {
  readonly id: string;
  readonly object: 'response';
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: 'completed' | 'failed' | 'in_progress' | 'cancelled' | 'queued' | 'incomplete';
  readonly error: ResponseFailure | null;
  readonly incomplete_details: { readonly reason: 'max_output_tokens' | 'content_filter' } | null;
  readonly instructions: null;
  readonly max_output_tokens: null;
  readonly output: OutputItem[];
  readonly conversation: { readonly id: string };
  readonly parallel_tool_calls: true;
  readonly store: true;
  readonly temperature: null;
  readonly text: { readonly format: { readonly type: 'text' } };
  readonly tool_choice: 'auto';
  readonly tools: [];
  readonly top_p: null;
  readonly truncation: 'disabled';
  readonly usage?: ResponseUsage;
  readonly access_programs: null;
}

interface OfItem {
  readonly output_index: number;
  readonly item_id: string;
}

type OfContent = OfItem & { readonly content_index: number };
type OfSummary = OfItem & { readonly summary_index: number };

/** An event of a response's stream, but for its number. */
export type UnnumberedEvent =
  | {
      readonly type:
        | 'response.created'
        | 'response.queued'
        | 'response.in_progress'
        | 'response.completed'
        | 'response.incomplete'
        | 'response.failed';
      readonly response: ResponseObject;
    }
  | {
      readonly type: 'response.output_item.added' | 'response.output_item.done';
      readonly output_index: number;
      readonly item: OutputItem;
    }
  | (OfContent & {
      readonly type: 'response.content_part.added' | 'response.content_part.done';
      readonly part: OutputText;
    })
  | (OfContent & {
      readonly type: 'response.output_text.delta';
      readonly delta: string;
      readonly logprobs: [];
    })
  | (OfContent & { readonly type: 'response.output_text.done'; readonly text: string; readonly logprobs: [] })
  | (OfSummary & {
      readonly type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
      readonly part: SummaryText;
    })
  | (OfSummary & { readonly type: 'response.reasoning_summary_text.delta'; readonly delta: string })
  | (OfSummary & { readonly type: 'response.reasoning_summary_text.done'; readonly text: string })
  | (OfItem & {
      readonly type:
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed';
    })
  | (OfItem & {
      readonly type: 'response.mcp_call_arguments.done' | 'response.function_call_arguments.done';
      readonly arguments: string;
      readonly name?: string;
    })
  | (OfItem & { readonly type: 'response.function_call_arguments.delta'; readonly delta: string })
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly param: null };

/** An event of a response's stream. Its number is of the journal: the same whoever is sent it, and whenever. */
export type ResponseEvent = UnnumberedEvent & { readonly sequence_number: number };
