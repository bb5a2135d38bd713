import { describe, expect, it } from 'vitest';
import { isAnswerStart, readJson } from '../../../../../doors/mcp.ts';

const tooMany = 'it answered with more than 200000 parts of JSON';
const getPhrase = (text: string) => {
  try {
    return readJson(text);
  } catch (error) {
    return error instanceof Error && 'phrase' in error ? error.phrase : error;
  }
};

describe('the JSON of a server', () => {
  it('is undefined if it is invalid', () => {
    expect([readJson('{"a"'), readJson(''), readJson('[1,]')]).toEqual([undefined, undefined, undefined]);
  });

  it('can have at most two hundred thousand values', () => {
    expect(getPhrase(`[${'1,'.repeat(199_998)}1]`)).toHaveLength(199_999);
    expect(getPhrase(`[${'1,'.repeat(200_000)}1]`)).toBe(tooMany);
  });

  it.each(['{', '[', '{},', '{"":[]},', '[[],{"a":1}],'])('is refused if it repeats %s too often', (part) => {
    expect(getPhrase(part.repeat(200_001))).toBe(tooMany);
  });

  it('can contain as much text as the size limit allows', () => {
    const text = '{[,:"\\'.repeat(200_001);
    expect(readJson(JSON.stringify([text, `${text}\\`, 7]))).toEqual([text, `${text}\\`, 7]);
    expect(getPhrase(`["${'\\'.repeat(300_000)}", ${'{},'.repeat(200_001)}`)).toBe(tooMany);
    expect(getPhrase(`["${'{},'.repeat(200_001)}`)).toBeUndefined();
  });

  it.each(['{', '"', '\\"', '"\\', '\\'])('is checked quickly if it consists of many %s', (part) => {
    const began = performance.now();
    getPhrase(part.repeat(2_000_000));
    expect(performance.now() - began).toBeLessThan(10_000); // Slow code would take minutes.
  });
});

describe('the beginning of an oversized message', () => {
  it.each([
    ['{"result":{"content":[{"type":', true],
    ['{"jsonrpc":"2.0","id":1,"result":{"con', true],
    [' { "id" : "a-7" , "jsonrpc": "2.0", "result" : {', true],
    ['{"jsonrpc":"2.0","method":"x","params":{"result":1', false],
    ['{"method":"notifications/message","params":{"data":"\\"result\\":', false],
    ['{"jsonrpc":"2.0","id":1,"error":{"message":"', false],
    ['{"jsonrpc":{"result":1},', false],
    ['', false],
  ])('%j is recognized as a response: %s', (text, isOne) => {
    expect(isAnswerStart(text)).toBe(isOne);
  });
});
