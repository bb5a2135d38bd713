import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { createListCache } from '../../../doors/tools.ts';

const tools = [defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'Seen.' })];

describe('the list cache', () => {
  it('returns the same list if the source list, the key and the function are the same', () => {
    const listed = createListCache();
    const copyTools = () => [...tools];
    const first = listed(tools, undefined, copyTools);
    expect(first).toEqual(tools);
    expect(listed(tools, undefined, copyTools)).toBe(first);
    const locked = listed(tools, 'locked', copyTools);
    expect(locked).not.toBe(first);
    expect(listed(tools, 'locked', copyTools)).toBe(locked);
    expect(listed([...tools], 'locked', copyTools)).not.toBe(locked);
  });

  it('is separate for each strategy', () => {
    const make = () => [...tools];
    expect(createListCache()(tools, '', make)).not.toBe(createListCache()(tools, '', make));
  });
});
