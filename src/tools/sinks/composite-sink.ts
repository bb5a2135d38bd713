import { SignalError } from '../signals.ts';
import type { Sink } from './sink.ts';

/**
 * Gives every artifact to all of these sinks, one after another (DEC-10). One that fails keeps it from none of the
 * others; what it threw is thrown once all have been told, a control-flow signal before anything else.
 */
export const compositeSink =
  <Artifact = unknown>(...sinks: readonly Sink<Artifact>[]): Sink<Artifact> =>
  async (artifact, call) => {
    const thrown: unknown[] = [];
    for (const sink of sinks) {
      try {
        await sink(artifact, call);
      } catch (failure) {
        thrown.push(failure);
      }
    }
    const signal = thrown.find((failure) => failure instanceof SignalError);
    if (signal !== undefined) throw signal;
    if (thrown.length > 1) throw new AggregateError(thrown, `${thrown.length} sinks failed.`);
    if (thrown.length === 1) throw thrown[0];
  };
