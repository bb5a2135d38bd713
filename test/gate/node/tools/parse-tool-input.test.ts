import { describe, expect, it } from 'vitest';
import { parseToolInput } from '../../../doors/tools.ts';

const createRefusal = (problem: string) => ({
  ok: false,
  message: `The input of tool 'search' ${problem}. Send one JSON object that matches its schema.`,
});

describe('parseToolInput', () => {
  it.each(['', '  ', '\n\t'])('treats blank text as an empty object: %j (TYP-05, SPM-03)', (raw) => {
    expect(parseToolInput('search', raw)).toEqual({ ok: true, input: {} });
  });

  it('reads a JSON object', () => {
    expect(parseToolInput('search', ' {"query":"kelp","top":3} ')).toEqual({
      ok: true,
      input: { query: 'kelp', top: 3 },
    });
  });

  it('treats __proto__ as an ordinary key', () => {
    const parsed = parseToolInput('search', '{"__proto__":{"admin":true}}');
    expect(JSON.stringify(parsed)).toBe('{"ok":true,"input":{"__proto__":{"admin":true}}}');
    expect(Reflect.get(parsed.ok ? parsed.input : {}, 'admin')).toBe(undefined);
  });

  it.each([
    ['```json\n{}\n```', 'it is wrapped in a code fence'],
    ['query: kelp', "it does not begin with '{'"],
    ['{"query":"kel', "it does not end with '}', so it may be cut off"],
    ['{"query":"kelp",}', 'a quote, comma or bracket in it is missing, wrong or not escaped'],
    ["{'query':'kelp'}", 'a quote, comma or bracket in it is missing, wrong or not escaped'],
  ])('refuses malformed JSON with the likely reason: %j (TYP-03)', (raw, reason) => {
    expect(parseToolInput('search', raw)).toEqual(createRefusal(`is not valid JSON: ${reason}`));
  });

  it.each([
    ['null', 'null'],
    ['["kelp"]', 'an array'],
    ['"{}"', 'a string'],
    ['3', 'a number'],
    ['true', 'a boolean'],
  ])('refuses JSON that is not an object: %j is %s', (raw, kind) => {
    expect(parseToolInput('search', raw)).toEqual(createRefusal(`is ${kind}, not a JSON object`));
  });
});
