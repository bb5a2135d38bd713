import { StopController } from './async.ts';
import { createErrorEntry, type Log } from './log.ts';
import { SignalError } from './signals.ts';

/**
 * Calls a listener of a tool call, and waits until it settles or the call is aborted. Errors are logged and
 * do not affect the outcome of the call.
 *
 * @param who the name of the listener in the log, such as "a sink of tool 'search'".
 * @throws SignalError if the listener throws one.
 */
export async function callListener(
  who: string,
  { signal, log }: ListenerCall,
  tell: () => unknown,
): Promise<void> {
  const stop = new StopController(signal);
  try {
    await stop.until((async () => tell())());
  } catch (thrown) {
    if (stop.aborted && thrown === stop.reason)
      log(createErrorEntry(`${who} was abandoned, since its call was aborted`));
    else if (thrown instanceof SignalError) throw thrown;
    else log(createErrorEntry(`${who} failed`, thrown));
  } finally {
    stop.end();
  }
}

interface ListenerCall {
  readonly signal: AbortSignal;
  readonly log: Log;
}
