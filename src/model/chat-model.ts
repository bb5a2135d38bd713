import { type Infer, type Shape, TEXT } from '../tool/shape.ts';
import type { MessagePart, ProviderData, ReplyMaker, ReplyPart, RequestedCall } from './parts.ts';
import type { Prices, Usage } from './prices.ts';
import type { ModelSettings } from './settings.ts';

/**
 * The port to a language model. Holdfast defines its own, so that the form of journaled data does not depend
 * on a provider's release cycle. A model never runs tools.
 */
export interface ChatModel {
  /** The model's name, such as `gpt-5` or `offline`. Answers and journaled replies contain it. */
  readonly name: string;
  /**
   * The provider, such as `anthropic.messages`. Provider data of a reply goes back only to a model of the
   * same provider and name. A model without a provider is identified only by its name.
   */
  readonly provider?: string | undefined;
  /** The models that this model chooses from. It adapts the conversation for each of them. */
  readonly candidates?: readonly ChatModel[] | undefined;
  /**
   * The function `showToolsChanges` from `holdfast`, if the model accepts tool changes within the conversation.
   * Its requests then contain system messages with a `toolsChange`. Other models only receive the current
   * tool list.
   */
  readonly showToolsChanges?: ToolsChangeFinder | undefined;
  /**
   * The function `signPrefix` from `holdfast`, if the model signs its thoughts together with everything before
   * them. Such a model refuses a thought after any other prefix.
   */
  readonly signPrefix?: PrefixSigner | undefined;
  /**
   * The data that each of its calls in an open turn must carry in a later request; without it the server
   * refuses the request. Absent if the model accepts calls of other models unchanged. The adapter adds the
   * data.
   */
  readonly wantsThoughts?: WantedThoughts | undefined;
  /**
   * Returns whether it can read the thoughts of another model, as between some versions of Claude. Defaults
   * to its own thoughts only.
   */
  readonly readsThoughtsOf?: ((maker: ReplyMaker) => boolean) | undefined;
  /**
   * The files that the model accepts. If absent, they are unknown: messages contain the files that the agent
   * accepts, and results contain none. A text describes a file that cannot be sent.
   */
  readonly media?: ModelMedia | undefined;
  /** `true` if requests can mark content to `cache`. Requests to other models have no marks and no key. */
  readonly caches?: true | undefined;
  /** The model's prices. A loop with a cost limit requires them. */
  readonly prices?: Prices | undefined;
  /** The maximum number of tokens in one reply. Defaults to 4,096 under a token or cost limit. */
  readonly maxOutputTokens?: number | undefined;
  /** Default settings, which those of a loop override. */
  readonly settings?: ModelSettings | undefined;
  /**
   * `true` if the `toolChoice` of a request can forbid tool calls. The last request of a loop then keeps its
   * tools, so it begins like the earlier ones. For other models the last request has no tools.
   */
  readonly heedsToolChoice?: boolean | undefined;
  /**
   * Returns the reason why the provider would refuse every request with these settings, as text that follows
   * a colon. Returns `undefined` if no reason is known. `defineAgent` calls it.
   */
  readonly refuses?: ((settings: ModelSettings) => string | undefined) | undefined;
  /**
   * Asks once for a reply. With `onText`, the text first arrives in pieces, which add up to the reply's text.
   * The reasoning and `onReasoning` work the same way. The adapter retries only before output begins.
   *
   * @throws ModelError if there is no complete reply, or if `signal` aborts.
   */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelReply>;
}

/**
 * The data that a model requires in replies with calls.
 *
 * - `budget`: the last reply with calls begins with a thought of the model, while it thinks by a budget.
 *   Claude before 4.6 requires this. Calls of other models become text.
 * - `field`: each reply has a `reasoning_content`. Kimi and DeepSeek require this.
 * - `signature`: the first call of each reply has a signature. Gemini's chat completions require this.
 *
 * Calls of other models get a placeholder for the field or the signature.
 */
export type WantedThoughts = 'budget' | 'field' | 'signature';

/** The files that a model accepts, by position. */
export interface ModelMedia {
  /** The files accepted in a user message. */
  readonly message: AcceptedMedia;
  /** The files accepted in a tool result. Files accepted only in messages follow the results in a message. */
  readonly result: AcceptedMedia;
}

/** Media types such as `application/pdf`, or `image/*` for a whole group. Text is always accepted. */
export interface AcceptedMedia extends Infer<typeof MEDIA_TAKEN> {}
export const MEDIA_TAKEN = {
  object: {
    /** The media types accepted as bytes. */
    data: { listOf: TEXT },
    /** The media types accepted as an https URL, which the provider fetches. */
    url: { listOf: TEXT },
  },
} as const satisfies Shape;

/** Creates a model from the Worker's vars, secrets and bindings, once for each environment. */
export interface ModelOfEnv<AppEnv extends object = Readonly<Record<string, unknown>>> {
  (env: AppEnv): ChatModel;
  /** `true` if it only reads settings. `GET /health` then calls it, too. Defaults to `false`. */
  readonly isChecked?: boolean | undefined;
}

