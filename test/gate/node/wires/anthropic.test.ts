import { anthropic, createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { createAnthropicWire } from '../../../wires/anthropic.ts';
import { playNextTurn, playTurn, rehearsalScript, rehearsalTools } from '../../../wires/rehearsal.ts';
import { createFetch } from '../../../wires/wire.ts';

const thinkingSettings = {
  budget: { type: 'enabled' as const, budgetTokens: 2000 },
  adaptive: { type: 'adaptive' as const },
};

const runCases = [true, false].flatMap((stream) =>
  [true, false].flatMap((preserved) => [
    { stream, preserved, kind: 'budget' as const, search: false },
    { stream, preserved, kind: 'adaptive' as const, search: true },
  ]),
);
const caseTitle = '(stream $stream, preserved $preserved, thinking $kind, search $search)';

describe('the strict Anthropic server', () => {
  it.each(runCases)(
    `accepts everything that the AI SDK sends back ${caseTitle}`,
    async ({ stream, preserved, kind, search }) => {
      const wire = createAnthropicWire({ script: rehearsalScript, preserved });
      const model = createAnthropic({ apiKey: 'key', fetch: createFetch(wire) })(
        kind === 'budget' ? 'claude-sonnet-4-5' : 'claude-opus-5',
      );
      const tools = search
        ? { ...rehearsalTools, web_search: anthropic.tools.webSearch_20250305({}) }
        : rehearsalTools;
      const rehearsal = {
        model,
        stream,
        tools,
        providerOptions: { anthropic: { thinking: thinkingSettings[kind] } },
      };
      const first = await playTurn(rehearsal, [], 'Begin.');
      const second = await playTurn(rehearsal, first, 'Go on.');
      expect(wire.refused).toEqual([]);
      expect(wire.requests).toHaveLength(15);
      expect(second.at(-1)).toMatchObject({ role: 'assistant' });
    },
  );

  it.each([true, false])(
    'accepts the rest of a paused turn in another request (stream: %s)',
    async (stream) => {
      const wire = createAnthropicWire({
        script: rehearsalScript,
        preserved: true,
        variants: ['interleaved', 'server-tools', 'pauses'],
      });
      const model = createAnthropic({ apiKey: 'key', fetch: createFetch(wire) })('claude-opus-5');
      const tools = { ...rehearsalTools, web_search: anthropic.tools.webSearch_20250305({}) };
      const rehearsal = {
        model,
        stream,
        tools,
        providerOptions: { anthropic: { thinking: thinkingSettings.adaptive } },
      };
      // The SDK ends a turn at a pause. The next request has the same messages, without a user message.
      let messages = await playTurn(rehearsal, [], 'Begin.');
      for (let pause = 0; pause < 3; pause += 1) messages = await playNextTurn(rehearsal, messages);
      messages = await playNextTurn(rehearsal, await playTurn(rehearsal, messages, 'Go on.'));
      expect(wire.requests).toHaveLength(19);
      expect(wire.refused).toEqual([]);
    },
  );
});
