/** The errors that the strict servers of chat completions return for a changed history. */
import { describe, expect, it } from 'vitest';
import {
  type ChatCompletionsWireOptions,
  type ChatDialectName,
  createChatCompletionsWire,
} from '../../../wires/chat-completions.ts';
import { isRecord } from '../../../wires/wire.ts';
import { longScript } from './ask.ts';
import { echoChatMessages, type Json, postToWire } from './echo.ts';

type WireOptions = Partial<ChatCompletionsWireOptions>;
type HistoryChange = (messages: readonly Json[]) => readonly Json[];

const createWire = (dialect: ChatDialectName, options: WireOptions = {}) =>
  createChatCompletionsWire({ script: longScript, dialect, ...options });
const tools = ['look', 'note'].map((name) => ({ type: 'function', function: { name } }));

/** The whole history of both turns, by dialect. Options affect only how it is checked. */
const histories = {
  deepseek: (await echoChatMessages(createWire('deepseek'))).messages,
  kimi: (await echoChatMessages(createWire('kimi'))).messages,
  reasoning: (await echoChatMessages(createWire('reasoning'))).messages,
  openrouter: (await echoChatMessages(createWire('openrouter'))).messages,
  gemini: (await echoChatMessages(createWire('gemini'))).messages,
};

/** Sends the whole history of both turns after a change. Returns the response. */
function askChanged(dialect: ChatDialectName, change: HistoryChange, options: WireOptions = {}) {
  const body = { model: 'echo', tools, messages: change(histories[dialect]) };
  return postToWire(createWire(dialect, options), '/v1/chat/completions', body);
}

/**
 * The start of the history: 0 question, 1 call, 2 result; 3 two calls, 4 and 5 results; 6 two calls, 7 and 8
 * results; 9 text and two calls, 10 and 11 results. The first answer is at 29, the second question at 30; 31
 * is a call.
 */
const put =
  (place: number, changes: Json): HistoryChange =>
  (all) =>
    all.with(place, { ...all[place], ...changes });
const swap =
  (a: number, b: number, field: string): HistoryChange =>
  (all) =>
    all.with(a, { ...all[a], [field]: all[b]?.[field] }).with(b, { ...all[b], [field]: all[a]?.[field] });
const drop =
  (...places: readonly number[]): HistoryChange =>
  (all) =>
    all.filter((_, place) => !places.includes(place));
const repeat =
  (place: number): HistoryChange =>
  (all) =>
    all.toSpliced(place, 0, ...all.slice(place, place + 1));
const getCalls = (all: readonly Json[], place: number): Json[] => {
  const calls = all[place]?.tool_calls;
  return Array.isArray(calls) ? calls.filter(isRecord) : [];
};
const getCallId = (place: number, call = 0) => String(getCalls(histories.kimi, place)[call]?.id);

const createRefusalBody = (message: string) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' } },
});

describe('the strict servers of chat completions', () => {
  const orphan =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  const formatUnanswered = (...ids: string[]) =>
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`;

  it.each<[string, HistoryChange, string]>([
    ['a result without its call', drop(1), orphan],
    ['a call without its result', drop(5), formatUnanswered(getCallId(3, 1))],
    [
      'a message before the results',
      (all) => all.toSpliced(4, 0, { role: 'user', content: 'Wait.' }),
      formatUnanswered(getCallId(3), getCallId(3, 1)),
    ],
    ['a repeated result', repeat(2), `Duplicate value for 'tool_call_id' of '${getCallId(1)}' in message[3]`],
  ])('refuse %s', async (_name, change, words) => {
    expect(await askChanged('kimi', change)).toEqual(createRefusalBody(words));
  });

  it.each<[string, HistoryChange, string]>([
    ['a missing reply', drop(3, 4, 5), 'wire: reply 3 came back where reply 2 was given'],
    ['another text', put(9, { content: 'Other.' }), 'wire: the text of messages[9] is another'],
    [
      'a history that ends with an answer',
      (all) => all.slice(0, 30),
      'wire: the messages end with an answer, and nothing was asked after it',
    ],
    [
      'a missing call with its result',
      (all) => drop(5)(put(3, { tool_calls: getCalls(all, 3).slice(0, 1) })(all)),
      'wire: messages[3] held 2 calls, and 1 came back',
    ],
  ])('refuse %s, which a provider may accept', async (_name, change, words) => {
    expect(await askChanged('kimi', change)).toEqual(createRefusalBody(words));
  });

  it('return the same reply for the same request', async () => {
    const keepAll: HistoryChange = (messages) => messages;
    expect(await askChanged('kimi', keepAll)).toEqual(await askChanged('kimi', keepAll));
    expect(await askChanged('kimi', keepAll)).toMatchObject({ status: 200 });
  });

  it('accept a history with a steering message', async () => {
    const addSteering: HistoryChange = (all) => all.toSpliced(6, 0, { role: 'user', content: 'Hurry.' });
    expect(await askChanged('kimi', addSteering)).toMatchObject({ status: 200 });
  });

  it('accept a summarized beginning only if an option allows it', async () => {
    const change = drop(1, 2, 3, 4, 5);
    expect(await askChanged('kimi', change, { mayOmitBeginning: true })).toMatchObject({ status: 200 });
    const words = 'wire: reply 3 came back where reply 1 was given';
    expect(await askChanged('kimi', change)).toEqual(createRefusalBody(words));
  });
});

describe('reasoning_content', () => {
  const missing = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
  it.each<[string, HistoryChange]>([
    ['dropped in an earlier turn', put(3, { reasoning_content: undefined })],
    ['dropped from an answer', put(29, { reasoning_content: undefined })],
    ['dropped in the current turn', put(31, { reasoning_content: undefined })],
    ['emptied', put(3, { reasoning_content: '' })],
    ['shortened', put(3, { reasoning_content: 'Thinking of' })],
    ['swapped', swap(1, 3, 'reasoning_content')],
  ])('is refused by DeepSeek if it is %s', async (_name, change) => {
    expect(await askChanged('deepseek', change)).toEqual(createRefusalBody(missing));
  });

  const noKimi =
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 31';
  it('can be dropped in an earlier turn for Kimi, but not in the current turn', async () => {
    expect(await askChanged('kimi', put(31, { reasoning_content: undefined }))).toEqual(
      createRefusalBody(noKimi),
    );
    expect(await askChanged('kimi', put(3, { reasoning_content: undefined }))).toMatchObject({ status: 200 });
    const changed = put(3, { reasoning_content: 'Other.' });
    expect(await askChanged('kimi', changed)).toEqual(
      createRefusalBody('wire: the reasoning_content of messages[3] is another'),
    );
  });
});

it.each<[string, HistoryChange, string]>([
  ['dropped', put(3, { reasoning: undefined }), 'is missing'],
  ['shortened', put(3, { reasoning: 'Thinking of' }), 'is another'],
  [
    'renamed',
    (all) => put(3, { reasoning: undefined, reasoning_content: all[3]?.reasoning })(all),
    'stands in `reasoning_content`',
  ],
])('reasoning is refused if it is %s', async (_name, change, what) => {
  expect(await askChanged('reasoning', change)).toEqual(
    createRefusalBody(`wire: the \`reasoning\` of messages[3] ${what}`),
  );
});

