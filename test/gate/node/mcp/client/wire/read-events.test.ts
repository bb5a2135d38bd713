import { describe, expect, it } from 'vitest';
import { type EventOrRetry, ResponseTooLargeError, readEvents, WireError } from '../../../../../doors/mcp.ts';

/** The events of a stream that arrives in these pieces, and the error that ended it, if any. */
async function collectEvents(pieces: readonly string[], broken?: Error) {
  const events: EventOrRetry[] = [];
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = rest.shift();
      if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
      else if (broken) controller.error(broken);
      else controller.close();
    },
  });
  try {
    for await (const event of readEvents(body)) events.push(event);
  } catch (error) {
    return { events, error: error instanceof WireError ? `${error.name}: ${error.phrase}` : error };
  }
  return { events };
}

const createMessageEvent = (data: string) => ({ id: undefined, type: 'message', data });

describe('the events of a stream', () => {
  it.each([
    ['LF', ['data: a\ndata: b\n\ndata: c\n\n']],
    ['CR', ['data: a\rdata: b\r\rdata: c\r\r']],
    ['CRLF', ['data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n']],
    ['CRLF, split between two pieces', ['data: a\r', '\ndata: b\r', '\n\r', '\n', 'data: c\r\n\r\n']],
    ['any mix of these', ['data: a\rdata: b\n\r', '\ndata: c\n', '\r']],
  ])('can have lines that end with %s', async (_, pieces) => {
    expect(await collectEvents(pieces)).toEqual({
      events: [createMessageEvent('a\nb'), createMessageEvent('c')],
    });
  });

  it('are found quickly among two million lines that end with CR', async () => {
    const began = performance.now();
    const { events } = await collectEvents([
      'a:\r'.repeat(1_000_000),
      'a:\r'.repeat(1_000_000),
      'data: a\r\r',
    ]);
    expect(events).toEqual([createMessageEvent('a')]);
    expect(performance.now() - began).toBeLessThan(10_000); // Slow code would take minutes.
  });

  it('have an id, a type and the data of all their lines, without other fields', async () => {
    const { events } = await collectEvents([
      ': hello\nid: 7\nevent: endpoint\ndata:a: b\ndata\ndata:  c\nx: y\n\n',
      'id: 8\0\nevent:\ndata: d\n\nid: 9\n\nretry: 20\nretry: x\n\ndata: not comp',
    ]);
    expect(events).toEqual([
      { id: '7', type: 'endpoint', data: 'a: b\n\n c' },
      createMessageEvent('d'),
      { retry: 20 },
    ]);
  });

  it('are limited to ten thousand, and a further event causes an error', async () => {
    const all = await collectEvents(['data: a\n\n'.repeat(10_000)]);
    expect([all.events.length, all.error]).toEqual([10_000, undefined]);
    const more = await collectEvents(['data: a\n\n'.repeat(9_999), 'retry: 1\n\ndata: a\n\n']);
    expect(more.events).toHaveLength(10_000);
    expect(more.error).toBe('ResponseTooLargeError: it answered with more than 10000 events');
  });
});

describe('an oversized stream', () => {
  const tooLong = new ResponseTooLargeError(7);

  it.each([
    ['data: {"jsonrpc":"2.0","id":1,"result":{"content":[', 'AnswerTooLargeError'],
    ['data:{"result":{"content":[', 'AnswerTooLargeError'],
    ['data: {"jsonrpc":"2.0","method":"notifications/message","params":{', 'ResponseTooLargeError'],
    ['data: {"result":{}}\n\n: nothing', 'ResponseTooLargeError'],
    ['id: 7\ndata: {"result":{"a', 'AnswerTooLargeError'],
  ])('beginning with %j fails with %s', async (text, name) => {
    const { error } = await collectEvents([text.slice(0, 9), text.slice(9)], tooLong);
    expect(error).toBe(`${name}: it answered with more than 7 bytes`);
  });

  it('fails with the original error if it breaks for another reason', async () => {
    const broken = new TypeError('planted');
    expect((await collectEvents(['data: {"result":{"a'], broken)).error).toBe(broken);
  });
});
