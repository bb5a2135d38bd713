import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../../src/model/entry.ts';
import { ask, createChoiceDelta, createStreamResponse, toSseText } from './fake-server.ts';

const createCallFragment = (fields: object, fn: object = {}) => ({ ...fields, function: fn });
const createCallDelta = (...fragments: readonly object[]) => createChoiceDelta({ tool_calls: fragments });
const end = createChoiceDelta({}, 'tool_calls');

describe('a recorded stream', () => {
  const recorded = toSseText(
    { ...createChoiceDelta({ role: 'assistant', content: 'Grüße 🌊' }), usage: null },
    createChoiceDelta({ content: ' 世界\r\n' }),
    createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{"ö' })),
    createCallDelta(
      createCallFragment({ index: 1, id: 'b' }, { name: 'g', arguments: '{}' }),
      createCallFragment({ index: 0 }, { arguments: '":"🐙"}' }),
    ),
    end,
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
    '[DONE]',
  );
  const reply: ModelReply = {
    text: 'Grüße 🌊 世界\r\n',
    toolCalls: [
      { id: 'a', name: 'f', input: '{"ö":"🐙"}' },
      { id: 'b', name: 'g', input: '{}' },
    ],
    finish: 'tool-calls',
    usage: { inputTokens: 3, outputTokens: 4 },
  };
  const variants = {
    LF: recorded,
    CRLF: recorded.replaceAll('\n', '\r\n'),
    CR: recorded.replaceAll('\n', '\r'),
  };
  const sliceBytes = (bytes: Uint8Array, positions: readonly number[]) =>
    [0, ...positions].map((from, i) => bytes.slice(from, positions[i]));
  const askInChunks = async (chunks: readonly Uint8Array[]) => {
    const { pieces, ...outcome } = await ask(() => createStreamResponse(chunks), {
      stream: true,
      retries: 0,
    });
    expect(outcome).toMatchObject({ reply });
    expect(pieces.join('')).toBe(reply.text);
  };

  it.each(Object.entries(variants))(
    'leads to the same reply with %s, if it is cut at any position or into chunks of 1 or 7 bytes',
    async (_, text) => {
      const bytes = new TextEncoder().encode(text);
      for (let position = 0; position <= bytes.length; position += 1)
        await askInChunks(sliceBytes(bytes, [position]));
      for (const size of [1, 7]) {
        await askInChunks(
          sliceBytes(
            bytes,
            Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => (i + 1) * size),
          ),
        );
      }
    },
  );

  it('leads to the same reply if it is cut into pieces of any size', async () => {
    const bytes = new TextEncoder().encode(recorded);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length })), (positions) =>
        askInChunks(
          sliceBytes(
            bytes,
            [...positions].sort((x, y) => x - y),
          ),
        ),
      ),
      { seed: 20_261_117, numRuns: 100 },
    );
  });
});
