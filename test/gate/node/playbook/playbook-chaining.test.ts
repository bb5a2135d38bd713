import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import { after, chainAny, chainFrom, chaining, when } from '../../../../src/kinds/entry.ts';
import { shownResults } from '../tool-loop/scenes.ts';
import {
  callPlaybook,
  createTool,
  lockedText,
  playbook,
  playbookMemory,
  playPlaybook,
  report,
  results,
  sessionOf,
  useTools,
} from './scenes.ts';

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ id: v.string() }),
  id: ({ id }) => id,
  tools: ({ id }) => [
    defineTool({ name: 'orders_of', description: 'Lists.', effect: 'read', run: () => `orders of ${id}` }),
  ],
});
const find = createTool('find', () => artifact('Found.', Customer, { id: 'c1' }));

describe('a playbook with chaining', () => {
  const usedOrders = when((progress) => progress.used('orders_of') > 0);
  const config = {
    tools: [find],
    locked: [
      { tool: report, unlockedBy: usedOrders },
      { tool: createTool('never'), unlockedBy: when(() => false) },
    ],
  };

  it.each([
    ['one type', []],
    ['any type', [chainAny()]],
  ])(
    'offers the tools of objects of %s despite locks, and counts their use (AGT-10, AGT-11)',
    async (_, beside) => {
      const shown = await playPlaybook({ ...config, use: [chaining([chainFrom(Customer), ...beside])] }, [
        ...[
          useTools('report'),
          useTools('find'),
          useTools('orders_of'),
          useTools('report'),
          useTools('never'),
        ],
      ]);
      expect(results(shown).slice(2)).toEqual([
        ...['orders of c1', 'report done', lockedText('Prerequisites have not been met yet.')],
      ]);
      expect(Object(await playbookMemory(shown.session))['desk/researcher'][''].tools).toEqual({
        find: 1,
        orders_of: 1,
        report: 1,
      });
    },
  );

  it('keeps objects with its progress: for each key, across restarts, and until a reset', async () => {
    const made = playbook({
      tools: [find],
      locked: [{ tool: report, unlockedBy: after(find) }],
      use: [chaining([chainFrom(Customer)])],
      key: ({ topic }) => topic.charAt(0),
      reset: ({ topic }) => topic.endsWith('anew'),
    });
    const turn = (topic: string, ...names: string[]) => [
      callPlaybook(topic),
      useTools(...names),
      'Researched.',
      'Done.',
    ];
    const replies = [
      ...turn('a', 'find'),
      ...turn('a', 'orders_of', 'report'),
      ...turn('b', 'orders_of', 'report'),
      ...turn('a anew', 'orders_of', 'report'),
    ];
    const session = sessionOf([made], replies);
    const answered = async () => {
      await session.send('Go.');
      return shownResults(session.requests.at(-2));
    };
    await answered();
    session.restart();
    expect(await answered()).toEqual(['orders of c1', 'report done']);
    const [unbound, guided] = await answered();
    expect([unbound === 'orders of c1', guided]).toEqual([false, lockedText('You must first use: find')]);
    expect((await answered())[1]).toBe(lockedText('You must first use: find'));
    expect(shownResults(session.requests.at(-2))[0]).toBe(unbound);
  });
});
