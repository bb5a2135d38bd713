/** Agents whose turns wait for a person, for another turn, or for a scheduled time. */

import * as v from 'valibot';
import { defineTool } from '../../../src/index.ts';
import { defineManualTool } from '../../../src/modules/answers/entry.ts';
import { humanInput, requireApproval } from '../../../src/modules/decorators/entry.ts';
import { createActingTool, defineScene, performAct } from './scene.ts';

const HOUR = 60 * 60_000;

const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

const suspendedScene = defineScene('suspended', {
  tools: [
    createActingTool('suspended', 'look_up', { effect: 'read' }),
    requireApproval(createActingTool('suspended', 'refund', { effect: 'once', input: amount }), 'Refund it?'),
    defineManualTool({
      name: 'measure',
      description: 'Is measured by the user.',
      input: v.object({ what: v.string() }),
    }),
    humanInput({ expires: 300 * 24 * HOUR }),
  ],
});

const tenantScene = defineScene('of-a-tenant', {
  tools: [
    requireApproval(
      createActingTool('of-a-tenant', 'refund', { effect: 'once', input: amount }),
      'Refund it?',
      {
        by: 'manager',
      },
    ),
  ],
});

const expiredScene = defineScene('expired', {
  tools: [
    requireApproval(createActingTool('expired', 'refund', { effect: 'once' }), 'Refund it?', {
      expires: HOUR,
      onExpiry: 'reject',
    }),
    defineManualTool({ name: 'measure', description: 'Is measured by the user.', expires: HOUR }),
  ],
});

const queuedScene = defineScene('queued', {
  tools: [requireApproval(createActingTool('queued', 'send', { effect: 'once' }), 'Send it?')],
});

const scheduledScene = defineScene('scheduled', {
  tools: [createActingTool('scheduled', 'look_up', { effect: 'read' })],
});

const steeredScene = defineScene('steered', {
  tools: [createActingTool('steered', 'look_up', { effect: 'idempotent' })],
});

const cancelledScene = defineScene('cancelled', {
  tools: [
    defineTool({
      name: 'charge',
      description: 'Does charge, however long that takes.',
      effect: 'once',
      run: (_, { id, idempotencyKey }) =>
        performAct('cancelled/charge', {}, { id, idempotencyKey, signal: new AbortController().signal }),
    }),
    createActingTool('cancelled', 'mail', { effect: 'idempotent' }),
  ],
});

const createKilledScene = (name: string) =>
  defineScene(name, {
    tools: [
      createActingTool(name, 'charge', { effect: 'once' }),
      requireApproval(createActingTool(name, 'refund', { effect: 'once' }), 'Refund it?'),
    ],
  });

/** Defines a tool that asks a question while it runs. */
const createAskingTool = <const Name extends string>(name: Name, effect: 'idempotent' | 'once') =>
  defineTool({
    name,
    description: `Does ${name}.`,
    effect,
    timeout: 15 * 60_000,
    run: async (_, call) => {
      const { decision } = await call.ask({
        for: 'decision',
        meanwhile: 'running',
        message: `${name}?`,
        expires: 300 * 24 * HOUR,
      });
      return `${await performAct(`killed-while-asking/${name}`, {}, call)}: ${decision}`;
    },
  });
const killedWhileAsking = defineScene('killed-while-asking', {
  tools: [createAskingTool('put', 'idempotent'), createAskingTool('book', 'once')],
});

export const waitScenes = [
  createKilledScene('killed-with-answer'),
  createKilledScene('killed-with-cancel'),
  killedWhileAsking,
  suspendedScene,
  tenantScene,
  expiredScene,
  queuedScene,
  scheduledScene,
  steeredScene,
  cancelledScene,
];
