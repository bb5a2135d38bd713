import * as v from 'valibot';
import { defineStateMachine, startingIn } from '../../../../src/kinds/entry.ts';
import type { RepeatEffect } from '../../../doors/testing.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** Orders with separate positions, over two turns. */
const createMachineScenario = (kind: string, care: RepeatEffect): Scenario => ({
  kind,
  agent: (kit) => defineSurvivor([defineOrders(kit, care)]),
  script: [
    { to: 'Go.', replies: [{ calls: [createOrderCall(41), createOrderCall(42)] }, 'Ordered.'] },
    { to: 'Again.', replies: [{ calls: [createOrderCall(41, 'on')] }, 'Shipped.'] },
    {
      to: '{"id":41}',
      replies: [{ calls: ['ship'] }, { calls: ['add', 'confirm'] }, { calls: ['status'] }, 'Confirmed 41.'],
    },
    { to: '{"id":42}', replies: [{ calls: ['add'] }, { calls: ['status', 'ship'] }, 'Drafted 42.'] },
    {
      to: '"note":"on"',
      replies: [{ calls: ['status'] }, { calls: ['ship'] }, { calls: ['confirm', 'status'] }, 'Shipped 41.'],
    },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
});

const defineOrders = (kit: Kit, care: RepeatEffect) =>
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

function createOrderCall(id: number, note?: string) {
  return { name: 'orders', input: { id, ...(note !== undefined && { note }) } };
}

/** Orders that were confirmed outside of the session. */
const movedStartScenario: Scenario = {
  kind: 'state-machine-elsewhere',
  agent: (kit) => defineSurvivor([startingIn(defineOrders(kit, 'reconciled'), 'confirmed')]),
  script: [
    { to: 'Go.', replies: [{ calls: [createOrderCall(41)] }, 'Ordered.'] },
    { to: 'Again.', replies: [{ calls: [createOrderCall(41, 'on')] }, 'Done.'] },
    { to: '{"id":41}', replies: [{ calls: ['confirm'] }, { calls: ['ship'] }, 'Shipped 41.'] },
    { to: '"note":"on"', replies: [{ calls: ['ship', 'status'] }, 'It was shipped.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** A new version of the code that renames a state. */
const renamedScenario: Scenario = {
  kind: 'state-machine-renamed',
  agent: (kit) => {
    const { world } = kit;
    const deploy = kit.tool({
      name: 'deploy',
      care: 'idempotent',
      answer() {
        world.isDeployed = true;
        return 'deployed';
      },
    });
    return defineSurvivor([
      world.isDeployed ? createRenamedOrders(kit) : defineOrders(kit, 'reconciled'),
      deploy,
    ]);
  },
  script: [
    { to: 'Go.', replies: [{ calls: [createOrderCall(41)] }, 'Ordered.'] },
    { to: 'Deploy.', replies: [{ calls: ['deploy'] }, 'Deployed.'] },
    { to: 'Again.', replies: [{ calls: [createOrderCall(41, 'on')] }, 'Shipped.'] },
    { to: '{"id":41}', replies: [{ calls: ['add'] }, { calls: ['confirm'] }, 'Confirmed 41.'] },
    { to: '"note":"on"', replies: [{ calls: ['confirm'] }, { calls: ['ship'] }, 'Shipped 41.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Deploy.' }, { send: 'Again.' }],
};

const createRenamedOrders = (kit: Kit) =>
  defineStateMachine({
    name: 'orders',
    description: 'Processes one order.',
    input: v.object({ id: v.number(), note: v.optional(v.string()) }),
    key: ({ id }) => String(id),
    initial: 'draft',
    states: {
      draft: [{ tool: kit.tool({ name: 'confirm', care: 'reconciled' }), to: 'accepted' }],
      accepted: [{ tool: kit.tool({ name: 'ship', care: 'reconciled' }), to: 'shipped' }],
      shipped: [],
    },
    renamed: { confirmed: 'accepted' },
  });

export const machines: readonly Scenario[] = [
  createMachineScenario('state-machine', 'reconciled'),
  createMachineScenario('state-machine-once', 'once'),
  movedStartScenario,
  renamedScenario,
];
