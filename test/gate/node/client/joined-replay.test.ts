/** Tests a message of a chat page whose stream restarts. */
import type { UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { ShownSteps } from '../../../doors/client.ts';

const CALL = { toolCallId: 'c1', toolName: 'add' } as const;

/** A message with two steps, as a Worker streams it from the beginning. */
const MESSAGE: readonly UIMessageChunk[] = [
  { type: 'start', messageId: 't1' },
  { type: 'start-step' },
  { type: 'text-start', id: 'text-0' },
  { type: 'text-delta', id: 'text-0', delta: 'Let me see.' },
  { type: 'text-end', id: 'text-0' },
  { type: 'tool-input-available', ...CALL, input: {} },
  { type: 'tool-output-available', toolCallId: 'c1', output: '3' },
  { type: 'file', url: 'https://files.example/1', mediaType: 'image/png' },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'text-start', id: 'text-0' },
  { type: 'text-delta', id: 'text-0', delta: 'It is ' },
  { type: 'text-delta', id: 'text-0', delta: 'three.' },
  { type: 'text-end', id: 'text-0' },
  { type: 'finish-step' },
  { type: 'finish' },
];

/** Returns the content that a page shows: the text, calls and files of each step. */
function getShownTexts(chunks: readonly UIMessageChunk[]): string[][] {
  const steps: string[][] = [];
  for (const chunk of chunks) {
    const step = steps.at(-1) ?? [];
    if (chunk.type === 'start-step') steps.push([]);
    else if (String(chunk.type) === 'reset-step') step.length = 0;
    else if (chunk.type === 'text-delta') step.push(`${step.pop() ?? ''}${chunk.delta}`);
    else if (chunk.type === 'text-start') step.push('');
    else if (chunk.type === 'tool-input-available' || chunk.type === 'file') step.push(chunk.type);
  }
  return steps;
}

/**
 * Returns the chunks that a page receives if its stream breaks off after `broken` chunks and starts again.
 */
function createReplayAfterBreak(canReset: boolean, broken: number): UIMessageChunk[] {
  const steps = new ShownSteps(canReset);
  const before = MESSAGE.slice(0, broken);
  for (const chunk of before) steps.shown(chunk);
  return [...before, ...MESSAGE.flatMap(steps.replay())];
}

describe.each([
  ['version 7, which can reset a step', true],
  ['version 6, which cannot reset a step', false],
])('a message in %s', (_, canReset) => {
  it.each(MESSAGE.map((_, index) => index))(
    'is complete if its stream broke off after %i chunks',
    (broken) => {
      const chunks = createReplayAfterBreak(canReset, broken);
      expect(getShownTexts(chunks)).toEqual(getShownTexts(MESSAGE));
      expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1);
      expect(chunks.at(-1)).toEqual({ type: 'finish' });
      expect(chunks.some(({ type }) => String(type) === 'reset-step')).toBe(
        canReset && [2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14].includes(broken),
      );
    },
  );

  it('includes the outcome of a call that was open when the stream broke off', () => {
    const steps = new ShownSteps(canReset);
    const [start, ...others] = MESSAGE;
    const asked = others.filter(({ type }) => type !== 'tool-output-available' && type !== 'file');
    for (const chunk of [start, ...asked.slice(0, 6)]) if (chunk) steps.shown(chunk);
    const replayed = MESSAGE.flatMap(steps.replay());
    expect(replayed[0]).toEqual({ type: 'tool-output-available', toolCallId: 'c1', output: '3' });
  });

  it('continues with the rest of its chunks, without a second start', () => {
    const rest = MESSAGE.slice(6);
    const steps = new ShownSteps(canReset);
    const before = rest.slice(0, 6);
    for (const chunk of before) steps.shown(chunk);
    const chunks = [...before, ...rest.flatMap(steps.replay())];
    expect(chunks.filter(({ type }) => type === 'file')).toHaveLength(1);
    expect(getShownTexts(chunks)).toEqual(getShownTexts(rest));
  });
});
