/** The errors of the strict server of the Responses API for a changed history. */
import { describe, expect, it } from 'vitest';
import { createResponsesWire } from '../../../wires/responses.ts';
import { longScript } from './ask.ts';
import { echoResponses, type Json, responseTo } from './echo.ts';

const script = longScript;
const tools = ['look', 'note'].map((name) => ({ type: 'function', name }));
const encrypted = { store: false, include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } };
const { input } = await echoResponses(createResponsesWire({ script }), encrypted);
const keptHistory = await echoResponses(createResponsesWire({ script }), {});

/**
 * The start of the history: 0 question, 1 reasoning, 2 call, 3 output; 4 reasoning, 5 and 6 calls, 7 and 8
 * outputs; 9 reasoning, 10 and 11 calls, 12 and 13 outputs; 14 reasoning, 15 text, 16 and 17 calls, 18 and 19
 * outputs.
 */
const secondQuestion = input.findLastIndex(({ role }) => role === 'user');
const itemAt = (place: number): Json => input[place] ?? {};
const withoutItems = (...places: readonly number[]) => input.filter((_, place) => !places.includes(place));
const withAt = (place: number, ...items: readonly Json[]) => input.toSpliced(place, 1, ...items);
const withChanges = (place: number, changes: Json) => withAt(place, { ...itemAt(place), ...changes });
const idAt = (place: number) => String(itemAt(place).id);
const callIdAt = (place: number) => String(itemAt(place).call_id);
const blobAt = (place: number) => String(itemAt(place).encrypted_content);
const shortenedBlob = blobAt(4).slice(0, -4);
const toReferences = (items: readonly Json[]) =>
  items.map((item) => (item.type === 'reasoning' ? { type: 'item_reference', id: item.id } : item));

const ask = (items: readonly unknown[], settings: Json = encrypted) =>
  responseTo(createResponsesWire({ script }), '/v1/responses', {
    model: 'echo',
    tools,
    input: items,
    ...settings,
  });

const refusalBody = (
  message: string,
  { status = 400, param = 'input' as string | null, code = null as string | null } = {},
) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});
const notVerifiedMessage = (message: string) =>
  refusalBody(message, { param: null, code: 'invalid_encrypted_content' });

const noReasoningMessage = (type: string, place: number, reasoning: number) =>
  `Item '${idAt(place)}' of type '${type}' was provided without its required 'reasoning' item: '${idAt(reasoning)}'.`;
const nothingFollowsMessage = (place: number) =>
  `Item '${idAt(place)}' of type 'reasoning' was provided without its required following item.`;
