import { type Infer, type Shape, TEXT } from '../tool/shape.ts';
import type { MadeBy, MessagePart, ProviderData, ReplyPart, RequestedCall } from './parts.ts';
import type { Prices, Usage } from './prices.ts';
import type { ModelSettings } from './settings.ts';

/**
 * The port to a language model. It is ours and small, so that what the journal keeps does not depend on a
 * provider's release cycle. A model never runs tools.
 */
export interface ChatModel {
  /** Shown in answers and journaled with each reply, such as `gpt-5` or `offline`. */
  readonly name: string;
  /**
   * Who serves it, such as `anthropic.messages`. What a reply keeps beside its words goes back only to a model of the same
   * provider and name; a model without it is told from others by its name alone.
   */
  readonly provider?: string | undefined;
  /** The models that it chooses from: each is handed the conversation as it may be given it by whoever chooses. */
  readonly candidates?: readonly ChatModel[] | undefined;
  /**
   * The function `showToolsChanges` of `holdfast`, of a model that takes changes of its tools in the conversation: its requests hold
   * system messages with a `toolsChange`. Other models are only given the list as it is.
   */
  readonly showToolsChanges?: ShowToolsChanges | undefined;
  /**
   * The function `signPrefix` of `holdfast`, of a model that signs what it thinks together with all that stood before, and refuses it
   * behind anything else.
   */
  readonly signPrefix?: SignPrefix | undefined;
  /**
   * What each of its calls in a turn that is still open must carry when it is given back, or its server refuses the request; absent if it
   * takes calls of others as they are. Its adapter sees to it.
   */
  readonly wantsThoughts?: WantedThoughts | undefined;
  /** Returns whether it reads what another model has thought, as one Claude does of another. Defaults to its own alone. */
  readonly readsThoughtsOf?: ((maker: MadeBy) => boolean) | undefined;
  /**
   * The files that it takes. Absent: nobody knows, and it is sent those that its agent accepts in messages, and none in
   * results. A file that it cannot be sent is told in words.
   */
  readonly media?: ModelMedia | undefined;
  /** It can be told by `cache` what of a request is to be kept; a request to any other has no marks and no key. */
  readonly caches?: true | undefined;
  /** What it costs. A loop with a cost limit needs to know. */
  readonly prices?: Prices | undefined;
  /** The most tokens of one reply. Where it does not say, a loop with a token or cost limit asks for 4,096 at most. */
  readonly maxOutputTokens?: number | undefined;
  /** Defaults, which a loop merges under its own before it asks. */
  readonly settings?: ModelSettings | undefined;
  /**
   * A request can tell it by `toolChoice` not to call any of its tools. The last call of a loop then keeps them, so that the
   * request begins as the ones before; a model that does not say so is shown no tools then.
   */
  readonly heedsToolChoice?: boolean | undefined;
  /**
   * Why its provider would refuse every request with these settings, to go on after a colon; `undefined` when none is known.
   * Agents ask it when they are defined.
   */
  readonly refuses?: ((settings: ModelSettings) => string | undefined) | undefined;
  /**
   * Asks once for a reply. With `onText` the text arrives in pieces first; their concatenation is the reply's text. So does
   * its reasoning with `onReasoning`.
   * The adapter retries only while no output has begun.
   *
   * @throws ModelError whenever there is no complete reply, an abort of `signal` included.
   */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelReply>;
}

/**
 * `budget`: the last reply with calls begins with a thought of the model's own, while it thinks by a budget, as Claude does before 4.6.
 * Calls of others are told it in words. `field`: each has a `reasoning_content`, as at Kimi and DeepSeek. `signature`: the first call of
 * each has a signature, as at Gemini's server of chat completions. What others have called is given a stand-in for either.
 */
export type WantedThoughts = 'budget' | 'field' | 'signature';

/** Which files a model takes, by where they stand. */
export interface ModelMedia {
  /** In a message of the user's. */
  readonly message: MediaTaken;
  /** In the result of a call. What it takes in messages alone follows in one behind the results. */
  readonly result: MediaTaken;
}

/** Media types such as `application/pdf`, or `image/*` for all of a kind. Text needs no mention: every model is told it. */
export interface MediaTaken extends Infer<typeof MEDIA_TAKEN> {}
export const MEDIA_TAKEN = {
  object: {
    /** The media types of files that it takes with their bytes. */
    data: { listOf: TEXT },
    /** By an https address, which its provider fetches. */
    url: { listOf: TEXT },
  },
} as const satisfies Shape;

/** Makes a model from the Worker's vars, secrets and bindings, once for each environment. */
export interface ModelOfEnv<AppEnv extends object = Readonly<Record<string, unknown>>> {
  (env: AppEnv): ChatModel;
  /** `true` if it only reads settings: `GET /health` calls it too, and reports the setting that is missing. Defaults to `false`. */
  readonly isChecked?: boolean | undefined;
}

