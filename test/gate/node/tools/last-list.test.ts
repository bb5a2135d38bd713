import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { lastList } from '../../../doors/tools.ts';

const tools = [defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Seen.' })];

describe('the last list', () => {
  it('stays the same list as long as it is made of the same list, by the same', () => {
    const listed = lastList();
    const again = () => [...tools];
    const first = listed(tools, undefined, again);
    expect(first).toEqual(tools);
    expect(listed(tools, undefined, again)).toBe(first);
    const locked = listed(tools, 'locked', again);
    expect(locked).not.toBe(first);
    expect(listed(tools, 'locked', again)).toBe(locked);
    expect(listed([...tools], 'locked', again)).not.toBe(locked);
  });

  it('is each strategy’s own', () => {
    const make = () => [...tools];
    expect(lastList()(tools, '', make)).not.toBe(lastList()(tools, '', make));
  });
});
