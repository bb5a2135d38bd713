/** Agents whose turns wait for a person, for another turn, or for a scheduled time. */

import * as v from 'valibot';
import { defineTool } from '../../../src/index.ts';
import { defineManualTool } from '../../../src/modules/answers/entry.ts';
import { humanInput, requireApproval } from '../../../src/modules/decorators/entry.ts';
import { act, createActingTool, scene } from './scene.ts';

const HOUR = 60 * 60_000;

const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

const suspendedScene = scene('suspended', {
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

const tenantScene = scene('of-a-tenant', {
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

const expiredScene = scene('expired', {
  tools: [
    requireApproval(createActingTool('expired', 'refund', { effect: 'once' }), 'Refund it?', {
      expires: HOUR,
      onExpiry: 'reject',
    }),
    defineManualTool({ name: 'measure', description: 'Is measured by the user.', expires: HOUR }),
  ],
});

const queuedScene = scene('queued', {
  tools: [requireApproval(createActingTool('queued', 'send', { effect: 'once' }), 'Send it?')],
});

const scheduledScene = scene('scheduled', {
  tools: [createActingTool('scheduled', 'look_up', { effect: 'read' })],
});

const steeredScene = scene('steered', {
  tools: [createActingTool('steered', 'look_up', { effect: 'idempotent' })],
});

const cancelledScene = scene('cancelled', {
  tools: [
    defineTool({
      name: 'charge',
      description: 'Does charge, however long that takes.',
      effect: 'once',
      run: (_, { id, idempotencyKey }) =>
        act('cancelled/charge', {}, { id, idempotencyKey, signal: new AbortController().signal }),
    }),
    createActingTool('cancelled', 'mail', { effect: 'idempotent' }),
  ],
});

const killedScene = (name: string) =>
  scene(name, {
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
      return `${await act(`killed-while-asking/${name}`, {}, call)}: ${decision}`;
    },
  });
const killedWhileAsking = scene('killed-while-asking', {
  tools: [createAskingTool('put', 'idempotent'), createAskingTool('book', 'once')],
});

export const waitScenes = [
  killedScene('killed-with-answer'),
  killedScene('killed-with-cancel'),
  killedWhileAsking,
  suspendedScene,
  tenantScene,
  expiredScene,
  queuedScene,
  scheduledScene,
  steeredScene,
  cancelledScene,
];
