import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import { FOLDING } from '../../../doors/journal.ts';
import { runBare } from './bare-loop.ts';

const createNamedTool = (name: string, run = (): string => name) =>
  defineTool({ name, description: 'Does.', effect: 'read', run });

/** A minimal kind of tool: a successful call unlocks the tool `inner`. */
const unlockedMemory: ToolMemory<boolean, boolean> = {
  folding: FOLDING,
  name: 'unlocked',
  initial: false,
  observe: (value, moment) => value || (moment.type === 'call-ended' && moment.result.type !== 'error'),
};
const inner = createNamedTool('inner');
const unlockStrategy: InjectionStrategy = {
  name: 'unlock',
  offer: (tools, view) => (view.recall(unlockedMemory) ? [inner, ...tools] : tools),
};

describe('the strategy of a kind of tool', () => {
  it('offers the tools in its memory with the next model call, after other tools (TOOL-21)', async () => {
    const { offered, end } = await runBare({
      tools: [createNamedTool('open'), createNamedTool('alpha')],
      memories: [unlockedMemory],
      strategies: [unlockStrategy],
      replies: [{ calls: [{ name: 'open' }] }, { calls: [{ name: 'inner' }] }, 'Done.'],
    });
    expect(offered).toEqual([
      ['alpha', 'open'],
      ['alpha', 'open', 'inner'],
      ['alpha', 'open', 'inner'],
    ]);
    expect(end).toMatchObject({ outcome: 'completed' });
  });

  it('offers no new tools within the batch', async () => {
    const { model } = await runBare({
      tools: [createNamedTool('open')],
      memories: [unlockedMemory],
      strategies: [unlockStrategy],
      replies: [{ calls: [{ name: 'open' }, { name: 'inner' }] }, 'Done.'],
    });
    const texts = model.requests[1]?.messages.flatMap((message) =>
      message.role === 'tool' ? [message.text] : [],
    );
    expect(texts?.[0]).toBe('open');
    expect(texts?.[1]).toMatch(/^Error: Tool 'inner' does not exist\./);
  });

  it('receives the tools of the previous strategy', async () => {
    const hide: InjectionStrategy = {
      name: 'hide',
      offer: (tools) => tools.filter(({ name }) => name !== 'open'),
    };
    const always: InjectionStrategy = { name: 'always', offer: (tools) => [...tools, inner] };
    const { offered } = await runBare({
      tools: [createNamedTool('open')],
      strategies: [always, hide],
      replies: ['Done.'],
    });
    expect(offered).toEqual([['inner']]);
  });
});