/** What an adapter is given beside the request. */
export interface AskOptions {
  /** Aborts when nobody waits for the reply any more. */
  readonly signal: AbortSignal;
  /** Absent where nobody is to be shown a reply before it is whole, as is `onReasoning`. */
  readonly onText?: ((piece: string) => void) | undefined;
  readonly onReasoning?: ((piece: string) => void) | undefined;
  /**
   * Awaited before the adapter asks its provider once more: each is a request that counts. `failed`: why the attempt before came to
   * nothing. Unless that was `rate-limited`, it may have been charged for. What this rejects with comes out of the ask as it is.
   */
  readonly again?: ((failed?: ModelFailure) => Promise<void>) | undefined;
  /**
   * Called by a model that streams when it sends a request, and whenever anything of the reply comes, also what is neither
   * text nor reasoning. From the first time on whoever asks may bound the silence of that request; behind `again` only from the
   * next time on. `patience`: milliseconds of silence after which the model itself gives up or tries again; it is then given a
   * little longer than that.
   */
  readonly alive?: ((patience?: number) => void) | undefined;
  /** Takes one line for whoever runs the app, of something that went on otherwise than it should; it reaches the app's `log`. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** A tool as a model is shown it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The model's provider runs it, and nobody else: an adapter that cannot say so refuses it by name. */
  readonly providerTool?: ProviderTool | undefined;
}

/** A tool that a provider runs itself, as that provider knows it. */
export interface ProviderTool {
  /** Such as `openai.web_search`. */
  readonly id: `${string}.${string}`;
  /** How it is to be run, in its provider's own terms. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** One message of the conversation, in the form that every adapter translates. */
export type ModelMessage =
  | {
      readonly role: 'system';
      readonly text: string;
      /** Which tools came and went here, of a message without text, for models that are told of it. */
      readonly toolsChange?: ToolsTold | undefined;
    }
  | {
      readonly role: 'user';
      /** All of it in words: a line stands in the place of each file. */
      readonly text: string;
      /** All of it in its order, where it has files that the model takes. */
      readonly parts?: readonly MessagePart[] | undefined;
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly RequestedCall[];
      /** All of the reply in its order, where that is more than its words and then its calls: `partsOf` answers it for any. */
      readonly parts?: readonly ReplyPart[] | undefined;
      /** What the provider keeps beside the reply as a whole. */
      readonly provider?: ProviderData | undefined;
      /** Who made it, where it has parts. */
      readonly madeBy?: MadeBy | undefined;
      /** Of a reply that its model has signed together with all before it: a hash of that. */
      readonly prefix?: string | undefined;
      /** What stands before it now is not what it was signed with. */
      readonly movedPrefix?: true | undefined;
    }
  /** `id` is the provider's call id; the results of a reply follow it at once, in source order. */
  | {
      readonly role: 'tool';
      readonly id: string;
      readonly name: string;
      /** As of a message of the user's, and so are the `parts`. */
      readonly text: string;
      readonly parts?: readonly MessagePart[] | undefined;
    };

/** Which tools came and went; one that was replaced by another of its name did both. */
export interface ToolsTold {
  readonly came: readonly ToolDefinition[];
  readonly went: readonly ToolDefinition[];
}

/** A tool as a journal names it; the hash is that of its definition. */
export interface ShownTool {
  readonly name: string;
  readonly hash: string;
}

/** Tools that came and went, as a journal names them. */
interface ShownChange {
  readonly came: readonly ShownTool[];
  readonly went: readonly ShownTool[];
}

/** A loop whose tools may have changed. */
export interface ChangingTools<Tool> {
  /** The conversation, and the same as modules show it. */
  readonly conversation: readonly { readonly toolsChange?: ShownChange | undefined }[];
  readonly shown: readonly { readonly toolsChange?: object | undefined }[];
  /** What has changed since the last reply. */
  readonly pending: ShownChange | undefined;
  /** All tools that it is declared with, or offers. */
  readonly tools: Iterable<Tool>;
  /** Returns the tools that may take the place of one. */
  mayBecome(tool: Tool): readonly Tool[];
  shownAs(tool: Tool): { readonly definition: ToolDefinition; readonly offered: ShownTool };
}

/** Returns the changes of tools that a conversation shows, with their definitions, by the change as it is journaled. */
export type ShowToolsChanges = <Tool extends { readonly inner?: readonly Tool[] | undefined }>(
  changing: ChangingTools<Tool>,
) => ReadonlyMap<unknown, ToolsTold>;

/** A request with its marks, and the hash of all of it, with which the next reply is signed. */
export interface SignedRequest {
  readonly request: ModelRequest;
  readonly prefix: string;
}

/** Returns a request in which the replies are marked whose prefix has moved. */
export type SignPrefix = (request: ModelRequest, hash: (text: string) => string) => SignedRequest;

/** What a model is shown: the whole conversation, and the tools that it may call. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /**
   * Those that were there first by name, and behind them those that came, in their order; of a definition that was replaced
   * the new one. Empty, or under the tool choice `none`: the model must answer in words.
   */
  readonly tools: readonly ToolDefinition[];
  /** What an answer in words must be: JSON text that matches this schema. An adapter tells its provider if it can. */
  readonly output?: OutputFormat | undefined;
  /** The most tokens that the reply may have, thinking included. An adapter tells its provider, which keeps to it. */
  readonly maxOutputTokens?: number | undefined;
  /** How the reply is to be made. An adapter tells its provider, and refuses by name what it cannot tell it. */
  readonly settings?: ModelSettings | undefined;
  /** Media types of files that a model without `media` may be sent in messages, since its agent accepts them. */
  readonly accepts?: readonly string[] | undefined;
  /** What of it is to be kept for the next request; nothing is asked for when it is absent. */
  readonly cache?: CacheMarks | undefined;
}

