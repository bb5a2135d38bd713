import { LOOPS } from '../loop/loop-seams.ts';
import { type ChatModel, ModelError, type ModelReply, type ModelRequest } from '../model/chat-model.ts';
import { joinTextParts, listCalls, type ProviderData, type ReplyPart } from '../model/parts.ts';
import type { Prices, Usage } from '../model/prices.ts';
import type { ModelSettings } from '../model/settings.ts';
import type { CallContext } from '../tool/call.ts';
import { parseToolInput } from '../tool/check-input.ts';
import { findInnerFault, type InnerShape } from '../tool/check-literal.ts';
import { getOwn, isJsonObject, type JsonObject } from '../tool/json.ts';
import { createModule, createUse, type ModuleUse } from '../tool/module-use.ts';
import { describeValue } from '../tool/shown.ts';

/**
 * One scripted reply of a test session or crash matrix: text, calls, a failure, or a function of the request.
 */
export type ScriptedReply =
  | string
  | {
      readonly text?: string;
      /** The tool calls: their names, or names with inputs. */
      readonly calls?: readonly (string | ScriptedCall)[];
      /**
       * The chunks in which the text is streamed. Defaults to single characters, or a thousand chunks for a
       * long text.
       */
      readonly pieces?: readonly string[];
      /** The whole reply in order, instead of `text` and `calls`. Text and reasoning are streamed. */
      readonly parts?: readonly ReplyPart[];
      readonly provider?: ProviderData;
      /** The reported usage. `null` reports none. Defaults to a few tokens. */
      readonly usage?: Usage | null;
    }
  | ModelError
  | ((request: ModelRequest, signal: AbortSignal) => ScriptedReply | Promise<ScriptedReply>);

/** One tool call in a scripted reply. */
export interface ScriptedCall {
  readonly name: string;
  /** The input, which is sent as JSON. Text is sent unchanged. */
  readonly input?: unknown;
  readonly id?: string;
}

/** A model that plays a list of replies and records its requests. */
export interface ScriptedModel extends ChatModel {
  /** Every request so far, oldest first. */
  readonly requests: readonly ModelRequest[];
}

/** The properties of a scripted model. */
export interface ScriptedModelOptions {
  /** Defaults to `scripted`. */
  readonly name?: string | undefined;
  /** See `ChatModel.provider`. */
  readonly provider?: string | undefined;
  /** The prices, for agents with a cost limit. */
  readonly prices?: Prices | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** See `ChatModel.heedsToolChoice`. Defaults to `true`. */
  readonly heedsToolChoice?: boolean | undefined;
  /** See `ChatModel.showToolsChanges`. */
  readonly showToolsChanges?: ChatModel['showToolsChanges'];
  /** See `ChatModel.signPrefix`. */
  readonly signPrefix?: ChatModel['signPrefix'];
  /** See `ChatModel.caches`. */
  readonly caches?: true | undefined;
  /** See `ChatModel.settings`. */
  readonly settings?: ModelSettings | undefined;
}

/**
 * Creates a model that plays `replies` in order, one for each request. After the last reply, a request fails
 * with a server error, so that a test does not loop forever.
 *
 * @example
 * ```ts
 * const model = scriptedModel([{ calls: [{ name: 'find_order', input: { orderId: 1001 } }] }, 'It is on its way.']);
 * ```
 */