const duplicateMessage = (what: string) =>
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
    const settings = { ...encrypted, tools: tools.slice(0, 1) };
    expect((await ask(steered, settings)).status).toBe(200);
    const words = 'wire: the script calls `note`, which the model cannot call in this request';
    expect(await ask(input.slice(0, 4), settings)).toEqual(refusalBody(words));
  });

  it.each([
    ['without a reasoning item', withoutItems(4), noReasoningMessage('function_call', 5, 4)],
    ['without the reasoning item of a message', withoutItems(14), noReasoningMessage('message', 15, 14)],
    [
      'with a reasoning item after its call',
      input.with(1, itemAt(2)).with(2, itemAt(1)),
      nothingFollowsMessage(1),
    ],
    [
      'with two reasoning items swapped',
      input.with(1, itemAt(4)).with(4, itemAt(1)),
      nothingFollowsMessage(4),
    ],
    ['without the items that follow a reasoning item', withoutItems(2, 3), nothingFollowsMessage(1)],
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
    ['with a repeated reasoning item', withAt(4, itemAt(4), itemAt(4)), duplicateMessage(idAt(4))],
    [
      'with a repeated call',
      withAt(5, itemAt(5), { ...itemAt(5), id: undefined }),
      duplicateMessage(idAt(5)),
    ],
    ['with a repeated output', withAt(7, itemAt(7), itemAt(7)), duplicateMessage(callIdAt(7))],
  ])('refuses a history %s', async (_name, items, words) => {
    expect(await ask(items)).toEqual(refusalBody(words));
  });

  it.each([
    [
      'shortened',
      { encrypted_content: shortenedBlob },
      `The encrypted content gAAA...${shortenedBlob.slice(-4)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    ],
    [
      'that of another item',
      { encrypted_content: blobAt(1) },
      `The encrypted content for item ${idAt(4)} could not be verified. Reason: Encrypted content item_id did not match the target item id.`,
    ],
  ])('refuses encrypted reasoning that is %s', async (_name, changes, words) => {
    expect(await ask(withChanges(4, changes))).toEqual(notVerifiedMessage(words));
  });

  it('refuses references to reasoning that it has not stored', async () => {
    const words =
      `Item with id '${idAt(1)}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.';
    expect(await ask(withChanges(1, { encrypted_content: undefined }))).toEqual(
      refusalBody(words, { status: 404 }),
    );
    expect(await ask(toReferences(input), {})).toEqual(refusalBody(words, { status: 404 }));
  });

  it('refuses references to items that it never sent', async () => {
    const items = [...input, { type: 'item_reference', id: 'rs_1' }];
    expect(await ask(items, {})).toEqual(refusalBody("Item with id 'rs_1' not found.", { status: 404 }));
  });

  const held = (reply: number, place: number) =>
    `wire: reply ${reply} held ${itemAt(place).type} '${idAt(place)}'`;
  it.each([
    ['a missing call and output', withoutItems(6, 8), `${held(2, 6)}, which is missing`],
    [
      'swapped calls',
      input.with(5, itemAt(6)).with(6, itemAt(5)),
      `${held(2, 5)} as item 2, and the call '${callIdAt(6)}' stands there`,
    ],
    [
      'another name in a call',
      withChanges(2, { name: 'note' }),
      `${held(1, 2)} as item 2, and its name is note`,
    ],
    [
      'other arguments',
      withChanges(2, { arguments: '{}' }),
      `${held(1, 2)} as item 2, and its arguments are {}`,
    ],
    [
      'another summary',
      withChanges(4, { summary: [] }),
      `${held(2, 4)} as item 1, and its summary is another`,
    ],
    [
      'another text',
      withChanges(15, { content: 'Other.' }),
      `${held(4, 15)} as item 2, and its text is another`,
    ],
    [
      'a text without its phase',
      withChanges(15, { phase: undefined }),
      `${held(4, 15)} as item 2, of the phase commentary, not undefined`,
    ],
    ['a missing reply', withoutItems(4, 5, 6, 7, 8), 'wire: reply 3 came back where reply 2 was given'],
    [
      'an answer at its end',
      input.slice(0, secondQuestion),
      'wire: the input ends with an answer, and nothing was asked after it',
    ],
  ])('refuses a history with %s, which a provider may accept', async (_name, items, words) => {
    expect(await ask(items)).toEqual(refusalBody(words));
  });

  it('accepts a cache key of at most 64 characters', async () => {
    const keyed = (key: unknown) => ask(input, { ...encrypted, prompt_cache_key: key });
    expect(await keyed('a'.repeat(64))).toEqual(await ask(input));
    expect(await keyed('a'.repeat(65))).toEqual(
      refusalBody(
        "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with " +
          'length 65 instead.',
      ),
    );
    expect(await keyed(7)).toEqual(refusalBody("Invalid type for 'prompt_cache_key': expected a string."));
  });

  it('returns the same reply for the same request', async () => {
    expect(await ask(input)).toEqual(await ask(input));
  });

  it('replies with text if it must not call tools', async () => {
    const answer = { output: [{ type: 'reasoning' }, { content: [{ text: 'The first answer.' }] }] };
    expect(await ask(input.slice(0, 4), { ...encrypted, tool_choice: 'none' })).toMatchObject({
      body: answer,
    });
  });
});
