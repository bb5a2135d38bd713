import { describe, expect, it } from 'vitest';
import { type AnyTool, ToolCallContext } from '../../../../src/index.ts';
import { defineUnfolding, type LoopView } from '../../../../src/kinds/entry.ts';
import { unfoldingStrategy } from '../../../doors/kinds.ts';
import {
  createConsoleLog,
  UNFOLDED_MEMORY,
  type UnfoldedEntry,
  type UnfoldedList,
} from '../../../doors/tools.ts';
import { createTool } from './scenes.ts';

const createLoopView = (openings: UnfoldedList, more: Partial<LoopView> = {}): LoopView => ({
  session: 'test',
  agent: 'clerk',
  turnStartedAt: 0,
  turn: 't',
  frame: '',
  path: 'clerk',
  principal: { id: 'ada' },
  iterations: 1,
  context: ToolCallContext.EMPTY,
  log: createConsoleLog(),
  blackboard: [],
  tools: [],
  recall: () => openings as never, // The strategy reads no other memory.
  made: (_, make) => make(),
  history: () => [],
  ...more,
});
const createTools = (prefix: string, count: number): AnyTool[] =>
  Array.from({ length: count }, (_, index) => createTool(`${prefix}_${index}`));
const createFacade = (name: string, tools: readonly AnyTool[]): AnyTool =>
  defineUnfolding({ name, description: 'F.', tools });
const createUnfoldedEntry = (name: string): UnfoldedEntry => ({
  call: `t.1.${name}`,
  facade: name,
  frame: '',
});

describe('the list that the unfolding strategy offers', () => {
  const tools = [createFacade('files', [createTool('read')]), createTool('search')];

  it('is the same array as its input while no tool is open', () => {
    expect(unfoldingStrategy.offer(tools, createLoopView([]))).toBe(tools);
    expect(
      unfoldingStrategy.offer(tools, createLoopView([{ ...createUnfoldedEntry('files'), frame: 'another' }])),
    ).toBe(tools);
  });

  it('is the same array as before if its inputs are equal', () => {
    const openings = [createUnfoldedEntry('files')];
    const offered = unfoldingStrategy.offer(tools, createLoopView(openings));
    expect(offered.map(({ name }) => name)).toEqual(['files', 'search', 'read']);
    expect(unfoldingStrategy.offer(tools, createLoopView(openings))).toBe(offered);
    expect(unfoldingStrategy.offer([...tools], createLoopView(openings))).toBe(offered);
  });

  it('is a new array if the tools, the openings, the turn or the loop differ', () => {
    const openings: UnfoldedList = [{ call: 'c', facade: 'files', path: 'clerk' }];
    const offerTools = (list: readonly AnyTool[], view: LoopView) => unfoldingStrategy.offer(list, view);
    for (const [list, view] of [
      [[...tools, createTool('more')], createLoopView(openings)],
      [tools, createLoopView([...openings])],
      [tools, createLoopView(openings, { turn: 'u' })],
      [tools, createLoopView(openings, { frame: 'f' })],
    ] as const) {
      expect(offerTools(list, view)).not.toBe(offerTools(tools, createLoopView(openings)));
      expect(offerTools(list, view)).not.toBe(offerTools(tools, createLoopView(openings)));
    }
  });

  it('calls a function of tools again, and is the same array if it returns the same tools', () => {
    const read = createTool('read');
    let answer = [read];
    const steps = [defineUnfolding({ name: 'files', description: 'F.', tools: () => answer })];
    const openings = [createUnfoldedEntry('files')];
    const offered = unfoldingStrategy.offer(steps, createLoopView(openings));
    answer = [read];
    expect(unfoldingStrategy.offer(steps, createLoopView(openings))).toBe(offered);
    answer = [read, createTool('write')];
    expect(unfoldingStrategy.offer(steps, createLoopView(openings)).map(({ name }) => name)).toEqual([
      'files',
      'read',
      'write',
    ]);
  });

  it('is built once for a thousand tools behind a hundred open unfolding tools', () => {
    const facades = Array.from({ length: 100 }, (_, at) =>
      createFacade(`f_${at}`, createTools(`t_${at}`, 10)),
    );
    const openings = facades.map(({ name }) => createUnfoldedEntry(name));
    const offered = unfoldingStrategy.offer(facades, createLoopView(openings));
    expect(offered).toHaveLength(1100);
    for (let again = 0; again < 3; again += 1) {
      expect(unfoldingStrategy.offer(facades, createLoopView(openings))).toBe(offered);
    }
  });

  it('distinguishes siblings and openings that share only a name', () => {
    const inner = createFacade('data', [createTool('leaf')]);
    const [a, b] = [
      createFacade('a', [inner]),
      createFacade('b', [createFacade('data', [createTool('other')])]),
    ];
    const openings: UnfoldedList = [createUnfoldedEntry('b'), { ...createUnfoldedEntry('data'), under: 'a' }];
    expect(unfoldingStrategy.offer([a, b], createLoopView(openings)).map(({ name }) => name)).toEqual([
      'a',
      'b',
      'data',
    ]);
  });
});

describe('the memory of open tools', () => {
  const place = { turn: 't', frame: '', path: 'clerk', call: 'c1', at: 0 };

  it('adds an opening, replaces it in its position for another input, and keeps it for the same input', () => {
    const one = UNFOLDED_MEMORY.apply([], { facade: 'files', input: { category: 'a' } }, place);
    const two = UNFOLDED_MEMORY.apply(one, { facade: 'web' }, place);
    expect(
      UNFOLDED_MEMORY.apply(two, { facade: 'files', input: { category: 'a' } }, { ...place, call: 'c2' }),
    ).toBe(two);
    expect(
      UNFOLDED_MEMORY.apply(two, { facade: 'files', input: { category: 'b' } }, { ...place, call: 'c2' }),
    ).toEqual([
      { call: 'c2', facade: 'files', input: { category: 'b' }, frame: '' },
      { call: 'c1', facade: 'web', frame: '' },
    ]);
  });

  it('removes the openings of a loop when the loop ends, and those of a turn when the turn ends', () => {
    const value = [
      UNFOLDED_MEMORY.apply([], { facade: 'root' }, place),
      UNFOLDED_MEMORY.apply([], { facade: 'inner' }, { ...place, frame: 'c0' }),
      UNFOLDED_MEMORY.apply([], { facade: 'kept', scope: 'session' }, place),
    ].flat();
    const { observe } = UNFOLDED_MEMORY;
    const result = { type: 'text', content: '' } as const;
    const root = { turn: 't', frame: '', path: 'clerk' };
    const observeCallEnd = (call: string) =>
      observe?.(value, { ...root, type: 'call-ended', call, tool: 'any', result });
    expect(observeCallEnd('c0')?.map((one) => one.facade)).toEqual(['root', 'kept']);
    const isTree = () => false;
    const after = observe?.(value, { ...root, type: 'turn-ended', isTree });
    expect(after?.map((one) => one.facade)).toEqual(['kept']);
    expect(observeCallEnd('c9')).toBe(value);
  });
});
