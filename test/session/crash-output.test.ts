/** Every moment of a turn whose first answer is rejected, and what may befall it there. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../src/model/chat-model.ts';
import { type Aftermath, runDisturbed, type Scenario } from './crash-lab.ts';
import type { Disturbance } from './disturbed-line.ts';

/** Answers what it was not asked for, and then `corrected`; by the conversation, so that an ask repeated is answered the same. */
const scenario = (corrected: string): Scenario => {
  const model: ChatModel = {
    name: 'script',
    async ask({ messages }) {
      const last = messages.at(-1)?.text ?? '';
      const text = last === 'Go.' ? 'Seven.' : corrected;
      return { text, toolCalls: [], finish: 'stop' };
    },
  };
  return { model, tools: () => [], output: v.object({ total: v.number() }) };
};

const storyOf = ({ events }: Aftermath): unknown[] =>
  events.flatMap(({ event }) => {
    if (event.type === 'turn-resumed' || event.type === 'session-opened') return [];
    if (event.type === 'model-replied') return [event.text];
    if (event.type === 'turn-ended') return [event.outcome, event.error?.type ?? event.object];
    return [event.type];
  });

describe('a turn whose answer is rejected, disturbed at any moment', { timeout: 30_000 }, () => {
  it.each<[string, readonly unknown[]]>([
    ['{"total":7}', ['completed', { total: 7 }]],
    ['Eight.', ['failed', 'invalid-output']],
  ])('rejects one answer and ends by the next: %s', async (corrected, end) => {
    const story = ['turn-started', 'Seven.', 'answer-rejected', corrected, ...end];
    const undisturbed = await runDisturbed(scenario(corrected), []);
    expect(storyOf(undisturbed)).toEqual(story);
    const modes = ['rejects', 'hangs', 'late', 'zombie', 'lost-answer', 'restart'] as const;
    const moments = modes.flatMap((mode) =>
      Array.from({ length: undisturbed.positions }, (_, at): Disturbance => ({ at, mode })),
    );
    expect(moments.length).toBeGreaterThan(20);
    await Promise.all(
      moments.map(async (moment) => {
        const aftermath = await runDisturbed(scenario(corrected), [moment]);
        expect(storyOf(aftermath), JSON.stringify(moment)).toEqual(story);
        expect(aftermath.shown).toEqual(undisturbed.shown);
      }),
    );
  });
});
