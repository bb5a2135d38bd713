import { expectTypeOf } from 'vitest';
import type { Agent } from '../../src/index.ts';
import {
  type CrashFailure,
  type CrashKit,
  type CrashReport,
  crashMatrix,
} from '../../src/testing/crash-matrix/entry.ts';

declare const agent: Agent;
const script = { steps: [{ send: 'Go.', replies: [{ calls: ['act'] }, 'Done.'] }] };

expectTypeOf(crashMatrix(agent, script)).resolves.toEqualTypeOf<CrashReport>();
expectTypeOf((await crashMatrix([agent, agent], script)).failures).toEqualTypeOf<readonly CrashFailure[]>();

// A function receives the world that the options create.
crashMatrix(
  (kit) => {
    expectTypeOf(kit.world).toEqualTypeOf<Map<string, number>>();
    expectTypeOf(kit.effect('paid')).toEqualTypeOf<Promise<boolean>>();
    return agent;
  },
  script,
  { world: () => new Map<string, number>() },
);
crashMatrix((kit) => {
  expectTypeOf(kit.world).toBeUndefined();
  return [agent];
}, script);

// @ts-expect-error no option creates this world
crashMatrix((_kit: CrashKit<Map<string, number>>) => agent, script);
// @ts-expect-error an agent that is not made by a function cannot use a world
crashMatrix(agent, script, { world: () => new Map() });
// @ts-expect-error there is no such decision
crashMatrix(agent, { steps: [{ decide: 'pay', as: 'maybe' }] });
// @ts-expect-error there is no such disturbance
crashMatrix(agent, script, { only: { mode: 'flood' } });
// @ts-expect-error an app has an agent
crashMatrix([], script);
