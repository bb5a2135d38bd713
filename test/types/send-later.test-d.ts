import { expectTypeOf } from 'vitest';
import { type CallContext, defineTool } from '../../src/index.ts';
import { type LaterMessage, sendLater } from '../../src/modules/schedules/entry.ts';

expectTypeOf(sendLater).parameter(1).toEqualTypeOf<LaterMessage>();
expectTypeOf(sendLater).returns.resolves.toEqualTypeOf<string>();
expectTypeOf<CallContext>().toExtend<Parameters<typeof sendLater>[0]>();

// A flag declares a recurring run.
defineTool({
  name: 'nightly',
  description: 'x',
  run: (_, call) => sendLater(call, { message: 'x', delaySeconds: 60, recurring: true }),
});
defineTool({
  name: 'daily',
  description: 'x',
  // @ts-expect-error `recurring` is a boolean
  run: (_, call) => sendLater(call, { message: 'x', delaySeconds: 60, recurring: 'daily' }),
});
