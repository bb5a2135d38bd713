import type { LoopInspector, LoopPlace } from './inspector.ts';
import type { LoggingOptions, LogLevel } from './logging-inspector.ts';
import { logToConsole } from './logging-inspector.ts';

export interface LoopLoggingOptions extends Pick<LoggingOptions, 'log'> {
  /** Of every line; `debug` unless given. */
  readonly level?: Extract<LogLevel, 'info' | 'debug' | 'trace'> | undefined;
}

/**
 * Logs how the loops of an agent go on: a line for each model call, reply, result and iteration, with sizes and times and
 * never a word of what was said (CBK-09). `loggingInspector` logs what tools were given and answered.
 */
export function loopLoggingInspector(options: LoopLoggingOptions = {}): LoopInspector {
  const { log = logToConsole, level = 'debug' } = options;
  const write = ({ path, iteration }: LoopPlace, what: string): void =>
    log({ level, logger: `holdfast.loop.${path.replaceAll('/', '.')}`, message: `${iteration}: ${what}` });
  return {
    beforeModelCall(seen) {
      const { messages, tools } = seen;
      const size = messages.reduce((sum, { text }) => sum + text.length, 0);
      write(seen, `asks with ${messages.length} messages of ${size} characters and ${tools.length} tools`);
    },
    afterModelCall(seen) {
      const { text, calls, ms } = seen;
      write(
        seen,
        `is answered with ${text.length} characters and ${calls.length} calls in ${Math.round(ms)} ms`,
      );
    },
    afterToolCall(seen) {
      const { call, text, ms } = seen;
      write(
        seen,
        `has a result of ${text.length} characters for ${call.input.length} in ${Math.round(ms)} ms`,
      );
    },
    afterIteration(seen) {
      write(seen, `is over, with ${seen.calls.length} calls`);
    },
  };
}