/** The options of one request to a model. */
export interface AskOptions {
  /** Aborts when the reply is no longer needed. */
  readonly signal: AbortSignal;
  /** Receives pieces of the text. Absent if only the whole reply is needed. */
  readonly onText?: ((piece: string) => void) | undefined;
  readonly onReasoning?: ((piece: string) => void) | undefined;
  /**
   * Awaited before each further request to the provider, because each counts. `failed` is the reason why the
   * previous attempt failed. Except for `rate-limited`, that attempt may have been charged for. If this
   * rejects, `ask` rejects with the same error.
   */
  readonly again?: ((failed?: ModelFailure) => Promise<void>) | undefined;
  /**
   * Called by a streaming model when it sends a request, and whenever any part of the reply arrives, even if
   * it is neither text nor reasoning. From the first call on, the caller can limit the silence of this
   * request. After `again`, the limit starts with the next call. `patience` is the number of milliseconds of
   * silence after which the model itself stops or retries. The caller then waits slightly longer.
   */
  readonly alive?: ((patience?: number) => void) | undefined;
  /** Logs one line about an unexpected event that did not stop the request. It reaches the app's `log`. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** A tool in the form that a model receives. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Set if the model's provider runs the tool. An adapter without support for it throws. */
  readonly providerTool?: ProviderTool | undefined;
}

