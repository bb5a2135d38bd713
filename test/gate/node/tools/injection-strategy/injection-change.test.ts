import { describe, expect, it } from 'vitest';
import type { AnyTool } from '../../../../../src/index.ts';
import {
  addTools,
  hasChanges,
  type InjectionChange,
  noChange,
  removeTools,
  replaceTools,
} from '../../../../../src/kinds/entry.ts';
import { applyChange } from '../../../../doors/tools.ts';
import { reads } from '../../tool-loop/scenes.ts';

const [a, b, c] = [reads('a'), reads('b'), reads('c')];

describe('a change of tools', () => {
  it.each<[string, InjectionChange, InjectionChange, boolean]>([
    ['none', noChange, { add: [], remove: [] }, false],
    ['one more', addTools(a), { add: [a], remove: [] }, true],
    ['several more', addTools([a, b]), { add: [a, b], remove: [] }, true],
    ['an empty list more', addTools([]), noChange, false],
    ['one less', removeTools(a), { add: [], remove: ['a'] }, true],
    ['several less, by name too', removeTools([a, 'b']), { add: [], remove: ['a', 'b'] }, true],
    ['an empty list less', removeTools([]), noChange, false],
    ['one for another', replaceTools('a', b), { add: [b], remove: ['a'] }, true],
    ['several for several', replaceTools([a, b], [c]), { add: [c], remove: ['a', 'b'] }, true],
  ])('is made from %s (INJ-02)', (_, change, expected, changes) => {
    expect(change).toEqual(expected);
    expect(hasChanges(change)).toBe(changes);
  });

  const otherA = reads('a', () => 'other');
  it.each<[string, InjectionChange, readonly AnyTool[]]>([
    ['removes by name', removeTools('a'), [b]],
    [
      'removes before it adds, so that a tool can be replaced by one of its name',
      replaceTools('a', otherA),
      [b, otherA],
    ],
    ['adds nothing whose name is there', addTools([otherA, c]), [a, b, c]],
    ['adds each name once, the first of them', addTools([c, reads('c')]), [a, b, c]],
    ['removes what is not there without harm', removeTools(['x', 'b']), [a]],
  ])('%s (INJ-06)', (_, change, expected) => {
    expect(applyChange([a, b], change)).toEqual(expected);
  });

  it('returns the same list if it changes no tool', () => {
    const tools = [a, b];
    for (const change of [noChange, addTools([a, otherA]), removeTools('x')]) {
      expect(applyChange(tools, change)).toBe(tools);
    }
  });
});
