import { literals } from '../../tool/literals.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import type { LoopInspector, LoopPlace, ToolCallSeen, ToolResultSeen } from './inspector.ts';

/** How grave a line of the log is, from the gravest to the finest. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** One line of a log. */
export interface LogLine {
  readonly level: LogLevel;
  /** `holdfast.tool.{name}`, `holdfast.model.{name}` or `holdfast.loop.{path}`. */
  readonly logger: string;
  readonly message: string;
  /** Of the session and the turn: their ids. */
  readonly session: string;
  readonly turn: string;
}

/** What an inspector logs, how much of it, and where to. */
export interface LoggingOptions {
  /** Takes each line; the console unless given. */
  readonly log?: ((line: LogLine) => void) | undefined;
  /** The finest level that is logged; `info` unless given. */
  readonly level?: LogLevel | undefined;
  /** Characters of an input or a result in the line of a call: 200 unless given, -1 for all, 0 for none. */
  readonly truncate?: number | undefined;
}

/**
 * Logs the tool calls of an agent: `info` for a call that succeeded, `warn` for one that failed, `error` for a
 * mistake of configuration, each with input, result and duration; `debug` the whole texts; `trace` what the model was
 * told of the tool. A model call that failed is an `error`, with its reason. What a log must not hold must not be in an input or a result; `call.secrets` are not.
 *
 * @throws RangeError when `truncate` is not a whole number from -1.
 */
export function loggingInspector(options: LoggingOptions = {}): LoopInspector {
  const { log = logToConsole, level: finest = 'info', truncate = 200 } = options;
  if (!Number.isInteger(truncate) || truncate < -1) {
    throw new RangeError(`loggingInspector: truncate is ${truncate}; use a whole number from -1.`);
  }
  const write = (level: LogLevel, { session, turn, call }: ToolCallSeen, what: () => string): void => {
    if (LEVELS.indexOf(level) > LEVELS.indexOf(finest)) return;
    const name = inLogger(call.name); // a model may make names up
    const message = oneLine(`Tool '${name}' ${what()}`);
    log({ level, logger: `holdfast.tool.${name}`, message, session, turn });
  };
  return {
    beforeToolCall(seen) {
      write('trace', seen, () => `is ${JSON.stringify(seen.definition() ?? null)}`);
      write('debug', seen, () => `is called with ${seen.call.input}`);
    },
    modelFailed({ session, turn, model, failure, message: why, ms }) {
      const message = oneLine(`Model '${model}' failed (${failure}) in ${Math.round(ms)} ms: ${why}`);
      log({ level: 'error', logger: `holdfast.model.${inLogger(model)}`, message, session, turn });
    },
    afterToolCall(seen) {
      const { input } = seen.call;
      const cut = (text: string): string => truncated(text, truncate);
      const words = (): string => (truncate === 0 ? '' : `: ${cut(input)} -> ${cut(seen.text)}`);
      const [level, became] = gravity(seen);
      write(level, seen, () => `${became} in ${Math.round(seen.ms)} ms${words()}`);
      write('debug', seen, () => `answered ${seen.text}`);
    },
  };
}

const inLogger = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug', 'trace'];

function gravity({ result }: ToolResultSeen): readonly [level: LogLevel, became: string] {
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

const truncated = (text: string, max: number): string =>
  max === -1 || text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;

/** What comes from outside must not look like lines of their own. */
const oneLine = (text: string): string => text.replaceAll('\r', '\\r').replaceAll('\n', '\\n');

/** Writes a line to the console, in words or, in production, as JSON; `console.trace` would add a stack. */
function logToConsole(line: LogLine): void {
  const level = line.level === 'trace' ? 'debug' : line.level;
  console[level](literals?.inspectedInWords(line) ?? JSON.stringify(line));
}

/** How an inspector logs the course of a loop. */
export interface LoopLoggingOptions extends Pick<LoggingOptions, 'log'> {
  /** Of every line; `debug` unless given. */
  readonly level?: Extract<LogLevel, 'info' | 'debug' | 'trace'> | undefined;
}

/**
 * Logs how the loops of an agent go on: a line for each model call, reply, result and iteration, with sizes and times and
 * never a word of what was said. `loggingInspector` logs what tools were given and answered.
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
      write(seen, `is offered other tools: ${came.length} came and ${went.length} went, by the ${cause}`);
    },
    afterModelCall(seen) {
      const { text, calls, ms } = seen;
      write(
        seen,
        `is answered with ${text.length} characters and ${calls.length} calls in ${Math.round(ms)} ms`,
      );
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
      write(seen, `is over, with ${seen.calls.length} calls`);
    },
  };
}

/** What a measurement belongs to. */
export type MetricTags = Readonly<Record<string, string>>;

/** Takes measurements: the library's, and those of tools that were given the same object. */
export interface Metrics {
  count(name: string, by: number, tags: MetricTags): void;
  value(name: string, value: number, tags: MetricTags): void;
}

/** Takes measurements and forgets them. */
export const NO_METRICS: Metrics = { count: () => {}, value: () => {} };

/**
 * Measures the tool calls of an agent: one count of `holdfast.tool.success`, `holdfast.tool.failure`,
 * `holdfast.tool.error` or `holdfast.tool.skipped` a call, and `holdfast.tool.duration` in milliseconds, tagged with the `tool`, and the `agent` or `unknown`.
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
 * What came of a call, for whoever counts calls. `failure`: the tool, or whoever was asked, said no. `error`: its
 * code threw, or nobody knows. `skipped`: it was not run, since a limit was met or the loop had ended.
 */
export type CallOutcome = 'success' | 'failure' | 'error' | 'skipped';

/** Decides by the type of a result, never by its words. */
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
