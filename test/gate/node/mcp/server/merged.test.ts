/** Merged streams: one of them may break while its reader is slow or while the others wait. */
import { expect, it, onTestFinished } from 'vitest';
import { mergeGenerators } from '../../../../doors/mcp.ts';

/** A stream without items that ends when its signal aborts. */
async function* waitForAbort(signal: AbortSignal): AsyncGenerator<string, void> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function* yieldThenThrow(words: readonly string[]): AsyncGenerator<string, void> {
  yield* words;
  throw new Error('The stream broke.');
}

const neverAborts = new AbortController().signal;
const follow = (one: 'waits' | readonly string[], signal: AbortSignal) =>
  one === 'waits' ? waitForAbort(signal) : yieldThenThrow(one);

it('merged streams end with the error of one stream, even if another stream is still pending', async () => {
  const items = mergeGenerators<'waits' | readonly string[], string>(['waits', ['a']], neverAborts, follow);
  expect(await items.next()).toEqual({ done: false, value: 'a' });
  await expect(items.next()).rejects.toThrow(new Error('The stream broke.'));
});

it('merged streams leave no unhandled rejection if their reader is slow or stops reading', async () => {
  const unhandled: unknown[] = [];
  const recordUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', recordUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', recordUnhandled));
  const items = mergeGenerators<readonly string[], string>([['a']], neverAborts, follow);
  await items.next();
  await new Promise((resolve) => setImmediate(resolve));
  await items.return();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