/** A tool that a provider runs itself, in the provider's terms. */
export interface ProviderTool {
  /** The provider's id of the tool, such as `openai.web_search`. */
  readonly id: `${string}.${string}`;
  /** The provider's own arguments for the tool. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** One message of the conversation, in the form that every adapter converts. */
export type ModelMessage =
  | {
      readonly role: 'system';
      readonly text: string;
      /** The tools added and removed here, for models that accept tool changes. */
      readonly toolsChange?: ToolSetChange | undefined;
    }
  | {
      readonly role: 'user';
      /** The whole message as text, with a line for each file. */
      readonly text: string;
      /** The whole message in order, if it has files that the model accepts. */
      readonly parts?: readonly MessagePart[] | undefined;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly RequestedCall[];
      /** The whole reply in order, if it is more than text followed by calls. See `partsOf`. */
      readonly parts?: readonly ReplyPart[] | undefined;
      /** Provider data of the reply as a whole. */
      readonly provider?: ProviderData | undefined;
      /** The maker of a reply with parts. */
      readonly madeBy?: ReplyMaker | undefined;
      /** A hash of everything before the reply, if its model has signed it. */
      readonly prefix?: string | undefined;
      /** `true` if the current prefix differs from the signed one. */
      readonly movedPrefix?: true | undefined;
    }
  /** `id` is the provider's call id. The results of a reply follow it directly, in source order. */
  | {
      readonly role: 'tool';
      readonly id: string;
      readonly name: string;
      /** The whole result as text, like that of a user message. This also applies to `parts`. */
      readonly text: string;
      readonly parts?: readonly MessagePart[] | undefined;
    };

/** The tools added and removed. A replaced tool is in both lists. */
export interface ToolSetChange {
  readonly came: readonly ToolDefinition[];
  readonly went: readonly ToolDefinition[];
}

/** A tool's identity in the journal, with a hash of its definition. */
export interface ShownTool {
  readonly name: string;
  readonly hash: string;
}

/** Tools added and removed, by their identity in the journal. */
interface JournaledToolsChange {
  readonly came: readonly ShownTool[];
  readonly went: readonly ShownTool[];
}

/** A loop whose tools can change. */
export interface ChangingTools<Tool> {
  /** The conversation. `shown` is the same after changes by modules. */
  readonly conversation: readonly { readonly toolsChange?: JournaledToolsChange | undefined }[];
  readonly shown: readonly { readonly toolsChange?: object | undefined }[];
  /** The changes since the last reply. */
  readonly pending: JournaledToolsChange | undefined;
  /** All tools that the loop declares or offers. */
  readonly tools: Iterable<Tool>;
  /** Returns the tools that can replace a tool. */
  mayBecome(tool: Tool): readonly Tool[];
  shownAs(tool: Tool): { readonly definition: ToolDefinition; readonly offered: ShownTool };
}

/** Returns the tool changes in a conversation, with their definitions, keyed by the journaled change. */
export type ToolsChangeFinder = <Tool extends { readonly inner?: readonly Tool[] | undefined }>(
  changing: ChangingTools<Tool>,
) => ReadonlyMap<unknown, ToolSetChange>;

/** A request with marked replies, and the hash of the whole request, which the next reply signs. */
export interface SignedRequest {
  readonly request: ModelRequest;
  readonly prefix: string;
}

/** Returns a request that marks the replies whose prefix has changed. */
export type PrefixSigner = (request: ModelRequest, hash: (text: string) => string) => SignedRequest;

/** The input for one reply: the whole conversation, and the tools that the model can call. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /**
   * The initial tools by name, followed by the added ones in order. A replaced tool has its new definition.
   * If the list is empty, or the tool choice is `none`, the model must answer in text.
   */
  readonly tools: readonly ToolDefinition[];
  /**
   * The form of a structured answer: JSON text that matches this schema. An adapter passes it on if its
   * provider supports it.
   */
  readonly output?: OutputFormat | undefined;
  /** The maximum number of tokens in the reply, including reasoning. The provider enforces it. */
  readonly maxOutputTokens?: number | undefined;
  /** The settings for the reply. An adapter refuses an unsupported setting, with an error that names it. */
  readonly settings?: ModelSettings | undefined;
  /** Media types that the agent accepts in messages. They apply to a model without `media`. */
  readonly accepts?: readonly string[] | undefined;
  /** The parts of the request to cache for the next one. Defaults to no caching. */
  readonly cache?: CacheMarks | undefined;
  /** Additional headers, such as a trace context. An adapter that sends none ignores them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The parts of a request that a provider caches. The next request begins with the same parts, and then costs
 * less. Providers with automatic caching only use the key. Providers with explicit caching use at most four
 * marks: for the tools, the system text, and the first of `messages`.
 */
export interface CacheMarks {
  /**
   * The id of the conversation, so its requests use the same cache. At most 64 letters, digits, `-` and `_`.
   */
  readonly key?: string | undefined;
  /** `true` to cache everything up to the end of the tools. */
  readonly tools?: boolean | undefined;
  /** `true` to cache everything up to the end of the first system text. */
  readonly system?: boolean | undefined;
  /**
   * The messages, by index in the request, up to whose ends to cache. Negative indexes count from the end. If
   * a message has no part that can be marked, such as one with only thoughts, the mark is at the end of the
   * content before it.
   */
  readonly messages?: readonly number[] | undefined;
  /** The cache period, if the provider has a choice. Defaults to five minutes. */
  readonly ttl?: '5m' | '1h' | undefined;
}

/** The form of a structured answer. */
export interface OutputFormat {
  /** The name that providers require: at most 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A model's complete reply. */
export interface ModelReply {
  readonly text: string;
  /** The calls that Holdfast runs. */
  readonly toolCalls: readonly RequestedCall[];
  /**
   * The whole reply in order, if it has more than text and calls. It goes back to its maker unchanged, as
   * JSON. The loop reads only the text of the parts, and ignores `text`. Their calls must equal `toolCalls`.
   * If the parts cannot be journaled, the turn fails. An adapter for a model with only text and calls can
   * omit it.
   */
  readonly parts?: readonly ReplyPart[] | undefined;
  /**
   * Provider data of the reply as a whole. If it is present, even if empty, the journal stores the maker of
   * the reply.
   */
  readonly provider?: ProviderData | undefined;
  /**
   * The maker of the reply: one of the candidates of the requested model. The journal always stores it if it
   * is present. Defaults to the requested model, which the journal omits for a reply with only text and
   * calls.
   */
  readonly madeBy?: ReplyMaker | undefined;
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';
  readonly usage?: Usage | undefined;
}

/** The reason why there is no reply. */
export type ModelFailure =
  | 'aborted'
  | 'timeout'
  | 'unreachable'
  | 'unauthorized'
  | 'rate-limited'
  | 'server-error'
  | 'bad-request'
  /** The conversation is longer than the model's context. A loop shortens it and asks again. */
  | 'context-length'
  | 'invalid-reply'
  /** The stream ended before the reply was complete. */
  | 'truncated';

/** The length of a refused request in tokens, as far as the provider reported it. */
export interface RequestLength {
  /** The number of tokens that the provider counted in the request. */
  readonly sent?: number | undefined;
  /** The maximum number of tokens in a request, without those reserved for the reply. */
  readonly most?: number | undefined;
}

/**
 * Thrown if there is no complete reply. The message is safe for clients: it contains no credential and no
 * request body.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  /**
   * The message for the operator only. It can quote the request, which clients must not see, but contains no
   * credential.
   */
  readonly reason: string;
  readonly status: number | undefined;
  /** Milliseconds to wait before a retry, as requested by the provider. `Infinity` if a retry cannot help. */
  readonly retryAfter: number | undefined;
  /** `true` if text had reached `onText`. The adapter did not retry then, and the loop can ask once more. */
  readonly outputBegan: boolean;
  /** The length of the request, for the failure `context-length`, as far as the provider reported it. */
  readonly length: RequestLength | undefined;

  constructor(failure: ModelFailure, message: string, details: ModelErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.failure = failure;
    this.reason = details.reason ?? message;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.outputBegan = details.outputBegan ?? false;
    this.length = details.length;
  }
}

/** Further details of a failure. */
interface ModelErrorDetails {
  /** Defaults to the message. */
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly outputBegan?: boolean | undefined;
  readonly length?: RequestLength | undefined;
  readonly cause?: unknown;
}
