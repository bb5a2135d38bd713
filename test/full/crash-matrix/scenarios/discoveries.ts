import * as v from 'valibot';
import type { AnyTool, ToolProvider } from '../../../../src/index.ts';
import { toolProvider } from '../../../../src/index.ts';
import {
  type Discovery,
  defineAgenticTool,
  defineUnfolding,
  discoveryIn,
  type LoopView,
} from '../../../../src/kinds/entry.ts';
import type { MemoryFact } from '../../../../src/module.ts';
import { LISTINGS, listings } from '../../../../src/modules/listings/entry.ts';
import { CallInterrupted, createFact, isEqualJson } from '../../../doors/tools.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** The tools by name. */
const createTools = (kit: Kit): ReadonlyMap<string, AnyTool> =>
  new Map<string, AnyTool>([
    ['look', kit.tool({ name: 'look', care: 'read' })],
    ['buy', kit.tool({ name: 'buy', care: 'reconciled' })],
    ['sell', kit.tool({ name: 'sell', care: 'once' })],
  ]);

/** Returns the names of a source's tools that the session has stored. */
const listKnown = (key: string, view: LoopView | undefined): readonly string[] =>
  (view?.recall(LISTINGS).find((one) => one.key === key)?.told ?? []) as readonly string[]; // stored by `createListingFact`

const createListingFact = (key: string, names: readonly string[]): MemoryFact =>
  createFact(LISTINGS, { key, told: [...names] });

/**
 * An external source of tools. `names` returns its tools at each step of the loop. An empty list means that the
 * source is down.
 */
function createSource(kit: Kit, key: string, names: (view: LoopView) => readonly string[]): ToolProvider {
  const tools = createTools(kit);
  const ask = ({ view, ask }: Discovery): Promise<MemoryFact> =>
    // Longer than a lease: a stalled invocation must lose the turn before it treats the source as failed.
    ask({ subrequests: 1, ms: 60_000 }, async () => {
      await kit.effect(`${key} asked`, names(view).join());
      return createListingFact(key, names(view));
    });
  return toolProvider({
    toolsNow: (view) => listKnown(key, view).flatMap((name) => tools.get(name) ?? []),
    uses: [listings],
    async discover(discovery) {
      const now = names(discovery.view);
      if (now.length === 0 || isEqualJson(now, listKnown(key, discovery.view))) return [];
      try {
        return [await ask(discovery)];
      } catch (failure) {
        if (failure instanceof CallInterrupted) throw failure;
        return [];
      }
    },
  });
}

/**
 * A source that is down at first and has more tools later, and a source that a nested loop discovers. The
 * tools of both stay known.
 */
const discovery: Scenario = {
  kind: 'discovery',
  tells: '"type":"tools-listed","turn":"t1","frame":',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({ name: 'wait', care: 'read' }),
      createSource(
        kit,
        'shop',
        ({ iterations }) => [[], ['buy'], ['buy'], ['buy', 'sell']][iterations] ?? [],
      ),
      defineAgenticTool({
        name: 'trade',
        description: 'Trades.',
        input: v.object({ what: v.string() }),
        tools: [createSource(kit, 'market', () => ['look', 'sell'])],
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['wait'] },
        { calls: ['buy', { name: 'trade', input: { what: 'kelp' } }] },
        { calls: ['buy', 'wait'] },
        { calls: ['sell'] },
        'Sold.',
      ],
    },
    { to: '"kelp"', replies: [{ calls: ['look', 'sell'] }, 'Traded.'] },
    { to: 'Again.', replies: [{ calls: ['sell', 'buy'] }, 'Sold again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** An unfolding tool that discovers its tools when it is called, and again if the first discovery was empty. */
const preparedScenario: Scenario = {
  kind: 'unfolding-prepared',
  tells: '"slice":"listings"',
  agent: (kit) => {
    const tools = createTools(kit);
    return defineSurvivor([
      kit.tool({ name: 'wait', care: 'read' }),
      defineUnfolding({
        name: 'shop',
        description: 'Shops.',
        tools: (view) => listKnown('shop', view).flatMap((name) => tools.get(name) ?? []),
        uses: [listings],
        prepare: async (call) => {
          const { view, record } = call;
          await discoveryIn(call).ask({ subrequests: 1, ms: 60_000 }, () =>
            kit.effect('shop asked', String(view.iterations)),
          );
          if (view.iterations === 1) return 'The shop is closed now.';
          record(LISTINGS, { key: 'shop', told: ['buy', 'sell'] });
          return undefined;
        },
      }),
    ]);
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['shop', 'wait'] },
        { calls: ['shop', 'wait'] },
        { calls: ['buy', 'sell'] },
        'Sold.',
      ],
    },
    {
      to: 'Again.',
      replies: [{ calls: ['wait'] }, { calls: ['shop'] }, { calls: ['buy'] }, 'Bought again.'],
    },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

export const discoveries: readonly Scenario[] = [discovery, preparedScenario];
