import { memoize } from './async.ts';
/** The known parts of the place where a line originates. */
export interface LogPlace {
  /** The owner of the session. */
  readonly owner?: { readonly id?: string | undefined; readonly tenant?: string | undefined } | undefined;
  readonly agent?: string | undefined;
  /** The session's id, as in its URL. */
  readonly session?: string | undefined;
  readonly turn?: string | undefined;
  /** The id of the principal that sent the turn's message. */
  readonly principal?: string | undefined;
  /** The id of the HTTP request that began the invocation, as in its `x-request-id`. */
  readonly requestId?: string | undefined;
}

/** The stable name of a kind of problem. */
export type LoggedProblem =
  /** Code of a tool threw. The model sees the message, unless the agent's policies end the turn. */
  | 'tool-threw'
  /** A value of a tool was not stored as returned: a result, a file or a state. */
  | 'value-lost'
  | 'model-failed'
  /** An unreadable turn has failed. Other failed turns are logged as `turn`. */
  | 'turn-failed'
  /** An unreadable turn was abandoned, since its invocations made no progress. */
  | 'turn-stuck'
  /** The platform sent a cron time that no schedule has. */
  | 'cron-not-taken'
  /** A delivery to a webhook was refused, or its code threw. */
  | 'webhook-refused'
  /** An outgoing webhook about a stopped turn was not delivered. */
  | 'webhook-not-delivered'
  /** Work in a session is due for a module that the deployment does not use. */
  | 'module-missing'
  | 'schedule-failed'
  | 'request-failed'
  /** Any other problem, such as an inspector that threw. */
  | 'other';

/** A problem that the operator of the app should know. */
export interface LogProblem extends LogPlace {
  readonly level: 'error' | 'warn';
  readonly event: LoggedProblem;
  /** The problem in one line. */
  readonly message: string;
  /** The stack of the thrown error, and those of its causes. */
  readonly stack?: string | undefined;
  /** The thrown value. Absent if there are secrets, since it could contain them. */
  readonly thrown?: unknown;
  /** The name of the tool concerned. */
  readonly tool?: string | undefined;
  /** The name of the model concerned. */
  readonly model?: string | undefined;
}

/** The outcome of a turn that has ended. A failed turn is logged at level `error`, with the reason. */
export interface LogTurn extends LogPlace {
  readonly level: 'info' | 'error';
  readonly event: 'turn';
  readonly outcome: string;
  /** The type of a failed turn's error. */
  readonly error?: string | undefined;
  /** Why the turn failed, in one line. */
  readonly message?: string | undefined;
  /** The stack of an unexpected error, as in `LogProblem`. */
  readonly stack?: string | undefined;
  readonly thrown?: unknown;
  /** Milliseconds from its start to its end, including waits for answers. */
  readonly ms: number;
  /** The name of the model that replied last. */
  readonly model?: string | undefined;
  readonly iterations: number;
  /** The usage that its models reported, and its cost in USD if they have prices. */
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedInputTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
    readonly reasoningTokens?: number | undefined;
    readonly cost?: number | undefined;
  };
  /** The number of calls of each tool, by name. */
  readonly tools: Readonly<Record<string, number>>;
}

/**
 * Reports a conversation that is so long that a summary of its older turns would save costs. Logged once per
 * session, and never if the app summarizes.
 */
export interface LogLong extends LogPlace {
  readonly level: 'info';
  readonly event: 'long-conversation';
  /** One line: the number of characters that a model reads in every call, and a link to the docs. */
  readonly message: string;
  readonly stack?: undefined;
  readonly thrown?: undefined;
}

/** One line of the log. */
export type LogEntry = LogProblem | LogTurn | LogLong;

/** The receiver of the log's lines. `false` drops them. */
export type LogOption = false | ((entry: LogEntry) => void);

/** Writes a line to the log. Never throws. */
export type Log = (entry: LogEntry) => void;

/** Returns a warning for a failure that does not stop the work. `thrown`: the cause. */
export const createWarningEntry = (message: string, thrown?: unknown): LogProblem => ({
  level: 'warn',
  event: 'other',
  message,
  ...(thrown !== undefined && { thrown }),
});

/** Returns an error line for a failure that does not stop the turn, such as in an app's code. */
export const createErrorEntry = (
  message: string,
  thrown?: unknown,
  event: LoggedProblem = 'other',
): LogProblem => ({
  ...createWarningEntry(message, thrown),
  level: 'error',
  event,
});

const loggedMessages = memoize((_: Log) => new Set<string>());

/** Writes a problem to a log, unless it already has one with the same message. */
export function logOnce(log: Log, problem: LogProblem): void {
  const messages = loggedMessages(log);
  if (messages.has(problem.message)) return;
  messages.add(problem.message);
  log(problem);
}

/** Returns the stack of a thrown value, and those of its causes. */
export function formatStack(thrown: unknown, causes = 5): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const own = thrown.stack || String(thrown);
    const { cause } = thrown;
    return cause === undefined || causes === 0 ? own : `${own}\nCaused by: ${formatStack(cause, causes - 1)}`;
  } catch {
    return 'It cannot be shown.';
  }
}

/** Returns the first line of a text, for the log. */
export const getFirstLine = (words: string): string => /^[^\r\n]{0,300}/.exec(words.trimStart())?.[0] ?? '';
