/** The errors that the strict Responses API server returns for a changed history. */
import { describe, expect, it } from 'vitest';
import { createResponsesWire } from '../../../wires/responses.ts';
import { longScript } from './ask.ts';
import { echoResponses, type Json, postToWire } from './echo.ts';

const script = longScript;
const tools = ['look', 'note'].map((name) => ({ type: 'function', name }));
const encryptedOptions = {
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { summary: 'auto' },
};
const { input } = await echoResponses(createResponsesWire({ script }), encryptedOptions);
const keptHistory = await echoResponses(createResponsesWire({ script }), {});

/**
 * The start of the history: 0 question, 1 reasoning, 2 call, 3 output; 4 reasoning, 5 and 6 calls, 7 and 8
 * outputs; 9 reasoning, 10 and 11 calls, 12 and 13 outputs; 14 reasoning, 15 text, 16 and 17 calls, 18 and 19
 * outputs.
 */
const secondQuestion = input.findLastIndex(({ role }) => role === 'user');
const getItem = (place: number): Json => input[place] ?? {};
const withoutItems = (...places: readonly number[]) => input.filter((_, place) => !places.includes(place));
const withAt = (place: number, ...items: readonly Json[]) => input.toSpliced(place, 1, ...items);
const withChanges = (place: number, changes: Json) => withAt(place, { ...getItem(place), ...changes });
const getItemId = (place: number) => String(getItem(place).id);
const callIdAt = (place: number) => String(getItem(place).call_id);
const getBlob = (place: number) => String(getItem(place).encrypted_content);
const shortenedBlob = getBlob(4).slice(0, -4);
const toReferences = (items: readonly Json[]) =>
  items.map((item) => (item.type === 'reasoning' ? { type: 'item_reference', id: item.id } : item));

const ask = (items: readonly unknown[], settings: Json = encryptedOptions) =>
  postToWire(createResponsesWire({ script }), '/v1/responses', {
    model: 'echo',
    tools,
    input: items,
    ...settings,
  });

const createRefusalBody = (
  message: string,
  { status = 400, param = 'input' as string | null, code = null as string | null } = {},
) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});
const formatNotVerified = (message: string) =>
  createRefusalBody(message, { param: null, code: 'invalid_encrypted_content' });

const formatNoReasoning = (type: string, place: number, reasoning: number) =>
  `Item '${getItemId(place)}' of type '${type}' was provided without its required 'reasoning' item: '${getItemId(reasoning)}'.`;
const formatNothingFollows = (place: number) =>
  `Item '${getItemId(place)}' of type 'reasoning' was provided without its required following item.`;
const formatDuplicate = (what: string) =>
  `Duplicate item found with id ${what}. Remove duplicate items from your input and try again.`;

