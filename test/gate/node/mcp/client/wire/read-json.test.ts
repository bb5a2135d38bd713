import { describe, expect, it } from 'vitest';
import { beginsAnswer, readJson } from '../../../../../doors/mcp.ts';

const tooMany = 'it answered with more than 200000 parts of JSON';
const phrase = (text: string) => {
  try {
    return readJson(text);
  } catch (error) {
    return error instanceof Error && 'phrase' in error ? error.phrase : error;
  }
};

describe('the JSON of a server', () => {
  it('is undefined when it is none', () => {
    expect([readJson('{"a"'), readJson(''), readJson('[1,]')]).toEqual([undefined, undefined, undefined]);
  });

  it('may have two hundred thousand parts, and not one more', () => {
    expect(phrase(`[${'1,'.repeat(199_998)}1]`)).toHaveLength(199_999);
    expect(phrase(`[${'1,'.repeat(200_000)}1]`)).toBe(tooMany);
  });

  it.each(['{', '[', '{},', '{"":[]},', '[[],{"a":1}],'])('is not parsed when it is made of %s', (part) => {
    expect(phrase(part.repeat(200_001))).toBe(tooMany);
  });

  it('may hold as much text as there is room for', () => {
    const text = '{[,:"\\'.repeat(200_001);
    expect(readJson(JSON.stringify([text, `${text}\\`, 7]))).toEqual([text, `${text}\\`, 7]);
    expect(phrase(`["${'\\'.repeat(300_000)}", ${'{},'.repeat(200_001)}`)).toBe(tooMany);
    expect(phrase(`["${'{},'.repeat(200_001)}`)).toBeUndefined();
  });

  it.each(['{', '"', '\\"', '"\\', '\\'])('takes no time to be refused: %s', (part) => {
    const began = performance.now();
    phrase(part.repeat(2_000_000));
    expect(performance.now() - began).toBeLessThan(10_000); // it would be minutes
  });
});

describe('an answer that is too long', () => {
  it.each([
    ['{"result":{"content":[{"type":', true],
    ['{"jsonrpc":"2.0","id":1,"result":{"con', true],
    [' { "id" : "a-7" , "jsonrpc": "2.0", "result" : {', true],
    ['{"jsonrpc":"2.0","method":"x","params":{"result":1', false],
    ['{"method":"notifications/message","params":{"data":"\\"result\\":', false],
    ['{"jsonrpc":"2.0","id":1,"error":{"message":"', false],
    ['{"jsonrpc":{"result":1},', false],
    ['', false],
  ])('%s begins one: %s', (text, isOne) => {
    expect(beginsAnswer(text)).toBe(isOne);
  });
});
