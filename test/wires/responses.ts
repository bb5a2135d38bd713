/**
 * The strict server for OpenAI's Responses API, `POST /v1/responses`: as JSON and as a stream, with and without
 * `store`.
 *
 * It replies with reasoning items, function calls and messages, and refuses an input that does not contain them
 * unchanged. It stores no items, and resolves an `item_reference` from the script.
 */
import { computeNextReply } from './calls.ts';
import { hashFiles, type SentFile } from './files.ts';
import { checkInput } from './responses/input.ts';
import {
  type Casting,
  createItems,
  createLedger,
  createPartialBlob,
  type Item,
  type ItemMode,
} from './responses/items.ts';
import { checkMedia, collectFiles } from './responses/media.ts';
import {
  computeFingerprint,
  createEventStream,
  createJsonResponse,
  createOwnRefusal,
  createStrictWire,
  isRecord,
  listReplies,
  RefusalError,
  type Script,
  type ScriptedReply,
  type StreamEvent,
  splitText,
  type Wire,
  type WireRequest,
} from './wire.ts';

export interface ResponsesWireOptions {
  readonly script: Script;
  /** Determines ids and encrypted contents, so that wires with different seeds refuse each other's data. */
  readonly seed?: string;
  /** If `true`, a conversation may start after the first reply, because earlier messages were summarized. */
  readonly mayOmitBeginning?: boolean;
  /** If `true`, the arguments of calls must be returned byte for byte. Otherwise, equal JSON is enough. */
  readonly exactArguments?: boolean;
}

/** Creates OpenAI's Responses API with scripted replies. Each request decides whether its items are stored. */
export function createResponsesWire(options: ResponsesWireOptions): Wire {
  const { script, seed = 'openai', mayOmitBeginning = false, exactArguments = false } = options;
  const replies = listReplies(script);
  const ledger = createLedger(replies, seed);
  return createStrictWire({
    name: 'responses',
    errorBody: createErrorBody,
    answer(request) {
      const body = parseBody(request);
      const mode = parseMode(body);
      const input = getInput(body);
      checkMedia(input);
      const count = checkInput({
        input,
        seed,
        mode,
        replies,
        ledger,
        mayOmitBeginning,
        exactArguments,
      });
      const reply = computeNextReply(replies, count, {
        tools: listToolNames(body, input),
        toolChoice: body.tool_choice,
      });
      const response = createResponse(reply, body, { seed, mode });
      return body.stream === true
        ? createEventStream(createEvents(response, reply))
        : createJsonResponse(response);
    },
  });
}

/** Returns the files in a request to this wire, in order. */
export const readResponsesFiles = (body: unknown): Promise<readonly SentFile[]> =>
  hashFiles(collectFiles(getInput(body)));

const getInput = (body: unknown): readonly unknown[] =>
  isRecord(body) && Array.isArray(body.input) ? body.input : [];

/** Returns the names of the tools in a request: those in the list, and those that the input adds later. */
function listToolNames(
  { tools }: Readonly<Record<string, unknown>>,
  input: readonly unknown[],
): ReadonlySet<unknown> {
  const late = input.filter(isRecord).filter(({ type }) => type === 'additional_tools');
  const lists = [tools, ...late.map((item) => item.tools)].filter((list) => Array.isArray(list));
  return new Set(
    lists
      .flat()
      .filter(isRecord)
      .map(({ name }) => name),
  );
}

function parseBody({ url, body }: WireRequest): Readonly<Record<string, unknown>> {
  if (!url.pathname.endsWith('/responses')) throw new RefusalError(404, `Invalid URL (POST ${url.pathname})`);
  if (!isRecord(body)) throw new RefusalError(400, 'We could not parse the JSON body of your request.');
  for (const name of ['previous_response_id', 'conversation']) {
    if (body[name] != null) throw createOwnRefusal(`\`${name}\` is not served`);
  }
  checkCacheKey(body.prompt_cache_key);
  return body;
}

const longestKey = 64;

function checkCacheKey(key: unknown): void {
  if (key === undefined) return;
  if (typeof key !== 'string')
    throw new RefusalError(400, "Invalid type for 'prompt_cache_key': expected a string.");
  if (key.length <= longestKey) return;
  throw new RefusalError(
    400,
    `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length ${longestKey}, but got a ` +
      `string with length ${key.length} instead.`,
  );
}

