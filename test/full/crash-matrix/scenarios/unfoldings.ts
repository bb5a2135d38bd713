import * as v from 'valibot';
import {
  defineInjectionStrategy,
  defineUnfolding,
  noChange,
  removeTools,
} from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** An unfolding tool that closes when the next turn starts. */
const plain: Scenario = {
  kind: 'unfolding',
  agent: (kit) =>
    defineSurvivor([
      defineUnfolding({
        name: 'files',
        description: 'Works with files.',
        childToolUsageNotes: 'Read before you write.',
        contextTool: true,
        tools: [
          kit.tool({ name: 'read_file', care: 'read' }),
          kit.tool({ name: 'write_file', care: 'reconciled' }),
        ],
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['files'] },
        { calls: ['read_file'] },
        { calls: ['write_file', 'files'] },
        'Written.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['files'] }, { calls: ['write_file'] }, 'Written again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** An unfolding tool that opens once for the session, with one category and then with another. */
const categoryScenario: Scenario = {
  kind: 'unfolding-category',
  agent: (kit) =>
    defineSurvivor([
      defineUnfolding({
        name: 'office',
        description: 'Works in an office.',
        scope: 'session',
        byCategory: {
          files: [kit.tool({ name: 'save', care: 'idempotent' })],
          mail: [kit.tool({ name: 'send', care: 'reconciled' })],
        },
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: [createOfficeCall('files')] },
        { calls: ['save', createOfficeCall('mail')] },
        { calls: ['send', 'send'] },
        'Sent.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['send'] }, 'Sent again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

function createOfficeCall(category: string) {
  return { name: 'office', input: { category } };
}

/** The shopping cart from the guide. The tools of a selection share the content of the cart. */
const selectableScenario: Scenario = {
  kind: 'unfolding-selectable',
  agent: (kit) =>
    defineSurvivor([
      defineUnfolding({
        name: 'shop',
        description: 'Shops.',
        input: v.object({ shelves: v.array(v.string()) }),
        select: ({ shelves }) => [...shelves.map((shelf) => addTool(kit, shelf)), checkOut(kit)],
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: [{ name: 'shop', input: { shelves: ['tea', 'milk'] } }] },
        { calls: ['add_tea', 'add_milk'] },
        { calls: ['add_tea'] },
        { calls: ['check_out'] },
        'Bought.',
      ],
    },
  ],
  steps: [{ send: 'Go.' }],
};

const addTool = (kit: Kit, shelf: string) =>
  kit.tool({
    name: `add_${shelf}`,
    care: 'idempotent',
    serial: 'cart',
    answer(_, { state }) {
      const cart = `${state.get('cart') ?? ''} ${shelf}`;
      state.set('cart', cart);
      return `in the cart:${cart}`;
    },
  });

const checkOut = (kit: Kit) =>
  kit.tool({
    name: 'check_out',
    care: 'reconciled',
    answer: (_, { state }) => `bought:${state.get('cart')}`,
  });

/** An unfolding tool inside another one, and an unfolding tool that hides all other tools when it is open. */
const nestedScenario: Scenario = {
  kind: 'unfolding-nested',
  agent: (kit) =>
    defineSurvivor([
      defineUnfolding({
        name: 'house',
        description: 'Works in a house.',
        tools: [
          kit.tool({ name: 'ring', care: 'read' }),
          defineUnfolding({
            name: 'kitchen',
            description: 'Works in its kitchen.',
            tools: [kit.tool({ name: 'cook', care: 'idempotent' })],
          }),
        ],
      }),
      defineUnfolding({
        name: 'cellar',
        description: 'Works in its cellar.',
        exclusive: true,
        tools: [kit.tool({ name: 'dig', care: 'reconciled' })],
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['house'] },
        { calls: ['kitchen', 'ring'] },
        { calls: ['cook', 'cook'] },
        { calls: ['cellar'] },
        { calls: ['dig'] },
        'Dug.',
      ],
    },
  ],
  steps: [{ send: 'Go.' }],
};

/** An unfolding tool whose inner calls need approval at two levels, in the same turn and in a later one. */
const guardedScenario: Scenario = {
  kind: 'unfolding-guarded',
  agent: (kit) =>
    defineSurvivor([
      requireApproval(
        defineUnfolding({
          name: 'office',
          description: 'Works in an office.',
          scope: 'session',
          tools: [
            kit.tool({ name: 'pay', care: 'reconciled' }),
            defineUnfolding({
              name: 'cellar',
              description: 'Works in its cellar.',
              scope: 'session',
              tools: [kit.tool({ name: 'dig', care: 'idempotent' })],
            }),
          ],
        }),
        (_, { tool }) => `May it ${tool}?`,
      ),
      kit.tool({ name: 'look', care: 'read' }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['office'] },
        { calls: ['cellar', 'look'] },
        { calls: ['look', 'pay', 'dig'] },
        'Paid.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['dig'] }, 'Dug again.'] },
  ],
  steps: [
    { send: 'Go.' },
    { decide: 'dig', as: { decision: 'approve' } },
    { decide: 'pay', as: { decision: 'approve' } },
    { send: 'Again.' },
    { decide: 'dig', as: { decision: 'approve' } },
  ],
};

/** An unfolding tool whose inner tools depend on the session's state. */
const positionScenario: Scenario = {
  kind: 'unfolding-position',
  agent: (kit) =>
    defineSurvivor([
      kit.tool({
        name: 'order',
        care: 'idempotent',
        answer(_, { blackboard }) {
          blackboard.add('tea', { name: 'ordered' });
          return 'ordered';
        },
      }),
      defineUnfolding({
        name: 'shop',
        description: 'Shops.',
        tools: ({ blackboard }) =>
          blackboard.some(({ name }) => name === 'ordered')
            ? [checkOut(kit), kit.tool({ name: 'browse', care: 'read' })]
            : [kit.tool({ name: 'browse', care: 'read' })],
      }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['shop'] },
        { calls: ['browse'] },
        { calls: ['order'] },
        { calls: ['shop'] },
        { calls: ['check_out', 'browse'] },
        'Bought.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['shop'] }, { calls: ['check_out'] }, 'Bought again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** A custom strategy: one call adds a tool, and another removes it. */
const strategyScenario: Scenario = {
  kind: 'strategy',
  agent(kit) {
    const pay = kit.tool({ name: 'pay', care: 'reconciled' });
    return defineSurvivor(
      [kit.tool({ name: 'unlock', care: 'idempotent' }), kit.tool({ name: 'lock', care: 'read' })],
      {
        use: [
          defineInjectionStrategy({
            name: 'locks',
            evaluate({ lastCall }) {
              if (lastCall.tool === 'unlock') return [pay];
              return lastCall.tool === 'lock' ? removeTools([pay]) : noChange;
            },
          }),
        ],
      },
    );
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['unlock'] },
        { calls: ['pay', 'lock'] },
        { calls: ['unlock'] },
        { calls: ['pay'] },
        'Paid.',
      ],
    },
    {
      to: 'Again.',
      replies: [{ calls: ['lock'] }, { calls: ['unlock'] }, { calls: ['pay'] }, 'Paid again.'],
    },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

export const unfoldings: readonly Scenario[] = [
  plain,
  categoryScenario,
  selectableScenario,
  nestedScenario,
  guardedScenario,
  positionScenario,
  strategyScenario,
];