describe('the strict server of the Responses API', () => {
  it('accepts a complete history', async () => {
    expect(await ask(input)).toMatchObject({
      status: 200,
      body: { output: [{ type: 'reasoning' }, { type: 'message' }] },
    });
    expect((await ask(toReferences(keptHistory.input), {})).status).toBe(200);
  });

  it('accepts a steering message and late tools', async () => {
    const late = { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'note' }] };
    const steered = input.toSpliced(9, 0, { role: 'user', content: 'Hurry.' }).toSpliced(8, 0, late);
    const settings = { ...encryptedOptions, tools: tools.slice(0, 1) };
    expect((await ask(steered, settings)).status).toBe(200);
    const words = 'wire: the script calls `note`, which the model cannot call in this request';
    expect(await ask(input.slice(0, 4), settings)).toEqual(createRefusalBody(words));
  });

  it.each([
    ['without a reasoning item', withoutItems(4), formatNoReasoning('function_call', 5, 4)],
    ['without the reasoning item of a message', withoutItems(14), formatNoReasoning('message', 15, 14)],
    [
      'with a reasoning item after its call',
      input.with(1, getItem(2)).with(2, getItem(1)),
      formatNothingFollows(1),
    ],
    [
      'with two reasoning items swapped',
      input.with(1, getItem(4)).with(4, getItem(1)),
      formatNothingFollows(4),
    ],
    ['without the items that follow a reasoning item', withoutItems(2, 3), formatNothingFollows(1)],
    [
      'with an output without its call',
      withoutItems(5),
      `No tool call found for function call output with call_id ${callIdAt(5)}.`,
    ],
    [
      'with a call without its output',
      withoutItems(8),
      `No tool output found for function call ${callIdAt(6)}.`,
    ],
    [
      'with a message before the output',
      input.toSpliced(7, 0, { role: 'user', content: 'Wait.' }),
      `No tool output found for function call ${callIdAt(5)}.`,
    ],
    ['with a repeated reasoning item', withAt(4, getItem(4), getItem(4)), formatDuplicate(getItemId(4))],
    [
      'with a repeated call',
      withAt(5, getItem(5), { ...getItem(5), id: undefined }),
      formatDuplicate(getItemId(5)),
    ],
    ['with a repeated output', withAt(7, getItem(7), getItem(7)), formatDuplicate(callIdAt(7))],
  ])('refuses a history %s', async (_name, items, words) => {
    expect(await ask(items)).toEqual(createRefusalBody(words));
  });

  it.each([
    [
      'shortened',
      { encrypted_content: shortenedBlob },
      `The encrypted content gAAA...${shortenedBlob.slice(-4)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    ],
    [
      'that of another item',
      { encrypted_content: getBlob(1) },
      `The encrypted content for item ${getItemId(4)} could not be verified. Reason: Encrypted content item_id did not match the target item id.`,
    ],
  ])('refuses encrypted reasoning that is %s', async (_name, changes, words) => {
    expect(await ask(withChanges(4, changes))).toEqual(formatNotVerified(words));
  });

  it('refuses references to reasoning that it has not stored', async () => {
    const words =
      `Item with id '${getItemId(1)}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.';
    expect(await ask(withChanges(1, { encrypted_content: undefined }))).toEqual(
      createRefusalBody(words, { status: 404 }),
    );
    expect(await ask(toReferences(input), {})).toEqual(createRefusalBody(words, { status: 404 }));
  });

  it('refuses references to items that it never sent', async () => {
    const items = [...input, { type: 'item_reference', id: 'rs_1' }];
    expect(await ask(items, {})).toEqual(
      createRefusalBody("Item with id 'rs_1' not found.", { status: 404 }),
    );
  });

  const formatHeld = (reply: number, place: number) =>
    `wire: reply ${reply} held ${getItem(place).type} '${getItemId(place)}'`;
  it.each([
    ['a missing call and output', withoutItems(6, 8), `${formatHeld(2, 6)}, which is missing`],
    [
      'swapped calls',
      input.with(5, getItem(6)).with(6, getItem(5)),
      `${formatHeld(2, 5)} as item 2, and the call '${callIdAt(6)}' stands there`,
    ],
    [
      'another name in a call',
      withChanges(2, { name: 'note' }),
      `${formatHeld(1, 2)} as item 2, and its name is note`,
    ],
    [
      'other arguments',
      withChanges(2, { arguments: '{}' }),
      `${formatHeld(1, 2)} as item 2, and its arguments are {}`,
    ],
    [
      'another summary',
      withChanges(4, { summary: [] }),
      `${formatHeld(2, 4)} as item 1, and its summary is another`,
    ],
    [
      'another text',
      withChanges(15, { content: 'Other.' }),
      `${formatHeld(4, 15)} as item 2, and its text is another`,
    ],
    [
      'a text without its phase',
      withChanges(15, { phase: undefined }),
      `${formatHeld(4, 15)} as item 2, of the phase commentary, not undefined`,
    ],
    ['a missing reply', withoutItems(4, 5, 6, 7, 8), 'wire: reply 3 came back where reply 2 was given'],
    [
      'an answer at its end',
      input.slice(0, secondQuestion),
      'wire: the input ends with an answer, and nothing was asked after it',
    ],
  ])('refuses a history with %s, which a provider may accept', async (_name, items, words) => {
    expect(await ask(items)).toEqual(createRefusalBody(words));
  });

  it('accepts a cache key of at most 64 characters', async () => {
    const askWithKey = (key: unknown) => ask(input, { ...encryptedOptions, prompt_cache_key: key });
    expect(await askWithKey('a'.repeat(64))).toEqual(await ask(input));
    expect(await askWithKey('a'.repeat(65))).toEqual(
      createRefusalBody(
        "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with " +
          'length 65 instead.',
      ),
    );
    expect(await askWithKey(7)).toEqual(
      createRefusalBody("Invalid type for 'prompt_cache_key': expected a string."),
    );
  });

  it('returns the same reply for the same request', async () => {
    expect(await ask(input)).toEqual(await ask(input));
  });

  it('replies with text if it must not call tools', async () => {
    const answer = { output: [{ type: 'reasoning' }, { content: [{ text: 'The first answer.' }] }] };
    expect(await ask(input.slice(0, 4), { ...encryptedOptions, tool_choice: 'none' })).toMatchObject({
      body: answer,
    });
  });
});