/** Returns the item settings of a request. Encrypted content and summaries are included only on request. */
function parseMode({ store, include, reasoning }: Readonly<Record<string, unknown>>): ItemMode {
  return {
    stored: store !== false,
    encrypted: Array.isArray(include) && include.includes('reasoning.encrypted_content'),
    summaries: isRecord(reasoning) && reasoning.summary != null,
  };
}

function createErrorBody(status: number, message: string): unknown {
  const isEncrypted = message.startsWith('The encrypted content');
  const code = isEncrypted ? 'invalid_encrypted_content' : null;
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: isEncrypted ? null : 'input', code } };
}

interface ResponseObject {
  readonly id: string;
  readonly output: readonly Item[];
  readonly [field: string]: unknown;
}

function createResponse(
  reply: ScriptedReply,
  body: Readonly<Record<string, unknown>>,
  casting: Casting,
): ResponseObject {
  const { seed, mode } = casting;
  const output = createItems(reply, casting);
  return {
    id: `resp_${computeFingerprint(['response', seed, reply.at, mode], 48)}`,
    object: 'response',
    created_at: 1_765_591_383 + reply.at,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: body.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'medium', summary: mode.summaries ? 'detailed' : null },
    store: mode.stored,
    tool_choice: 'auto',
    usage: computeUsage(JSON.stringify(body.input).length, JSON.stringify(output).length, reply),
  };
}

/** Computes usage. Four characters count as a token, and half of the earlier content is read from the cache. */
function computeUsage(sent: number, given: number, { at }: ScriptedReply) {
  const input = Math.ceil(sent / 4);
  const output = Math.ceil(given / 4);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: at === 0 ? 0 : Math.floor(input / 2), cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.floor(output / 2) },
    total_tokens: input + output,
  };
}

type WireEvent = { readonly type: string; readonly [field: string]: unknown };

/** Returns the stream of a response: its start, each item from its start to its end, and the whole response. */
function createEvents(response: ResponseObject, reply: ScriptedReply): StreamEvent[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: WireEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap((item, index) => createItemEvents(item, { index, reply })),
    { type: 'response.completed', response },
  ];
  return events.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
}

function createItemEvents(
  item: Item,
  { index, reply }: { index: number; reply: ScriptedReply },
): WireEvent[] {
  const place = { item_id: item.id, output_index: index };
  const createInnerEvents = (): WireEvent[] => {
    switch (item.type) {
      case 'reasoning':
        return item.summary.flatMap(({ text }, summary_index) =>
          createSummaryEvents(text, { ...place, summary_index }),
        );
      case 'message':
        return item.content.flatMap((part, content_index) =>
          createTextEvents(part, { ...place, content_index }),
        );
      case 'function_call':
        return [
          ...splitText(item.arguments, 9).map((delta) => ({
            type: 'response.function_call_arguments.delta',
            ...place,
            delta,
          })),
          { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
        ];
    }
  };
  return [
    { type: 'response.output_item.added', output_index: index, item: startOfItem(item, reply) },
    ...createInnerEvents(),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/**
 * Returns an item as it is announced: without content, and with partial encrypted content that must not be sent
 * back.
 */
function startOfItem(item: Item, reply: ScriptedReply): unknown {
  switch (item.type) {
    case 'reasoning': {
      const encrypted = 'encrypted_content' in item && { encrypted_content: createPartialBlob(reply) };
      return { ...item, summary: [], ...encrypted };
    }
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
  }
}

function createSummaryEvents(text: string, place: Readonly<Record<string, unknown>>): WireEvent[] {
  const part = { type: 'summary_text', text };
  const delta = 'response.reasoning_summary_text.delta';
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...splitText(text).map((piece) => ({ type: delta, ...place, delta: piece })),
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

function createTextEvents(
  part: { readonly text: string },
  place: Readonly<Record<string, unknown>>,
): WireEvent[] {
  const delta = 'response.output_text.delta';
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...splitText(part.text).map((piece) => ({ type: delta, ...place, delta: piece, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
  ];
}
