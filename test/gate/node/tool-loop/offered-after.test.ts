import { describe, expect, it } from 'vitest';
import { type AnyTool, text } from '../../../../src/index.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import { FOLDING } from '../../../doors/journal.ts';
import { runBare } from './bare-loop.ts';
import { callTools, createReadingTool, getShownResults } from './scenes.ts';

/** A memory of words. Its strategy offers a tool for each word. */
const words: ToolMemory<readonly string[], string> = {
  folding: FOLDING,
  name: 'words',
  initial: [],
  apply: (value, word) => [...value, word],
};
const numbers: ToolMemory<readonly number[], number> = {
  folding: FOLDING,
  name: 'numbers',
  initial: [],
  apply: (value, number) => [...value, number],
};
const createSayingTool = (name: string, records: boolean): AnyTool => ({
  ...createReadingTool(name),
  effect: 'none',
  serial: 'words',
  async call(_, call) {
    const after = call.offeredAfter(words, name).map((tool) => tool.name);
    if (records) call.record(words, name);
    return text(after.join(', '));
  },
});

describe('a call that asks which tools will be offered after it', () => {
  it('receives the tools at the start of its batch, and those that earlier calls with its serial key recorded', async () => {
    const { model, offered } = await runBare({
      tools: [createSayingTool('a', true), createSayingTool('b', false), createSayingTool('c', true)],
      memories: [words],
      strategies: [
        {
          name: 'words',
          offer: (tools, view) => [
            ...tools,
            ...view.recall(words).map((word) => createReadingTool(`${word}_1`)),
          ],
        },
      ],
      replies: [callTools('a', 'b', 'c'), 'Done.'],
    });
    expect(getShownResults(model.requests[1])).toEqual([
      'a, b, c, a_1',
      'a, b, c, a_1, b_1',
      'a, b, c, a_1, c_1',
    ]);
    expect(offered[1]).toEqual(['a', 'b', 'c', 'a_1', 'c_1']);
  });

  it('receives the tools that it has recorded itself, in order, and the request stores no facts', async () => {
    const asking: AnyTool = {
      ...createReadingTool('ask'),
      effect: 'none',
      async call(_, call) {
        const listOfferedAfter = (word: string): string =>
          call
            .offeredAfter(words, word)
            .map((tool) => tool.name)
            .join(', ');
        const said = [listOfferedAfter('a')];
        call.record(words, 'b');
        call.record(numbers, 7);
        said.push(listOfferedAfter('a'), listOfferedAfter('c'), call.view.recall(words).join(', '));
        return text(said.join('; '));
      },
    };
    const { model, offered } = await runBare({
      tools: [asking],
      memories: [words, numbers],
      strategies: [
        {
          name: 'both',
          offer: (tools, view) => [
            ...tools,
            ...view.recall(words).map((word) => createReadingTool(`${word}_1`)),
            ...view.recall(numbers).map((number) => createReadingTool(`n${number}`)),
          ],
        },
      ],
      replies: [callTools('ask'), 'Done.'],
    });
    expect(getShownResults(model.requests[1])).toEqual(['ask, a_1; ask, b_1, a_1, n7; ask, b_1, c_1, n7; ']);
    expect(offered[1]).toEqual(['ask', 'b_1', 'n7']);
  });
});
