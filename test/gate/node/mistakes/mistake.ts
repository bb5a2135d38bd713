import { expect } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';

/** A mistake, the code that makes it, and the whole message, which explains the fix. */
export type Mistake = readonly [mistake: string, make: () => unknown, message: string];

/** Calls a function with a value that its types reject. */
export const make = (define: (config: never) => unknown, config: unknown) => (): unknown =>
  define(config as never);

export const run = (): string => 'ok';

export const makeTool = (config: object) =>
  make(defineTool, { name: 'pay', description: 'Pays.', run, ...config });

export const makeAgent = (config: object) =>
  make(defineAgent, { name: 'clerk', description: 'Pays.', instructions: 'Pay.', ...config });

export const tool = defineTool({ name: 'pay', description: 'Pays.', effect: 'read', run });

/** Expects the whole message. */
export const expectMessage = (_: string, mistake: () => unknown, message: string): void => {
  let thrown: unknown = 'nothing was thrown';
  try {
    mistake();
  } catch (error) {
    thrown = error instanceof Error ? error.message : error;
  }
  expect(thrown).toBe(message);
};
