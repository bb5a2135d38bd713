/** Several streams as one, of which one may break while its reader, or the others, take their time. */
import { expect, it, onTestFinished } from 'vitest';
import { mergeGenerators } from '../../../../doors/mcp.ts';

/** Follows nothing until it is left. */
async function* waiting(signal: AbortSignal): AsyncGenerator<string, void> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function* breaking(words: readonly string[]): AsyncGenerator<string, void> {
  yield* words;
  throw new Error('It broke.');
}

const never = new AbortController().signal;
const follow = (one: 'waits' | readonly string[], signal: AbortSignal) =>
  one === 'waits' ? waiting(signal) : breaking(one);

it('merged streams end with the error of one stream, even if another one still waits', async () => {
  const items = mergeGenerators<'waits' | readonly string[], string>(['waits', ['a']], never, follow);
  expect(await items.next()).toEqual({ done: false, value: 'a' });
  await expect(items.next()).rejects.toThrow(new Error('It broke.'));
});

it('merged streams leave no unhandled rejection if their reader is slow or leaves', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const items = mergeGenerators<readonly string[], string>([['a']], never, follow);
  await items.next();
  await new Promise((resolve) => setImmediate(resolve));
  await items.return();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