/**
 * What a provider is asked to keep of a request, so that the next one, which begins as this one did, costs less. Providers that
 * cache by themselves take the key and nothing else; those that are told where take four marks at most: of the tools, of the
 * system text, and of the first of `messages`.
 */
export interface CacheMarks {
  /** Names the conversation, so that its requests meet the same cache. At most 64 letters, digits, `-` and `_`. */
  readonly key?: string | undefined;
  /** Keep what stands up to the end of the tools. */
  readonly tools?: boolean | undefined;
  /** Up to the end of the system text at the head. */
  readonly system?: boolean | undefined;
  /**
   * Up to the end of these messages, by their index in the request; negative ones count from its end. Where a message holds
   * nothing that can be marked, such as mere thoughts, the mark stands at the end of what is before it.
   */
  readonly messages?: readonly number[] | undefined;
  /** For how long, where a provider lets one choose; five minutes unless given. */
  readonly ttl?: '5m' | '1h' | undefined;
}

/** The form of a structured answer. */
export interface OutputFormat {
  /** Letters, digits, `_` and `-`, at most 64: providers ask for a name. */
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a model answered, once its last piece has come. */
export interface ModelReply {
  readonly text: string;
  /** The calls that are ours to run. */
  readonly toolCalls: readonly RequestedCall[];
  /**
   * All of it in the order in which it came, words and calls included, where it has more: it goes back to its maker as it
   * is, as JSON has it. The loop reads the words of it alone, whatever `text` says; its calls must be those of `toolCalls`, and a
   * reply whose parts cannot be kept fails its turn. An adapter for a model that only writes and calls need not give it.
   */
  readonly parts?: readonly ReplyPart[] | undefined;
  /** What the provider keeps beside the reply as a whole. If it is there, and be it empty, the journal has the maker of the reply. */
  readonly provider?: ProviderData | undefined;
  /**
   * Who made it: one of the candidates of the model that was asked. It is journaled with the reply, also if that has only words and calls.
   * Defaults to the model that was asked, which is then not journaled with such a reply.
   */
  readonly madeBy?: MadeBy | undefined;
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';
  readonly usage?: Usage | undefined;
}

/** Why there is no reply. */
export type ModelFailure =
  | 'aborted'
  | 'timeout'
  | 'unreachable'
  | 'unauthorized'
  | 'rate-limited'
  | 'server-error'
  | 'bad-request'
  /** The conversation is longer than the model can read. A loop shows it less of it, and asks again. */
  | 'context-length'
  | 'invalid-reply'
  /** The stream ended before the reply was complete. */
  | 'truncated';

/** How long a request was for its model, in tokens: as far as its provider told. */
export interface ToldLength {
  /** What the provider counted in the request. */
  readonly sent?: number | undefined;
  /** The most that it takes, besides what is kept free for the reply. */
  readonly most?: number | undefined;
}

/** No complete reply came. The message is safe to show to a client: it holds no credential and no request body. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  /**
   * The message for whoever runs the app, and for nobody else: with what the provider repeated of the request, which a client is not
   * shown. It holds no credential either.
   */
  readonly reason: string;
  readonly status: number | undefined;
  /** Milliseconds that the provider asks to wait before it is asked again, as it failed; `Infinity`: no wait helps. */
  readonly retryAfter: number | undefined;
  /** Text had been handed to `onText`, so the adapter did not retry and the loop may ask once more. */
  readonly outputBegan: boolean;
  /** It is known of the failure `context-length`, as far as the provider told. */
  readonly length: ToldLength | undefined;

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

/** What is known of a failure beside its kind and its words. */
interface ModelErrorDetails {
  /** The message unless given. */
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly outputBegan?: boolean | undefined;
  readonly length?: ToldLength | undefined;
  readonly cause?: unknown;
}
