/** Creates logs: their destination, and the data that they add and redact. */
import { literals } from './literals.ts';
import {
  createWarningEntry,
  formatStack,
  type Log,
  type LogEntry,
  type LogOption,
  type LogPlace,
  type LogProblem,
} from './log.ts';
import { Secrets } from './secrets.ts';

/**
 * Returns a log that passes its lines to a function of the app. Defaults to the console. `false` drops them.
 * Errors of the function are ignored.
 */
export const toLog = (option: LogOption = writeToConsole): Log =>
  option === false
    ? () => {}
    : (entry) => {
        try {
          option(withStack(entry));
        } catch {
          // A failing log must not fail the code that logs.
        }
      };

/** Returns a log that redacts secrets, and adds the place where its lines come from. */
export const createRedactingLog =
  (log: Log, place: LogPlace, secrets: () => Secrets): Log =>
  (entry) => {
    const placed = withStack({ ...place, ...entry });
    const hidden = secrets();
    const isBare = placed.thrown === undefined || hidden.isEmpty;
    log(hidden.redact(isBare ? placed : { ...placed, thrown: undefined }));
  };

/** Returns the line with the stack of the thrown value, if it has none yet. */
const withStack = (entry: LogEntry): LogEntry =>
  entry.thrown === undefined || entry.stack !== undefined
    ? entry
    : { ...entry, stack: formatStack(entry.thrown) };

/**
 * Writes a line to the console as one JSON object. In development, writes a problem as text, followed by the
 * thrown value.
 */
function writeToConsole({ thrown, ...line }: LogEntry | DebugLine): void {
  console[line.level](...(literals?.inWords(line, thrown) ?? [JSON.stringify(line)]));
}

/** A line at level `debug`. It goes only to the console, never to an app's log. */
interface DebugLine extends Omit<LogProblem, 'level'> {
  readonly level: 'debug';
}

/** Writes the reason for a failed lookup to the console, at level `debug`. */
export const writeDebug = (message: string, thrown: unknown): void =>
  writeToConsole({ ...createWarningEntry(message, thrown), level: 'debug', stack: formatStack(thrown) });

/** Writes problems to the console, but no lines about turns that ended well. */
export function writeProblems(entry: LogEntry): void {
  if (entry.level !== 'info') writeToConsole(entry);
}

/** Logs a warning about a definition to the console, since the app and its log do not exist yet. */
export const warnDeveloper = (message: string, thrown?: unknown): void =>
  toLog()(createWarningEntry(message, thrown));

/** Returns the log of code that runs without an app. */
export const createConsoleLog = (secrets: Secrets = Secrets.NONE): Log =>
  createRedactingLog(toLog(), {}, () => secrets);
