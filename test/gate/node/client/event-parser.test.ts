import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../../doors/client.ts';

const parsePieces = (...pieces: string[]) => {
  const parser = new EventParser();
  const events = pieces.flatMap((piece) => parser.feed(piece));
  return { events, id: parser.id, retry: parser.retry };
};

describe('the parser of server-sent events', () => {
  it.each<[string, string[], object]>([
    ['an event in one line', ['data: a\n\n'], { events: [{ type: 'message', data: 'a' }] }],
    [
      'an event with several data lines',
      ['data: a\ndata:\ndata:b\n\n'],
      { events: [{ type: 'message', data: 'a\n\nb' }] },
    ],
    [
      'the type of one event',
      ['event: x\ndata: 1\n\ndata: 2\n\n'],
      {
        events: [
          { type: 'x', data: '1' },
          { type: 'message', data: '2' },
        ],
      },
    ],
    [
      'a value without the first space after the colon',
      ['data:  a\n\n'],
      { events: [{ type: 'message', data: ' a' }] },
    ],
    [
      'CRLF and CR as line ends',
      ['data: a\r\n\r\ndata: b\r\rdata: c\n\r\n'],
      {
        events: ['a', 'b', 'c'].map((data) => ({ type: 'message', data })),
      },
    ],
    [
      'a CRLF that is split across chunks',
      ['data: a\r', '\n\r', '\ndata: b\r', '\n\r\n'],
      {
        events: ['a', 'b'].map((data) => ({ type: 'message', data })),
      },
    ],
    [
      'an event between comments and unknown fields',
      [': hi\nfoo: 1\nbar\ndata: a\n\n'],
      { events: [{ type: 'message', data: 'a' }] },
    ],
    ['a field without a colon as an empty value', ['data\n\n'], { events: [{ type: 'message', data: '' }] }],
    ['no event without data', ['event: x\nid: 1\n\n'], { events: [], id: '1' }],
    ['no incomplete event', ['data: a\n'], { events: [], id: undefined }],
    ['an id that lasts until the next one', ['id: 1\ndata: a\n\ndata: b\n\n'], { id: '1' }],
    ['no id of an incomplete event', ['id: 1\ndata: a\n\nid: 2\ndata: b\n'], { id: '1' }],
    ['no id that contains NUL', ['id: 1\n\nid: 2\0\n\n'], { id: '1' }],
    ['an empty id', ['id: 1\n\nid\n\n'], { id: '' }],
    ['a reconnect delay', ['retry: 250\nretry: 1s\nretry:\n'], { retry: 250 }],
  ])('reads %s', (_, pieces, expected) => {
    expect(parsePieces(...pieces)).toMatchObject(expected);
  });

  const name = fc.constantFrom('data', 'event', 'id', 'retry', 'foo', '', 'dat', 'Data', ' data');
  const value = fc.oneof(
    fc.string({ maxLength: 6, unit: 'binary' }),
    fc.constantFrom('', ' ', ': x', '7', '07', 'ü😀', '\0'),
  );
  const end = fc.constantFrom('\n', '\r', '\r\n');
  const line = fc.tuple(name, fc.constantFrom(':', ': ', ''), value, end).map((parts) => parts.join(''));
  const text = fc
    .array(fc.oneof(line, end, fc.constant('data: x\n')), { maxLength: 30 })
    .map((lines) => lines.join(''));

  /** Returns the result of eventsource-parser for the whole stream. */
  function parseWithReference(whole: string) {
    const events: { type: string; data: string }[] = [];
    let retry: number | undefined;
    const parser = createParser({
      onEvent: ({ event, data }) => events.push({ type: event || 'message', data }),
      onRetry: (ms) => {
        retry = ms;
      },
    });
    parser.feed(whole);
    return { events, retry };
  }

  it('reads every stream as eventsource-parser does, regardless of how it is split into chunks', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 12 }), (stream, cuts) => {
        // eventsource-parser treats a line break at the very end as the first half of a CRLF.
        const whole = `${stream}\n\n: \n`;
        const places = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((place, at) => whole.slice(places[at], place));
        const { events, retry } = parsePieces(...pieces);
        expect({ events, retry }).toEqual(parseWithReference(whole));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['an unfinished line', 'x'],
    ['unfinished data', 'data: x\n'],
    ['many empty data lines', 'data:\n'.repeat(200_000)],
  ])('reads no event from %s', (_, start) => {
    const parser = new EventParser();
    const piece = start.replace('x', 'x'.repeat(1024 * 1024));
    const feedEndlessly = () => {
      for (let fed = 0; fed < 20; fed += 1) parser.feed(piece);
    };
    expect(feedEndlessly).toThrow('A stream event has more than 16777216 characters.');
  });

  it('reads a long event in small pieces in linear time', () => {
    const parser = new EventParser();
    const started = performance.now();
    parser.feed('data: ');
    for (let fed = 0; fed < 200_000; fed += 1) parser.feed('0123456789');
    expect(parser.feed('\n\n')[0]?.data).toHaveLength(2_000_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
