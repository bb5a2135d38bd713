import { memoized } from './async.ts';
/** Where something happened, as far as that is known. */
export interface LogPlace {
  /** Of the session. */
  readonly owner?: { readonly id?: string | undefined; readonly tenant?: string | undefined } | undefined;
  readonly agent?: string | undefined;
  /** The session's id, as its owner calls it. */
  readonly session?: string | undefined;
  readonly turn?: string | undefined;
  /** The id of whoever sent the message of the turn. */
  readonly principal?: string | undefined;
  /** Of the HTTP request that began the invocation, as in its `x-request-id`. */
  readonly requestId?: string | undefined;
}

/** What went wrong, by a word that stays. */
export type LoggedProblem =
  /** Code of a tool threw; the model is told what, unless the agent's policies end the turn for it. */
  | 'tool-threw'
  /** A tool gave what is not kept as it was given: a result, a file, a state. */
  | 'value-lost'
  | 'model-failed'
  /** A turn that could not be read has failed; any other is a line of its turn. */
  | 'turn-failed'
  /** A turn that could not be read was abandoned, since no invocation made progress. */
  | 'turn-stuck'
  /** The platform sent a time that no schedule has. */
  | 'cron-not-taken'
  /** A delivery of a webhook was not taken: refused, or its code threw. */
  | 'webhook-refused'
  /** An outgoing webhook was not told that a turn has stopped. */
  | 'webhook-not-delivered'
  /** Work is due in a session for a module that the deployment does not use. */
  | 'module-missing'
  | 'schedule-failed'
  | 'request-failed'
  /** Anything else, such as an inspector that threw. */
  | 'other';

/** Something that whoever runs the app should know. */
export interface LogProblem extends LogPlace {
  readonly level: 'error' | 'warn';
  readonly event: LoggedProblem;
  /** One line. */
  readonly message: string;
  /** What was thrown, in words: its stack, and those of its causes. */
  readonly stack?: string | undefined;
  /** What was thrown itself; absent where there are secrets, which may stand anywhere in it. */
  readonly thrown?: unknown;
  /** The name of the tool that it is about. */
  readonly tool?: string | undefined;
  /** The name of the model that it is about. */
  readonly model?: string | undefined;
}

/** The outcome of a turn that has ended. One that failed is logged at the level `error`, with the reason. */
export interface LogTurn extends LogPlace {
  readonly level: 'info' | 'error';
  readonly event: 'turn';
  readonly outcome: string;
  /** The type of the error of a turn that failed. */
  readonly error?: string | undefined;
  /** Why it failed, in one line. */
  readonly message?: string | undefined;
  /** As those of a problem, of an unforeseen error. */
  readonly stack?: string | undefined;
  readonly thrown?: unknown;
  /** Milliseconds from its start to its end, what it waited for somebody included. */
  readonly ms: number;
  /** The name of the model that answered last. */
  readonly model?: string | undefined;
  readonly iterations: number;
  /** As its models reported it, and what it cost in dollars, if they have prices. */
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedInputTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
    readonly reasoningTokens?: number | undefined;
    readonly cost?: number | undefined;
  };
  /** How often each tool was called, by its name. */
  readonly tools: Readonly<Record<string, number>>;
}

/** The conversation of a session is now so long that a summary of its older turns pays. Once a session; never where one is written. */
export interface LogLong extends LogPlace {
  readonly level: 'info';
  readonly event: 'long-conversation';
  /** One line: how many characters a model reads of it in every call, and where to read on. */
  readonly message: string;
  readonly stack?: undefined;
  readonly thrown?: undefined;
}

/** One line of the log. */
export type LogEntry = LogProblem | LogTurn | LogLong;

/** Takes the lines of the log, or nothing of them: `false`. */
export type LogOption = false | ((entry: LogEntry) => void);

/** Takes lines of the log, and never throws. */
export type Log = (entry: LogEntry) => void;

/** A line about something that goes on without what failed; `thrown`: why it did. */
export const warning = (message: string, thrown?: unknown): LogProblem => ({
  level: 'warn',
  event: 'other',
  message,
  ...(thrown !== undefined && { thrown }),
});

/** A line about what failed, such as code of an app, where the turn goes on without it. */
export const mistake = (message: string, thrown?: unknown, event: LoggedProblem = 'other'): LogProblem => ({
  ...warning(message, thrown),
  level: 'error',
  event,
});

const writtenTo = memoized((_: Log) => new Set<string>());

/** Writes a problem to a log, unless that log has one with this message. */
export function logOnce(log: Log, problem: LogProblem): void {
  const messages = writtenTo(log);
  if (messages.has(problem.message)) return;
  messages.add(problem.message);
  log(problem);
}

/** What was thrown, for whoever mends it: its stack, and those of what caused it. */
export function stackOf(thrown: unknown, causes = 5): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const own = thrown.stack || String(thrown);
    const { cause } = thrown;
    return cause === undefined || causes === 0 ? own : `${own}\nCaused by: ${stackOf(cause, causes - 1)}`;
  } catch {
    return 'It cannot be shown.';
  }
}

/** The first line of what was said, for a line of the log. */
export const firstLine = (words: string): string => /^[^\r\n]{0,300}/.exec(words.trimStart())?.[0] ?? '';
