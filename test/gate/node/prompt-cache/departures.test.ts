import { describe, expect, it } from 'vitest';
import { type Departure, departuresBetween } from '../../../prompt-cache/measure/departures.ts';
import { type BodyForm, type Piece, partsOf } from '../../../prompt-cache/measure/request-parts.ts';
import { BODIES, FORMS, partsIn, pieces, REQUEST_TEXTS, type RequestTexts } from './requests.ts';

const formatDepartures = (form: BodyForm, before: RequestTexts, now: RequestTexts): readonly string[] =>
  departuresBetween(partsIn(form, before), partsIn(form, now)).map(formatDeparture);

const formatDeparture = ({ part, what, at, key }: Departure): string => `${part} ${at} ${what}: ${key}`;

describe.each(FORMS)('two requests in the format %s', (form) => {
  const model = form === 'gemini' ? 'model' : 'assistant';
  const now = (change: Partial<RequestTexts>): readonly string[] =>
    formatDepartures(form, REQUEST_TEXTS, { ...REQUEST_TEXTS, ...change });

  it('have no difference if the second one only adds messages at the end', () => {
    expect(now({})).toEqual([]);
    expect(now({ messages: ['a', 'b', 'c', 'd', 'e'] })).toEqual([]);
    expect(now({ messages: ['a', 'b', 'c', 'b', 'c'] })).toEqual([]);
  });

  it('differ if a tool was added, removed or moved, even at the end', () => {
    expect(now({ tools: ['look', 'save', 'send'] })).toEqual(['tools 2 inserted: send']);
    expect(now({ tools: ['add', 'look', 'save'] })).toEqual(['tools 0 inserted: add']);
    expect(now({ tools: ['look'] })).toEqual(['tools 1 gone: save']);
    expect(now({ tools: ['save', 'look'] })).toEqual(['tools 0 moved: look']);
  });

  it('differ if the system text differs', () => {
    expect(now({ system: 'Be brief!' })).toEqual(['system 0 changed: system']);
  });

  it('differ if an earlier message was changed, removed, moved or inserted', () => {
    expect(now({ messages: ['a', 'B', 'c', 'd'] })).toEqual([`messages 1 changed: ${model}`]);
    expect(now({ messages: ['a', 'b'] })).toEqual(['messages 2 gone: user']);
    expect(now({ messages: ['a', 'b', 'C', 'd'] })).toEqual(['messages 2 changed: user']);
    expect(now({ messages: ['c', 'b', 'a', 'd'] })).toEqual([
      'messages 0 moved: user',
      `messages 1 moved: ${model}`,
    ]);
    expect(now({ messages: ['a', 'b', 'x', 'y', 'c'] })).toEqual([
      'messages 2 inserted: user',
      `messages 3 inserted: ${model}`,
    ]);
  });

  it('have no difference if only fields outside the prompt differ', () => {
    const body = BODIES[form](REQUEST_TEXTS);
    const other = {
      ...body,
      temperature: 0.5,
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      store: false,
    };
    expect(departuresBetween(partsOf(form, body), partsOf(form, other))).toEqual([]);
  });

  it('differ if a single byte differs, such as in a number, a space or the order of keys', () => {
    const tool = (text: string): Piece => ({ key: 'look', text });
    for (const text of ['{"a":1,"b":20}', '{"a":1, "b":2}', '{"b":2,"a":1}']) {
      const [before, after] = ['{"a":1,"b":2}', text].map((one) => ({
        tools: [tool(one)],
        system: [],
        messages: [],
      }));
      expect(before && after && departuresBetween(before, after).map(formatDeparture)).toEqual([
        'tools 0 changed: look',
      ]);
    }
  });
});

describe('several differences', () => {
  const none = { tools: [], system: [], messages: [] };
  const inTools = (before: readonly string[], now: readonly string[]): readonly string[] =>
    departuresBetween({ ...none, tools: pieces(...before) }, { ...none, tools: pieces(...now) }).map(
      formatDeparture,
    );

  it('are reported once each, and a tool with the same name counts as changed at any position', () => {
    expect(inTools(['a', 'files=shut', 'b', 'c'], ['a', 'b', 'c=new', 'files=open', 'read'])).toEqual([
      'tools 1 changed: files',
      'tools 3 changed: c',
      'tools 4 inserted: read',
    ]);
  });

  it('include all parts if the second request is empty', () => {
    expect(inTools(['a', 'b'], [])).toEqual(['tools 0 gone: a', 'tools 1 gone: b']);
    expect(inTools([], ['a'])).toEqual(['tools 0 inserted: a']);
  });

  it('are a change of the first summarized message and removals of the others', () => {
    const before = { ...none, messages: pieces('user=1', 'assistant=2', 'user=3', 'assistant=4', 'user=5') };
    const now = { ...none, messages: pieces('user=summary', 'user=5', 'assistant=6') };
    expect(departuresBetween(before, now).map(formatDeparture)).toEqual([
      'messages 0 changed: user',
      'messages 1 gone: assistant',
      'messages 2 gone: user',
      'messages 3 gone: assistant',
    ]);
  });
});
