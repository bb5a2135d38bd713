import { expectTypeOf } from 'vitest';
import { content, image } from '../../../../src/index.ts';
import type { PendingCall } from '../../../../src/journal/entry.ts';
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

// A message can contain files with their bytes or by URL, like results.
await session.send([
  { type: 'text', text: 'What is this?' },
  { type: 'file', mediaType: 'image/png', bytes: new Uint8Array([1]) },
  { type: 'file', mediaType: 'image/png', url: 'https://img.example/a.png', name: 'a.png' },
]);
await session.post([{ type: 'file', mediaType: 'image/png', bytes: new Uint8Array([1]) }], {
  whenBusy: 'queue',
});
// @ts-expect-error a file without bytes
await session.send([{ type: 'file', mediaType: 'image/png' }]);
await session.send(content(['What is this?', image(new Uint8Array([1]), 'image/png')]).parts);
// @ts-expect-error a result is no message
await session.send(image(new Uint8Array([1]), 'image/png'));
expectTypeOf(await session.file('f')).toEqualTypeOf<Uint8Array | null>();
