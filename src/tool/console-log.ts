/** Logs: where their lines are written, and what is told and hidden in them. */
import { literals } from './literals.ts';
import {
  type Log,
  type LogEntry,
  type LogOption,
  type LogPlace,
  type LogProblem,
  stackOf,
  warning,
} from './log.ts';
import { Secrets } from './secrets.ts';

/** Returns a log that gives its lines to a function of the app. Defaults to the console; `false` drops them. What the function throws is lost. */
export const toLog = (option: LogOption = writeToConsole): Log =>
  option === false
    ? () => {}
    : (entry) => {
        try {
          option(withStack(entry));
        } catch {
          // A log that fails must not fail what it tells of.
        }
      };

/** A log that hides secrets, and knows where what it is told has happened. */
export const hiding =
  (log: Log, place: LogPlace, secrets: () => Secrets): Log =>
  (entry) => {
    const placed = withStack({ ...place, ...entry });
    const hidden = secrets();
    const isBare = placed.thrown === undefined || hidden.isEmpty;
    log(hidden.redact(isBare ? placed : { ...placed, thrown: undefined }));
  };

/** Returns the line with the stack of what was thrown, if it has none yet. */
const withStack = (entry: LogEntry): LogEntry =>
  entry.thrown === undefined || entry.stack !== undefined
    ? entry
    : { ...entry, stack: stackOf(entry.thrown) };

/** Writes a line to the console as one JSON object. In development a problem is written in words, with what was thrown behind it. */
function writeToConsole({ thrown, ...line }: LogEntry | DebugLine): void {
  console[line.level](...(literals?.inWords(line, thrown) ?? [JSON.stringify(line)]));
}

/** A line at the level `debug`. It goes to the console only, never to the log of an app. */
interface DebugLine extends Omit<LogProblem, 'level'> {
  readonly level: 'debug';
}

/** Writes to the console, at the level `debug`, why a lookup found nothing. */
export const writeDebug = (message: string, thrown: unknown): void =>
  writeToConsole({ ...warning(message, thrown), level: 'debug', stack: stackOf(thrown) });

/** Writes what went wrong to the console, and no line for a turn that has ended well. */
export function writeProblems(entry: LogEntry): void {
  if (entry.level !== 'info') writeToConsole(entry);
}

/** Warns of a definition, before there is an app whose log could have it. */
export const warnDeveloper = (message: string, thrown?: unknown): void => toLog()(warning(message, thrown));

/** The log of what runs without an app. */
export const consoleLog = (secrets: Secrets = Secrets.NONE): Log => hiding(toLog(), {}, () => secrets);
