import { literals } from '../../tool/literals.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import type { LoopInspector, LoopPlace, ToolCallSeen, ToolResultSeen } from './inspector.ts';

/** The severity of a log line, from most to least severe. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** One line of a log. */
export interface LogLine {
  readonly level: LogLevel;
  /** The name of the logger: `holdfast.tool.{name}`, `holdfast.model.{name}` or `holdfast.loop.{path}`. */
  readonly logger: string;
  readonly message: string;
  /** The ids of the session and the turn. */
  readonly session: string;
  readonly turn: string;
}

/** The destination and level of detail of an inspector's log. */
export interface LoggingOptions {
  /** Receives each line. Defaults to the console. */
  readonly log?: ((line: LogLine) => void) | undefined;
  /** The least severe level to log. Defaults to `info`. */
  readonly level?: LogLevel | undefined;
  /**
   * The maximum number of characters of an input or a result in a call's line. Use -1 for all and 0 for none.
   * Defaults to 200.
   */
  readonly truncate?: number | undefined;
}

/**
 * Logs the tool calls of an agent. A successful call is logged as `info`, a failed call as `warn`, and a
 * configuration mistake as `error`, each with input, result and duration. `debug` adds the full texts, and
 * `trace` the tool's definition for the model. A failed model call is logged as `error` with its reason. The
 * log never contains `call.secrets`, but it contains inputs and results, so keep confidential data out of
 * them.
 *
 * @throws RangeError if `truncate` is not a whole number of at least -1.
 *
 * @example
 * ```ts
 * const use = [inspect(loggingInspector({ level: 'warn', truncate: 80 }))];
 * ```
 */
export function loggingInspector(options: LoggingOptions = {}): LoopInspector {
  const { log = logToConsole, level: finest = 'info', truncate = 200 } = options;
  if (!Number.isInteger(truncate) || truncate < -1) {
    throw new RangeError(`loggingInspector: truncate is ${truncate}. Use a whole number of at least -1.`);
  }
  const write = (level: LogLevel, { session, turn, call }: ToolCallSeen, what: () => string): void => {
    if (LOG_LEVELS.indexOf(level) > LOG_LEVELS.indexOf(finest)) return;
    const name = toLoggerName(call.name); // models can invent names
    const message = escapeLineBreaks(`Tool '${name}' ${what()}`);
    log({ level, logger: `holdfast.tool.${name}`, message, session, turn });
  };
  return {
    beforeToolCall(seen) {
      write('trace', seen, () => `is ${JSON.stringify(seen.definition() ?? null)}`);
      write('debug', seen, () => `is called with ${seen.call.input}`);
    },
    modelFailed({ session, turn, model, failure, message: why, ms }) {
      const message = escapeLineBreaks(
        `Model '${model}' failed (${failure}) in ${Math.round(ms)} ms: ${why}`,
      );
      log({ level: 'error', logger: `holdfast.model.${toLoggerName(model)}`, message, session, turn });
    },
    afterToolCall(seen) {
      const { input } = seen.call;
      const shortenText = (text: string): string => truncateText(text, truncate);
      const formatWords = (): string =>
        truncate === 0 ? '' : `: ${shortenText(input)} -> ${shortenText(seen.text)}`;
      const [level, became] = getLevel(seen);
      write(level, seen, () => `${became} in ${Math.round(seen.ms)} ms${formatWords()}`);
      write('debug', seen, () => `answered ${seen.text}`);
    },
  };
}

const toLoggerName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

const LOG_LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug', 'trace'];

function getLevel({ result }: ToolResultSeen): readonly [level: LogLevel, became: string] {
  if (result.signal?.type === 'misconfigured') return ['error', 'is misconfigured'];
  switch (callOutcome(result)) {
    case 'success':
      return ['info', 'succeeded'];
    case 'failure':
    case 'error':
      return ['warn', 'failed'];
    case 'skipped':
      return ['warn', 'was not run'];
  }
}

const truncateText = (text: string, max: number): string =>
  max === -1 || text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;

/** Escapes line breaks, so that external text cannot imitate log lines. */
const escapeLineBreaks = (text: string): string => text.replaceAll('\r', '\\r').replaceAll('\n', '\\n');

/**
 * Writes a line to the console, as text in development and as JSON in production. Uses `debug` for `trace`,
 * because `console.trace` would add a stack.
 */
