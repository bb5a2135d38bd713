import { describe, expect, it } from 'vitest';
import { type Departure, findDepartures } from '../../../prompt-cache/measure/departures.ts';
import { type BodyForm, type Piece, parseParts } from '../../../prompt-cache/measure/request-parts.ts';
import {
  BODY_FACTORIES,
  BODY_FORMS,
  createParts,
  createPieces,
  REQUEST_TEXTS,
  type RequestTexts,
} from './requests.ts';

const formatDepartures = (form: BodyForm, before: RequestTexts, now: RequestTexts): readonly string[] =>
  findDepartures(createParts(form, before), createParts(form, now)).map(formatDeparture);

const formatDeparture = ({ part, what, at, key }: Departure): string => `${part} ${at} ${what}: ${key}`;

describe.each(BODY_FORMS)('two requests in the format %s', (form) => {
  const model = form === 'gemini' ? 'model' : 'assistant';
  const formatAfterChange = (change: Partial<RequestTexts>): readonly string[] =>
    formatDepartures(form, REQUEST_TEXTS, { ...REQUEST_TEXTS, ...change });

  it('have no difference if the second one only adds messages at the end', () => {
    expect(formatAfterChange({})).toEqual([]);
    expect(formatAfterChange({ messages: ['a', 'b', 'c', 'd', 'e'] })).toEqual([]);
    expect(formatAfterChange({ messages: ['a', 'b', 'c', 'b', 'c'] })).toEqual([]);
  });

  it('differ if a tool was added, removed or moved, even at the end', () => {
    expect(formatAfterChange({ tools: ['look', 'save', 'send'] })).toEqual(['tools 2 inserted: send']);
    expect(formatAfterChange({ tools: ['add', 'look', 'save'] })).toEqual(['tools 0 inserted: add']);
    expect(formatAfterChange({ tools: ['look'] })).toEqual(['tools 1 gone: save']);
    expect(formatAfterChange({ tools: ['save', 'look'] })).toEqual(['tools 0 moved: look']);
  });

  it('differ if the system text differs', () => {
    expect(formatAfterChange({ system: 'Be brief!' })).toEqual(['system 0 changed: system']);
  });

  it('differ if an earlier message was changed, removed, moved or inserted', () => {
    expect(formatAfterChange({ messages: ['a', 'B', 'c', 'd'] })).toEqual([`messages 1 changed: ${model}`]);
    expect(formatAfterChange({ messages: ['a', 'b'] })).toEqual(['messages 2 gone: user']);
    expect(formatAfterChange({ messages: ['a', 'b', 'C', 'd'] })).toEqual(['messages 2 changed: user']);
    expect(formatAfterChange({ messages: ['c', 'b', 'a', 'd'] })).toEqual([
      'messages 0 moved: user',
      `messages 1 moved: ${model}`,
    ]);
    expect(formatAfterChange({ messages: ['a', 'b', 'x', 'y', 'c'] })).toEqual([
      'messages 2 inserted: user',
      `messages 3 inserted: ${model}`,
    ]);
  });

  it('have no difference if only fields outside the prompt differ', () => {
    const body = BODY_FACTORIES[form](REQUEST_TEXTS);
    const other = {
      ...body,
      temperature: 0.5,
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      store: false,
    };
    expect(findDepartures(parseParts(form, body), parseParts(form, other))).toEqual([]);
  });

  it('differ if a single byte differs, such as in a number, a space or the order of keys', () => {
    const createToolPiece = (text: string): Piece => ({ key: 'look', text });
    for (const text of ['{"a":1,"b":20}', '{"a":1, "b":2}', '{"b":2,"a":1}']) {
      const [before, after] = ['{"a":1,"b":2}', text].map((one) => ({
        tools: [createToolPiece(one)],
        system: [],
        messages: [],
      }));
      expect(before && after && findDepartures(before, after).map(formatDeparture)).toEqual([
        'tools 0 changed: look',
      ]);
    }
  });
});

describe('several differences', () => {
  const none = { tools: [], system: [], messages: [] };
  const formatToolDepartures = (before: readonly string[], now: readonly string[]): readonly string[] =>
    findDepartures({ ...none, tools: createPieces(...before) }, { ...none, tools: createPieces(...now) }).map(
      formatDeparture,
    );

  it('are reported once each, and a moved tool with a known name counts as changed', () => {
    expect(
      formatToolDepartures(['a', 'files=shut', 'b', 'c'], ['a', 'b', 'c=new', 'files=open', 'read']),
    ).toEqual(['tools 1 changed: files', 'tools 3 changed: c', 'tools 4 inserted: read']);
  });

  it('are reported for every part if one of the requests is empty', () => {
    expect(formatToolDepartures(['a', 'b'], [])).toEqual(['tools 0 gone: a', 'tools 1 gone: b']);
    expect(formatToolDepartures([], ['a'])).toEqual(['tools 0 inserted: a']);
  });

  it('are reported as a change of the first summarized message and removals of the others', () => {
    const before = {
      ...none,
      messages: createPieces('user=1', 'assistant=2', 'user=3', 'assistant=4', 'user=5'),
    };
    const now = { ...none, messages: createPieces('user=summary', 'user=5', 'assistant=6') };
    expect(findDepartures(before, now).map(formatDeparture)).toEqual([
      'messages 0 changed: user',
      'messages 1 gone: assistant',
      'messages 2 gone: user',
      'messages 3 gone: assistant',
    ]);
  });
});
