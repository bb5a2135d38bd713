import * as v from 'valibot';
import { defineStateMachine } from '../../../src/state-machine/define-state-machine.ts';
import type { Care, Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { survivor } from './survivor.ts';

/** Orders, each with a position of its own, over two turns. */
const machine = (kind: string, care: Care): Scenario => ({
  kind,
  agent: (kit) => survivor([orders(kit, care)]),
  script: [
    { to: 'Go.', replies: [[order(41), order(42)], 'Ordered.'] },
    { to: 'Again.', replies: [[order(41, 'on')], 'Shipped.'] },
    { to: '{"id":41}', replies: [['ship'], ['add', 'confirm'], ['status'], 'Confirmed 41.'] },
    { to: '{"id":42}', replies: [['add'], ['status', 'ship'], 'Drafted 42.'] },
    { to: '"note":"on"', replies: [['status'], ['ship'], ['confirm', 'status'], 'Shipped 41.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
});

const orders = (kit: Kit, care: Care) =>
  defineStateMachine({
    name: 'orders',
    description: 'Processes one order.',
    input: v.object({ id: v.number(), note: v.optional(v.string()) }),
    key: ({ id }) => String(id),
    initial: 'draft',
    states: {
      draft: [
        kit.tool({ name: 'add', care: 'idempotent' }),
        { tool: kit.tool({ name: 'confirm', care }), to: 'confirmed' },
      ],
      confirmed: [{ tool: kit.tool({ name: 'ship', care }), to: 'shipped' }],
      shipped: [],
    },
    everywhere: [kit.tool({ name: 'status', care: 'read' })],
    instructions: (_, { id }, state) => `Order ${id} is ${state}.`,
  });

function order(id: number, note?: string) {
  return { name: 'orders', input: { id, ...(note !== undefined && { note }) } };
}

export const machines: readonly Scenario[] = [
  machine('state-machine', 'reconciled'),
  machine('state-machine-once', 'once'),
];
