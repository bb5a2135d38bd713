import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { artifact, defineDomainType, defineTool } from '../../../../src/index.ts';
import { after, chainAny, chainFrom, chaining, when } from '../../../../src/kinds/entry.ts';
import { getShownResults } from '../tool-loop/scenes.ts';
import {
  callPlaybook,
  createResearcher,
  createTool,
  formatLocked,
  getInnerResults,
  playPlaybook,
  readPlaybookMemory,
  report,
  startSession,
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
    'offers the tools of objects of %s despite locks, and counts their calls (AGT-10, AGT-11)',
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
      expect(getInnerResults(shown).slice(2)).toEqual([
        ...['orders of c1', 'report done', formatLocked('Prerequisites have not been met yet.')],
      ]);
      expect(Object(await readPlaybookMemory(shown.session))['desk/researcher'][''].tools).toEqual({
        find: 1,
        orders_of: 1,
        report: 1,
      });
    },
  );

  it('keeps objects for as long as its progress: for each key, across restarts, and until a reset', async () => {
    const made = createResearcher({
      tools: [find],
      locked: [{ tool: report, unlockedBy: after(find) }],
      use: [chaining([chainFrom(Customer)])],
      key: ({ topic }) => topic.charAt(0),
      reset: ({ topic }) => topic.endsWith('anew'),
    });
    const createTurnReplies = (topic: string, ...names: string[]) => [
      callPlaybook(topic),
      useTools(...names),
      'Researched.',
      'Done.',
    ];
    const replies = [
      ...createTurnReplies('a', 'find'),
      ...createTurnReplies('a', 'orders_of', 'report'),
      ...createTurnReplies('b', 'orders_of', 'report'),
      ...createTurnReplies('a anew', 'orders_of', 'report'),
    ];
    const session = startSession([made], replies);
    const collectResults = async () => {
      await session.send('Go.');
      return getShownResults(session.requests.at(-2));
    };
    await collectResults();
    session.restart();
    expect(await collectResults()).toEqual(['orders of c1', 'report done']);
    const [unbound, guided] = await collectResults();
    expect([unbound === 'orders of c1', guided]).toEqual([false, formatLocked('You must first use: find')]);
    expect((await collectResults())[1]).toBe(formatLocked('You must first use: find'));
    expect(getShownResults(session.requests.at(-2))[0]).toBe(unbound);
  });
});
