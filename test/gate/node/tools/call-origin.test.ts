import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import type { WorkerEnv } from '../../../../src/index.ts';
import { type CallOrigin, createCallOrigins } from '../../../doors/tools.ts';

const ENV = { NAME: 'x' } as unknown as WorkerEnv;

const origin: CallOrigin = { send: () => ({ root: 't1', generation: 1 }) };

it('a call is found across awaits and with any environment if there is an AsyncLocalStorage', async () => {
  const calls = createCallOrigins({ AsyncLocalStorage });
  const env = ENV;
  expect(calls.envOfCall(env, origin)).toBe(env);
  const inside = await calls.inCall(origin, async () => {
    await Promise.resolve();
    return [calls.originOf({}), calls.inCall(undefined, () => calls.originOf(env))];
  });
  expect(inside).toEqual([origin, undefined]);
  expect(calls.originOf(env)).toBeUndefined();
});

it('a call is found through its own copy of the environment if there is no AsyncLocalStorage', () => {
  const calls = createCallOrigins(undefined);
  const env = calls.envOfCall(ENV, origin);
  expect(calls.originOf({ ...env, MODEL: 'other' })).toBe(origin);
  expect(JSON.stringify(env)).toBe('{"NAME":"x"}');
  expect(() => Object.assign(env, { NAME: 'y' })).toThrow(TypeError);
  expect(calls.originOf({ NAME: 'x' })).toBeUndefined();
  expect(calls.inCall(origin, () => calls.originOf({}))).toBeUndefined();
});
