import { expectTypeOf } from 'vitest';
import { type ChatModel, defineAgent } from '../../src/index.ts';
import {
  type Authenticate,
  createHoldfast,
  type Env,
  type HandOver,
  type Holdfast,
} from '../../src/worker-entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [] });
declare const model: ChatModel;
declare const auth: Authenticate;

// What a Worker's module exports.
const holdfast = createHoldfast({ agents: [clerk] });
expectTypeOf(holdfast).toEqualTypeOf<Holdfast>();
export default holdfast.worker satisfies ExportedHandler<Env>;
export const { TurnRunner } = holdfast;
expectTypeOf<InstanceType<typeof TurnRunner>['run']>().toEqualTypeOf<(handOver: HandOver) => Promise<void>>();
// A Worker's module may call `fetch` of the one that it exports.
expectTypeOf(holdfast.worker.fetch).not.toBeNullable();

// A model, or one for the vars and secrets of the Worker.
createHoldfast({ agents: [clerk], model });
createHoldfast({
  agents: [clerk],
  model(env) {
    expectTypeOf(env).toEqualTypeOf<Env>();
    return model;
  },
});

// Optional properties accept undefined.
createHoldfast({
  agents: [],
  model: undefined,
  auth: undefined,
  contextHeaders: undefined,
  maxBodyBytes: undefined,
  location: undefined,
});
createHoldfast({
  agents: [clerk],
  auth,
  contextHeaders: { 'x-tenant': 'tenant' },
  location: { locationHint: 'weur', jurisdiction: 'eu' },
});

// @ts-expect-error an app has agents
createHoldfast({});

// @ts-expect-error an agent is made by defineAgent
createHoldfast({ agents: [{ name: 'clerk' }] });

// @ts-expect-error a caller has an id
createHoldfast({ agents: [clerk], auth: () => ({ tenant: 'acme' }) });

// @ts-expect-error there is no such place
createHoldfast({ agents: [clerk], location: { locationHint: 'moon' } });
