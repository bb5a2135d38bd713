/**
 * The strict server of OpenAI's Responses API, `POST /v1/responses`: as JSON and as a stream, with `store` on and off.
 *
 * It answers with reasoning items, function calls and messages, and refuses a request whose input does not hold them as
 * they were given. It keeps no items: what an `item_reference` stands for follows from the script.
 */
import { checkInput } from './responses-input.ts';
import { type Item, type ItemMode, itemsOf, ledgerOf, partialBlob } from './responses-items.ts';
import {
  eventStream,
  fingerprint,
  isRecord,
  jsonResponse,
  piecesOf,
  Refused,
  repliesOf,
  replyAfter,
  type Script,
  type ScriptedReply,
  type StreamEvent,
  strictWire,
  type Wire,
  type WireRequest,
} from './wire.ts';

/** How a wire of this API is stricter than its provider. */
export interface ResponsesOptions {
  /** Wants the arguments of calls back byte for byte; otherwise equal JSON is enough. */
  readonly exactArguments?: boolean;
}

/** OpenAI's Responses API, answered from a script. */
export function responsesWire(script: Script, { exactArguments = false }: ResponsesOptions = {}): Wire {
  const replies = repliesOf(script);
  const ledger = ledgerOf(replies);
  return strictWire({
    name: 'OpenAI Responses',
    errorBody,
    answer(request) {
      const body = bodyOf(request);
      const mode = modeOf(body);
      const input = Array.isArray(body.input) ? body.input : [];
      const reply = replyAfter(replies, checkInput({ input, mode, replies, ledger, exactArguments }));
      const response = responseOf(reply, mode, body);
      return body.stream === true ? eventStream(eventsOf(response, reply)) : jsonResponse(response);
    },
  });
}

function bodyOf({ url, body }: WireRequest): Readonly<Record<string, unknown>> {
  if (!url.pathname.endsWith('/responses')) throw new Refused(404, `Invalid URL (POST ${url.pathname})`);
  if (!isRecord(body)) throw new Refused(400, 'We could not parse the JSON body of your request.');
  for (const name of ['previous_response_id', 'conversation']) {
    if (body[name] != null)
      throw new Refused(400, `Not served here: '${name}', which is not to be mixed with history.`);
  }
  return body;
}

/** What the request asks its reply to hold. The encrypted content and the summaries come only when they are asked for. */
function modeOf({ store, include, reasoning }: Readonly<Record<string, unknown>>): ItemMode {
  return {
    stored: store !== false,
    encrypted: Array.isArray(include) && include.includes('reasoning.encrypted_content'),
    summaries: isRecord(reasoning) && reasoning.summary != null,
  };
}

function errorBody(status: number, message: string): unknown {
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

function responseOf(
  reply: ScriptedReply,
  mode: ItemMode,
  body: Readonly<Record<string, unknown>>,
): ResponseObject {
  const output = itemsOf(reply, mode);
  return {
    id: `resp_${fingerprint(['response', reply.at, mode], 48)}`,
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
    usage: usageOf(JSON.stringify(body.input).length, JSON.stringify(output).length, reply),
  };
}

/** Four characters are a token; half of what was there before is read from the cache. */
function usageOf(sent: number, given: number, { at }: ScriptedReply) {
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

/** The stream of a response: what is under way, each item as it begins, in pieces and whole, and the response whole. */
function eventsOf(response: ResponseObject, reply: ScriptedReply): StreamEvent[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: WireEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap((item, index) => eventsOfItem(item, { index, reply })),
    { type: 'response.completed', response },
  ];
  return events.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
}

function eventsOfItem(item: Item, { index, reply }: { index: number; reply: ScriptedReply }): WireEvent[] {
  const place = { item_id: item.id, output_index: index };
  const inside = (): WireEvent[] => {
    switch (item.type) {
      case 'reasoning':
        return item.summary.flatMap(({ text }, summary_index) =>
          summaryEvents(text, { ...place, summary_index }),
        );
      case 'message':
        return item.content.flatMap((part, content_index) => textEvents(part, { ...place, content_index }));
      case 'function_call':
        return [
          ...piecesOf(item.arguments, 9).map((delta) => ({
            type: 'response.function_call_arguments.delta',
            ...place,
            delta,
          })),
          { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
        ];
    }
  };
  return [
    { type: 'response.output_item.added', output_index: index, item: begunItem(item, reply) },
    ...inside(),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/** An item as it is announced: without content, and with an encrypted content that is not the one to give back. */
function begunItem(item: Item, reply: ScriptedReply): unknown {
  switch (item.type) {
    case 'reasoning': {
      const encrypted = 'encrypted_content' in item && { encrypted_content: partialBlob(reply) };
      return { ...item, summary: [], ...encrypted };
    }
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
  }
}

function summaryEvents(text: string, place: Readonly<Record<string, unknown>>): WireEvent[] {
  const part = { type: 'summary_text', text };
  const delta = 'response.reasoning_summary_text.delta';
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...piecesOf(text).map((piece) => ({ type: delta, ...place, delta: piece })),
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

function textEvents(part: { readonly text: string }, place: Readonly<Record<string, unknown>>): WireEvent[] {
  const delta = 'response.output_text.delta';
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...piecesOf(part.text).map((piece) => ({ type: delta, ...place, delta: piece, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
  ];
}
