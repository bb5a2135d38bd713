import { SignalError } from './signals.ts';

/**
 * Tells somebody who listens to a call, and waits for them until the call is aborted. What goes wrong there is logged
 * and is nothing to the call, which has its own outcome (DEC-09): never rejects, but with a control-flow signal.
 *
 * @param who what the log calls the listener, such as "a sink of tool 'search'".
 * @throws SignalError when that is what the listener throws.
 */
export async function listen(who: string, signal: AbortSignal, tell: () => unknown): Promise<void> {
  const aborted = Promise.withResolvers<'aborted'>();
  const onAbort = (): void => aborted.resolve('aborted');
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    const told = (async () => tell())();
    if ((await Promise.race([told, aborted.promise])) === 'aborted') {
      told.catch(() => undefined); // Nobody waits for it any more.
      console.error(`holdfast: ${who} was left, since its call was aborted`);
    }
  } catch (thrown) {
    if (thrown instanceof SignalError) throw thrown;
    console.error(`holdfast: ${who} failed`, thrown);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
