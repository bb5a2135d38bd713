import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { runBare } from './bare-loop.ts';

const tool = (name: string, description = `Does ${name}.`) =>
  defineTool({ name, description, effect: 'read', run: () => description });

describe('the tools that a model is offered', () => {
  it('are sorted by name, whatever their order was, as code units and not by locale (TOOL-21)', async () => {
    const { offered } = await runBare({
      tools: [tool('b'), tool('a_b'), tool('Z'), tool('a'), tool('a-b'), tool('a1')],
      replies: ['Done.'],
    });
    expect(offered).toEqual([['Z', 'a', 'a-b', 'a1', 'a_b', 'b']]);
  });

  it('are one of each name, the first, when strategies add more; and that one is called (TOOL-21, AEV-05)', async () => {
    const again: InjectionStrategy = {
      name: 'again',
      offer: (tools) => [...tools, tool('look', 'The second.'), tool('new'), tool('new', 'The second.')],
    };
    const { model } = await runBare({
      tools: [tool('look', 'The first.')],
      strategies: [again],
      replies: [{ calls: [{ name: 'look' }, { name: 'new' }] }, 'Done.'],
    });
    expect(model.requests[0]?.tools.map(({ name, description }) => [name, description])).toEqual([
      ['look', 'The first.'],
      ['new', 'Does new.'],
    ]);
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { text: 'The first.' },
      { text: 'Does new.' },
    ]);
  });

  it('are not the tools inside of them: those are for whoever lists them (TOOL-20)', async () => {
    const facade = decorate(tool('facade'), { inner: [tool('inside')] });
    const { offered } = await runBare({ tools: [facade], replies: ['Done.'] });
    expect(offered).toEqual([['facade']]);
  });
});
