import { expectTypeOf } from 'vitest';
import type { PendingCall } from '../../../../src/index.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';

declare const session: TestSession;

const answer = await session.send('Hello.');
expectTypeOf(answer.text).toEqualTypeOf<string>();
// @ts-expect-error what a turn waits for is told of one that waits
answer.pending;
if (answer.outcome === 'suspended') expectTypeOf(answer.pending).toEqualTypeOf<readonly PendingCall[]>();

await session.decide('pay', 'approve');
await session.decide('pay', { decision: 'edit', input: { amount: 1 }, reason: 'Less.', by: 'ann' });
// @ts-expect-error nobody can decide that
await session.decide('pay', 'maybe');
await session.result('look_up', { result: { total: 1 } });
// @ts-expect-error it is one of the three
await session.result('look_up', { text: 'a', error: 'b' });

expectTypeOf(await session.post('And?', { whenBusy: 'steer' })).toHaveProperty('turn');
await session.post('Later.', { delaySeconds: 7_200, context: { locale: 'de' } });
// @ts-expect-error a message of a test is taken, or the test fails
await session.post('And?', { whenBusy: 'reject' });
await session.cancel();
expectTypeOf(await session.answer('t1')).toEqualTypeOf<typeof answer>();