export function scriptedModel(
  replies: readonly ScriptedReply[],
  {
    name = 'scripted',
    provider,
    prices,
    maxOutputTokens,
    heedsToolChoice = true,
    showToolsChanges,
    signPrefix,
    caches,
    settings,
  }: ScriptedModelOptions = {},
): ScriptedModel {
  checkReplies(replies);
  const requests: ModelRequest[] = [];
  return {
    name,
    ...(provider !== undefined && { provider }),
    ...(prices && { prices }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    // The script decides the reply, even if the request demands a certain tool.
    heedsToolChoice,
    ...(showToolsChanges && { showToolsChanges }),
    ...(signPrefix && { signPrefix }),
    ...(caches && { caches }),
    ...(settings && { settings }),
    requests,
    async ask(request, { signal, onText, onReasoning }) {
      const position = requests.push(request) - 1;
      const reply =
        replies[position] ?? new ModelError('server-error', `The script has no reply ${position + 1}.`);
      const said = await resolveReply(reply, request, signal);
      if (onReasoning) for (const piece of listReasoningTexts(said)) onReasoning(piece);
      if (onText) for (const piece of splitPieces(said)) onText(piece);
      return toReply(said, { id: `call_${position}_`, usage: DEFAULT_USAGE });
    },
  };
}

const REPLY_SHAPE: InnerShape = {
  keys: ['text', 'calls', 'pieces', 'parts', 'provider', 'usage'],
  foreign: { toolCalls: 'calls', tool_calls: 'calls', content: 'text', message: 'text' },
};

/** @throws TypeError if the replies are not a list, or one of them is invalid. */
export function checkReplies(replies: unknown, of = 'replies'): void {
  if (!Array.isArray(replies))
    throw new TypeError(`A script has ${describeValue(replies)} as its ${of}. Use a list, as in ['Hello.'].`);
  replies.forEach((reply: unknown, at) => {
    const isSpecial = typeof reply === 'string' || typeof reply === 'function' || reply instanceof ModelError;
    if (isSpecial) return;
    const fault = isJsonObject(reply)
      ? findInnerFault(reply, REPLY_SHAPE)
      : { path: '', use: "a string, { calls: ['name'] } or a function" };
    if (fault)
      throw new TypeError(
        `A script has ${describeValue(fault.path === '' ? reply : fault.path)} in ${of}[${at}]. Use ${fault.use}.`,
      );
  });
}

const DEFAULT_USAGE: Usage = { inputTokens: 10, outputTokens: 5 };

type PlainReply = Exclude<ScriptedReply, ModelError | ((...given: never[]) => unknown)>;

/**
 * Returns the script's reply to a request. @throws ModelError if the reply is a failure, or the request is
 * aborted.
 */
export async function resolveReply(
  scripted: ScriptedReply,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<PlainReply> {
  let reply = scripted;
  while (typeof reply === 'function') reply = await reply(request, signal);
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
  if (reply instanceof ModelError) throw reply;
  return reply;
}

function splitPieces(reply: PlainReply): readonly string[] {
  const {
    text = '',
    parts,
    pieces,
  }: Exclude<PlainReply, string> = typeof reply === 'string' ? { text: reply } : reply;
  return pieces ?? splitLetters(parts ? joinTextParts(parts) : text);
}

/** The maximum number of chunks of a streamed text. */
const MAX_PIECES = 1_000;

function splitLetters(text: string): readonly string[] {
  const size = Math.ceil(text.length / MAX_PIECES);
  if (size <= 1) return [...text];
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

const listReasoningTexts = (reply: PlainReply): readonly string[] =>
  typeof reply === 'string'
    ? []
    : (reply.parts ?? []).flatMap((part) => (part.type === 'reasoning' && part.text !== '' ? part.text : []));

/**
 * Converts a scripted reply to a model's reply. `defaults` has the prefix of its call ids, and the default
 * usage.
 */
export function toReply(
  said: PlainReply,
  defaults: { readonly id: string; readonly usage: Usage },
): ModelReply {
  const {
    text = '',
    calls = [],
    usage = defaults.usage,
    parts,
    provider,
  }: Exclude<PlainReply, string> = typeof said === 'string' ? { text: said } : said;
  const scripted = calls.map((call, index) => {
    const { name, input = {}, id } = typeof call === 'string' ? { name: call } : call;
    const sent = typeof input === 'string' ? input : JSON.stringify(input);
    return { id: id ?? `${defaults.id}${index}`, name, input: sent };
  });
  const toolCalls = parts ? listCalls(parts) : scripted;
  return {
    text: parts ? joinTextParts(parts) : text,
    toolCalls,
    ...(parts && { parts }),
    ...(provider && { provider }),
    finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    ...(usage && { usage }),
  };
}

/**
 * Creates a module that hands a turn over after each reply in any loop. Pass `use` and `leave` to one
 * invocation.
 */
export function createLeaveAfterReply(): { readonly use: ModuleUse; readonly leave: AbortSignal } {
  const left = new AbortController();
  const use = createUse(LEAVING_MODULE);
  LOOPS.give(use, {
    watch(_loop, { at }) {
      if (at === 'reply') left.abort();
    },
  });
  return { use, leave: left.signal };
}

const LEAVING_MODULE = createModule({ name: 'leaving' });

/** Returns a model that records its requests, and the list of requests, oldest first. */
export function recordRequests(given: ChatModel): {
  readonly model: ChatModel;
  readonly requests: readonly ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const model: ChatModel = {
    ...given,
    ask(request, options) {
      requests.push(request);
      return given.ask(request, options);
    },
  };
  return { model, requests };
}

/**
 * A function that replaces the effect of a tool. Receives the input as the model sent it, if it is a JSON
 * object.
 */
export type Stub = (input: JsonObject, call: CallContext) => unknown;

/**
 * Returns a module that runs stubs instead of the tools with these names. It does not call the `reconcile` of
 * these tools, since it has no knowledge of the stub.
 */
export function createStubsUse(stubs: Readonly<Record<string, Stub>>): ModuleUse {
  const use = createUse(STUBS_MODULE);
  LOOPS.give(use, {
    run(call, next) {
      const { asked } = call;
      const stub = getOwn(stubs, asked.name);
      if (!stub) return next();
      const read = parseToolInput(asked.name, asked.input);
      return stub(read.ok ? read.input : {}, call);
    },
    reconcile: ({ asked }, next) => (getOwn(stubs, asked.name) ? 'unknown' : next()),
  });
  return use;
}

const STUBS_MODULE = createModule({ name: 'stubs' });