function logToConsole(line: LogLine): void {
  const level = line.level === 'trace' ? 'debug' : line.level;
  console[level](literals?.inspectedInWords(line) ?? JSON.stringify(line));
}

/** Options of `loopLoggingInspector`. */
export interface LoopLoggingOptions extends Pick<LoggingOptions, 'log'> {
  /** The level of every line. Defaults to `debug`. */
  readonly level?: Extract<LogLevel, 'info' | 'debug' | 'trace'> | undefined;
}

/**
 * Logs the course of an agent's loops: a line for each model call, reply, result and iteration, with sizes
 * and times but no content. `loggingInspector` logs the inputs and results of tools.
 */
export function loopLoggingInspector(options: LoopLoggingOptions = {}): LoopInspector {
  const { log = logToConsole, level = 'debug' } = options;
  const write = ({ path, iteration, session, turn }: LoopPlace, what: string): void => {
    const logger = `holdfast.loop.${path.replaceAll('/', '.')}`;
    log({ level, logger, message: `${iteration}: ${what}`, session, turn });
  };
  return {
    beforeModelCall(seen) {
      const { messages, tools } = seen;
      const size = messages.reduce((sum, { text }) => sum + text.length, 0);
      write(seen, `asks with ${messages.length} messages of ${size} characters and ${tools.length} tools`);
    },
    toolsChanged(seen) {
      const { came, went, cause } = seen;
      write(seen, `has other tools: ${came.length} added and ${went.length} removed by the ${cause}`);
    },
    afterModelCall(seen) {
      const { text, calls, ms } = seen;
      write(seen, `receives ${text.length} characters and ${calls.length} calls in ${Math.round(ms)} ms`);
    },
    modelFailed(seen) {
      write(seen, `has no reply after ${Math.round(seen.ms)} ms: ${seen.failure}`);
    },
    afterToolCall(seen) {
      const { call, text, ms } = seen;
      write(
        seen,
        `has a result of ${text.length} characters for ${call.input.length} in ${Math.round(ms)} ms`,
      );
    },
    afterIteration(seen) {
      write(seen, `ends with ${seen.calls.length} calls`);
    },
  };
}

/** The tags of a measurement. */
export type MetricTags = Readonly<Record<string, string>>;

/** Receives measurements, from the library and from tools that use the same object. */
export interface Metrics {
  count(name: string, by: number, tags: MetricTags): void;
  value(name: string, value: number, tags: MetricTags): void;
}

/** A `Metrics` object that discards all measurements. */
export const NO_METRICS: Metrics = { count: () => {}, value: () => {} };

/**
 * Measures the tool calls of an agent. Each call counts once as `holdfast.tool.success`,
 * `holdfast.tool.failure`, `holdfast.tool.error` or `holdfast.tool.skipped`, and adds its milliseconds to
 * `holdfast.tool.duration`. The tags are `tool` and `agent`, which defaults to `unknown`.
 *
 * @example
 * ```ts
 * const metrics = { count: console.log, value: console.log };
 * const use = [inspect(metricsInspector(metrics))];
 * ```
 */
export const metricsInspector = (metrics: Metrics = NO_METRICS): LoopInspector => ({
  afterToolCall({ call, path, result, ms }) {
    const [agent = ''] = path.split('/');
    const tags = { tool: call.name, agent: agent === '' ? 'unknown' : agent };
    metrics.count(`holdfast.tool.${callOutcome(result)}`, 1, tags);
    metrics.value('holdfast.tool.duration', ms, tags);
  },
});

/**
 * The outcome of a call, for metrics. `failure` means that the tool or a person refused. `error` means that
 * the tool's code threw, or the outcome is unknown. `skipped` means that the call did not run, because a
 * limit was reached or the loop had ended.
 */
export type CallOutcome = 'success' | 'failure' | 'error' | 'skipped';

/** Returns the outcome of a call. It depends on the type of the result, never on its text. */
export function callOutcome(result: ResultData): CallOutcome {
  if (result.type !== 'error') return 'success';
  switch (result.reason) {
    case 'limit':
    case 'skipped':
      return 'skipped';
    case 'threw':
    case 'timeout':
    case 'cancelled':
    case 'unknown-outcome':
      return 'error';
    default:
      return result.signal ? 'error' : 'failure';
  }
}