describe('reasoning_details', () => {
  const getDetails = (all: readonly Json[], place: number): Json[] => {
    const list = all[place]?.reasoning_details;
    return Array.isArray(list) ? list.filter(isRecord) : [];
  };
  const alterDetails =
    (place: number, with_: (list: Json[]) => readonly Json[]): HistoryChange =>
    (all) =>
      put(place, { reasoning_details: with_(getDetails(all, place)) })(all);
  const thinking =
    'messages.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.';
  const formatOpaque = (place: number) =>
    `The encrypted content of messages[${place}] could not be verified.`;

  it.each<[string, HistoryChange, string]>([
    ['dropped', put(1, { reasoning_details: undefined }), thinking],
    ['missing the signature', alterDetails(1, ([text]) => [{ ...text, signature: undefined }]), thinking],
    [
      'given a shortened signature',
      alterDetails(1, ([text]) => [{ ...text, signature: String(text?.signature).slice(1) }]),
      thinking,
    ],
    ['reordered', alterDetails(3, (list) => list.toReversed()), formatOpaque(3)],
    ['missing the encrypted part', alterDetails(6, () => []), formatOpaque(6)],
    [
      'given a shortened blob',
      alterDetails(6, ([one]) => [{ ...one, data: String(one?.data).slice(0, -1) }]),
      formatOpaque(6),
    ],
    ['swapped', swap(1, 6, 'reasoning_details'), thinking],
  ])('are refused with the message of the upstream provider if they are %s', async (_name, change, words) => {
    const raw = JSON.stringify({ error: { message: words } });
    const metadata = { provider_name: 'Upstream', raw };
    expect(await askChanged('openrouter', change)).toEqual({
      status: 400,
      body: { error: { message: 'Provider returned error', code: 400, metadata } },
    });
  });
});

describe('thought_signature', () => {
  const signCall =
    (place: number, signature: string | undefined, call = 0): HistoryChange =>
    (all) =>
      put(place, {
        tool_calls: getCalls(all, place).map((one, index) =>
          index === call
            ? { ...one, extra_content: signature && { google: { thought_signature: signature } } }
            : one,
        ),
      })(all);
  const findSignature = (place: number) => {
    const [call] = getCalls(histories.gemini, place);
    return /"thought_signature":"(\w+)"/.exec(JSON.stringify(call))?.[1] ?? '';
  };
  const missing =
    'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. ' +
    'Additional data, function call `default_api:look` , position 32. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.';

  it.each<[string, HistoryChange, string]>([
    ['dropped in the current turn', signCall(31, undefined), missing],
    ['shortened', signCall(31, findSignature(31).slice(0, -1)), 'Corrupted thought signature.'],
    [
      'shortened in an earlier turn',
      signCall(3, findSignature(3).slice(0, -1)),
      'Corrupted thought signature.',
    ],
    ['that of another reply', signCall(31, findSignature(3)), 'Invalid thought signature.'],
    ['on a call that had none', signCall(3, findSignature(3), 1), 'Invalid thought signature.'],
  ])('is refused if it is %s', async (_name, change, message) => {
    expect(await askChanged('gemini', change)).toEqual({
      status: 400,
      body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
    });
  });

  it('can be dropped in an earlier turn', async () => {
    expect(await askChanged('gemini', signCall(3, undefined))).toMatchObject({ status: 200 });
  });
});
