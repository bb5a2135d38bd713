import { createGoogle } from '@ai-sdk/google';
import { describe, expect, it } from 'vitest';
import { createGeminiWire } from '../../../wires/gemini.ts';
import { playTurn, rehearsalScript } from '../../../wires/rehearsal.ts';
import { createFetch } from '../../../wires/wire.ts';

const runCases = [true, false].flatMap((stream) =>
  [true, false].flatMap((includeThoughts) => [true, false].map((ids) => ({ stream, includeThoughts, ids }))),
);

describe('the strict server of Gemini', () => {
  it.each(runCases)(
    'accepts everything that the AI SDK sends back (%o)',
    async ({ stream, includeThoughts, ids }) => {
      const wire = createGeminiWire({
        script: rehearsalScript,
        ...(!ids && { variants: ['signed-thoughts', 'signed-end'] }),
      });
      const model = createGoogle({ apiKey: 'key', fetch: createFetch(wire) })('gemini-3-pro-preview');
      const providerOptions = { google: { thinkingConfig: { includeThoughts } } };
      const rehearsal = { model, stream, providerOptions };
      const first = await playTurn(rehearsal, [], 'Begin.');
      const second = await playTurn(rehearsal, first, 'Go on.');
      expect(wire.refused).toEqual([]);
      expect(wire.requests).toHaveLength(15);
      expect(second.at(-1)).toMatchObject({ role: 'assistant' });
    },
  );
});
