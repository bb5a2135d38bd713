import { Stop } from './async.ts';
import { type Log, mistake } from './log.ts';
import { SignalError } from './signals.ts';

/**
 * Calls a listener of a tool call, and waits until it settles or the call is aborted. Errors are logged and
 * do not affect the call, which has its own outcome.
 *
 * @param who the name of the listener in the log, such as "a sink of tool 'search'".
 * @throws SignalError if the listener throws one.
 */
export async function listen(who: string, { signal, log }: ListenedCall, tell: () => unknown): Promise<void> {
  const stop = new Stop(signal);
  try {
    await stop.until((async () => tell())());
  } catch (thrown) {
    if (stop.aborted && thrown === stop.reason)
      log(mistake(`${who} was abandoned, since its call was aborted`));
    else if (thrown instanceof SignalError) throw thrown;
    else log(mistake(`${who} failed`, thrown));
  } finally {
    stop.end();
  }
}

/** The parts of a call that a listener needs. */
interface ListenedCall {
  readonly signal: AbortSignal;
  readonly log: Log;
}
