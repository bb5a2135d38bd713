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
import { createReadingTool } from '../../tool-loop/scenes.ts';

const [a, b, c] = [createReadingTool('a'), createReadingTool('b'), createReadingTool('c')];

describe('a change of tools', () => {
  it.each<[string, InjectionChange, InjectionChange, boolean]>([
    ['no change', noChange, { add: [], remove: [] }, false],
    ['an added tool', addTools(a), { add: [a], remove: [] }, true],
    ['several added tools', addTools([a, b]), { add: [a, b], remove: [] }, true],
    ['an empty list of added tools', addTools([]), noChange, false],
    ['a removed tool', removeTools(a), { add: [], remove: ['a'] }, true],
    ['several removed tools, also by name', removeTools([a, 'b']), { add: [], remove: ['a', 'b'] }, true],
    ['an empty list of removed tools', removeTools([]), noChange, false],
    ['a replaced tool', replaceTools('a', b), { add: [b], remove: ['a'] }, true],
    ['several replaced tools', replaceTools([a, b], [c]), { add: [c], remove: ['a', 'b'] }, true],
  ])('can be %s (INJ-02)', (_, change, expected, changes) => {
    expect(change).toEqual(expected);
    expect(hasChanges(change)).toBe(changes);
  });

  const otherA = createReadingTool('a', () => 'other');
  it.each<[string, InjectionChange, readonly AnyTool[]]>([
    ['removes by name', removeTools('a'), [b]],
    [
      'removes before it adds, so a tool can be replaced by another of the same name',
      replaceTools('a', otherA),
      [b, otherA],
    ],
    ['does not add a tool whose name is in use', addTools([otherA, c]), [a, b, c]],
    ['adds each name once, with its first tool', addTools([c, createReadingTool('c')]), [a, b, c]],
    ['ignores the removal of an unknown tool', removeTools(['x', 'b']), [a]],
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
