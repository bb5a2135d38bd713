/** Functions of other entries: the compile error shows the right import, as the type of the parameter. */
import { expectTypeOf } from 'vitest';
import * as holdfast from '../../src/index.ts';

expectTypeOf<Parameters<typeof holdfast.createHoldfast>>().toEqualTypeOf<
  ["import { createHoldfast } from 'holdfast/worker'"]
>();
expectTypeOf<Parameters<typeof holdfast.defineUnfolding>>().toEqualTypeOf<
  ["import { defineUnfolding } from 'holdfast/kinds'"]
>();
// @ts-expect-error: it is exported by holdfast/worker
holdfast.createHoldfast({ agents: [] });
// @ts-expect-error: it is exported by holdfast/worker, also with an environment
holdfast.createHoldfast<{ readonly KEY: string }>({ agents: [] });
// @ts-expect-error: it is exported by holdfast/kinds
holdfast.defineUnfolding({ name: 'files', description: 'Files.', tools: [] });
