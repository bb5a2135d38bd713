import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDataParser } from '../../../doors/model.ts';

const parseData = (...pieces: readonly string[]): readonly string[] => {
  const data: string[] = [];
  const feed = createDataParser((one) => data.push(one));
  for (const piece of pieces) feed(piece);
  return data;
};

/** Returns the result of eventsource-parser for the whole stream. */
const parseByReference = (whole: string): readonly string[] => {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(whole);
  return data;
};

describe('the SSE data parser', () => {
  it.each<[string, string[], string[]]>([
    ['an event in one line', ['data: a\n\n'], ['a']],
    ['an event with several data lines', ['data: a\ndata:\ndata:  b\n\n'], ['a\n\n b']],
    ['every kind of line end', ['data: a\r\n\r\ndata: b\r\rdata: c\n\r\n'], ['a', 'b', 'c']],
    [
      'a line end that is split across chunks',
      ['data: a\r', '\n\r', '\ndata: b\r', '', '\n\r\n'],
      ['a', 'b'],
    ],
    [
      'an event between comments and other fields',
      [': hi\nevent: x\nid: 1\nfoo\n data: z\ndata: a\n\n'],
      ['a'],
    ],
    ['no incomplete event', ['data: a\n', 'data: b'], []],
  ])('reads %s', (_, pieces, expected) => {
    expect(parseData(...pieces)).toEqual(expected);
  });

  it('reads every stream as eventsource-parser does, regardless of how it is split into chunks', () => {
    const words = ['data:', 'data: ', 'event: x', 'id: 1', ': ', 'x', ' ', '\n', '\r', '\r\n', '\n\n'];
    const stream = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((some) => some.join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(100), { maxLength: 8 }), (text, cuts) => {
        // eventsource-parser treats a line break at the very end as the first half of a CRLF.
        const whole = `${text}\n\n: \n`;
        const places = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((place, at) => whole.slice(places[at], place));
        expect(parseData(...pieces)).toEqual(parseByReference(whole));
      }),
      { seed: 20_261_124, numRuns: 2000 },
    );
  });
});
