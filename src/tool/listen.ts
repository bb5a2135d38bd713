import { Stop } from './async.ts';
import { type Log, mistake } from './log.ts';
import { SignalError } from './signals.ts';

/**
 * Tells somebody who listens to a call, and waits for them until the call is aborted. What goes wrong there is logged
 * and is nothing to the call, which has its own outcome: never rejects, but with a control-flow signal.
 *
 * @param who what the log calls the listener, such as "a sink of tool 'search'".
 * @throws SignalError when that is what the listener throws.
 */
export async function listen(who: string, { signal, log }: ListenedCall, tell: () => unknown): Promise<void> {
  const stop = new Stop(signal);
  try {
    await stop.until((async () => tell())());
  } catch (thrown) {
    if (stop.aborted && thrown === stop.reason) log(mistake(`${who} was left, since its call was aborted`));
    else if (thrown instanceof SignalError) throw thrown;
    else log(mistake(`${who} failed`, thrown));
  } finally {
    stop.end();
  }
}

/** What is asked of a call that somebody listens to. */
interface ListenedCall {
  readonly signal: AbortSignal;
  readonly log: Log;
}
