import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import { decorate } from '../../../../src/modules/decorators/entry.ts';
import { runBare } from './bare-loop.ts';

const createNamedTool = (name: string, description = `Does ${name}.`) =>
  defineTool({ name, description, effect: 'read', run: () => description });

describe('the offered tools', () => {
  it('are sorted by code units of their names, regardless of locale and original order (TOOL-21)', async () => {
    const { offered } = await runBare({
      tools: [
        createNamedTool('b'),
        createNamedTool('a_b'),
        createNamedTool('Z'),
        createNamedTool('a'),
        createNamedTool('a-b'),
        createNamedTool('a1'),
      ],
      replies: ['Done.'],
    });
    expect(offered).toEqual([['Z', 'a', 'a-b', 'a1', 'a_b', 'b']]);
  });

  it('include only the first tool of each name if strategies add others, and calls run that tool (TOOL-21, AEV-05)', async () => {
    const again: InjectionStrategy = {
      name: 'again',
      offer: (tools) => [
        ...tools,
        createNamedTool('look', 'The second.'),
        createNamedTool('new'),
        createNamedTool('new', 'The second.'),
      ],
    };
    const { model } = await runBare({
      tools: [createNamedTool('look', 'The first.')],
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

  it('exclude inner tools, which appear only in listings (TOOL-20)', async () => {
    const facade = decorate(createNamedTool('facade'), { inner: [createNamedTool('inside')] });
    const { offered } = await runBare({ tools: [facade], replies: ['Done.'] });
    expect(offered).toEqual([['facade']]);
  });
});
