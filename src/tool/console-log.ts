/** Writes lines of the log to the console. */
import { literals } from './literals.ts';
import { hiding, type Log, type LogEntry, type LogOption, warning, withStack } from './log.ts';
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

/** Writes a line to the console as one JSON object. In development a problem is written in words, with what was thrown behind it. */
function writeToConsole({ thrown, ...line }: LogEntry): void {
  console[line.level](...(literals?.inWords(line, thrown) ?? [JSON.stringify(line)]));
}

/** Writes what went wrong to the console, and no line for a turn that has ended well. */
export function writeProblems(entry: LogEntry): void {
  if (entry.level !== 'info') writeToConsole(entry);
}

/** Warns of a definition, before there is an app whose log could have it. */
export const warnDeveloper = (message: string, thrown?: unknown): void => toLog()(warning(message, thrown));

/** The log of what runs without an app. */
export const consoleLog = (secrets: Secrets = Secrets.NONE): Log => hiding(toLog(), {}, () => secrets);
