import { anthropic, createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { createAnthropicWire } from '../../../wires/anthropic.ts';
import { playTurn, rehearsalScript, rehearsalTools } from '../../../wires/rehearsal.ts';
import { fetchOf } from '../../../wires/wire.ts';

const thinking = {
  budget: { type: 'enabled' as const, budgetTokens: 2000 },
  adaptive: { type: 'adaptive' as const },
};

const runs = [true, false].flatMap((stream) =>
  [true, false].flatMap((preserved) =>
    (['budget', 'adaptive'] as const).flatMap((kind) =>
      [true, false].map((search) => ({ stream, preserved, kind, search })),
    ),
  ),
);

describe('the wire of Anthropic', () => {
  it.each(runs)('refuses nothing that the AI SDK keeps (%o)', async ({ stream, preserved, kind, search }) => {
    const wire = createAnthropicWire({ script: rehearsalScript, preserved });
    const model = createAnthropic({ apiKey: 'key', fetch: fetchOf(wire) })(
      kind === 'budget' ? 'claude-sonnet-4-5' : 'claude-opus-5',
    );
    const tools = search
      ? { ...rehearsalTools, web_search: anthropic.tools.webSearch_20250305({}) }
      : rehearsalTools;
    const rehearsal = { model, stream, tools, providerOptions: { anthropic: { thinking: thinking[kind] } } };
    const first = await playTurn(rehearsal, [], 'Begin.');
    const second = await playTurn(rehearsal, first, 'Go on.');
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(15);
    expect(second.at(-1)).toMatchObject({ role: 'assistant' });
  });
});
