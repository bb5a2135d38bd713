import { StopController, TIMERS } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelMedia,
  type ModelReply,
  type ModelRequest,
} from './chat-model.ts';
import type { MessageSanitizer } from './message-gate.ts';
import { checkPrices, type Prices } from './prices.ts';
import { type RetryClock, withRetries } from './retry.ts';
import type { ModelSettings } from './settings.ts';

/** The default limit on silence in a streamed reply, in ms. */
const STREAM_TIMEOUT_MS = 120_000;

/** The same limit for an unstreamed reply, before which a model can think for a long time. */
const WHOLE_TIMEOUT_MS = 600_000;

/** The default number of retries. */
export const DEFAULT_RETRIES = 2;

/** Options that every adapter accepts. */
export interface AdapterOptions {
  /** The number of retries after a transient failure, before any output. Defaults to 2. */
  readonly retries?: number | undefined;
  /** The model's prices, which cost limits require. */
  readonly prices?: Prices | undefined;
  /**
   * The maximum number of tokens in one reply. Defaults to the model's own maximum, and to 4,096 under a
   * token or cost limit.
   */
  readonly maxOutputTokens?: number | undefined;
  /** Default settings, which an agent can override. */
  readonly settings?: ModelSettings | undefined;
}

/** The traits of a model that an adapter declares. */
type Traits = Pick<ChatModel, 'prices' | 'maxOutputTokens' | 'settings' | 'media'>;

/**
 * Returns the traits among the options of an adapter, without keys for absent ones. `never` names the lists
 * of media types that must be empty, because the adapter cannot send a file there.
 *
 * @throws TypeError for an invalid price. In development, also for any other invalid option.
 */
export function readTraits(
  told: AdapterOptions & { readonly media?: ModelMedia | undefined },
  ...never: NonNullable<Parameters<NonNullable<typeof literals>['adapterProblem']>[1]>
): Traits {
  literals?.refuse(TypeError, literals.adapterProblem(told, never));
  const { prices, settings, media, maxOutputTokens } = told;
  return {
    ...checkPrices(prices),
    ...(settings && { settings }),
    ...(media && { media }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/** The settings that an adapter uses for every model call. */
interface AskSettings {
  /** The longest silence in ms. Defaults to 2 minutes for a streamed reply and 10 for a whole one. */
  readonly timeout: number | undefined;
  readonly retries: number;
  /** Sanitizes every error message. */
  readonly gate: MessageSanitizer;
  readonly pace: RetryClock;
}

/** Makes one attempt. An error other than a ModelError passes through unchanged. */
type AttemptWork = (attempt: OpenAttempt) => Promise<ModelReply>;

/**
 * Asks with retries. Each attempt waits no longer than the settings allow. A transient failure leads to
 * another attempt until output begins. Sanitizes all error messages.
 *
 * @throws ModelError of the last attempt. Errors from `onText`, `onReasoning` and `again` pass through.
 */
export const askWithRetries = (
  settings: AskSettings,
  request: ModelRequest,
  options: AskOptions & AttemptOptions,
): Promise<ModelReply> =>
  withRetries(() => attemptOnce(settings, request, options), {
    retries: settings.retries,
    signal: options.signal,
    pace: settings.pace,
    again: options.again,
  });

/** The work of one attempt. */
interface AttemptOptions {
  readonly work: AttemptWork;
  /** `true` if the reply is not streamed, so no data arrives before it. */
  readonly whole?: boolean | undefined;
}

/** One attempt at a reply, for use by an adapter. */
export interface OpenAttempt {
  readonly patience: SilenceTimer;
  /** Aborts when the attempt ends, with or without success, so no request or stream stays open. */
  readonly signal: AbortSignal;
  readonly onText: (piece: string) => void;
  readonly onReasoning: (piece: string) => void;
  /** Records the wait that the server asks for, and returns the error to throw. */
  fail(failure: ExplainedFailure): ModelError;
}

/** The reason why an attempt failed. */
export interface ExplainedFailure {
  /** An error whose message can still contain secrets. */
  readonly error: ModelError;
  /** The wait before the next attempt that the server asks for, in ms. `Infinity` if a retry cannot help. */
  readonly retryAfter?: number | undefined;
}

const attemptOnce = async (
  { timeout: given, gate }: AskSettings,
  { messages }: ModelRequest,
  { signal, onText, onReasoning, alive, whole, work }: AskOptions & AttemptOptions,
): Promise<ModelReply> => {
  const over = new StopController(signal);
  const streamed = !whole;
  const timeout = given ?? (streamed ? STREAM_TIMEOUT_MS : WHOLE_TIMEOUT_MS);
  const reportAlive = (): void => void (streamed && alive?.(timeout));
  const patience = createSilenceTimer(signal, timeout, reportAlive);
  let outputBegan = false;
  let retryAfter: number | undefined;
  const createPieceListener = (listener: AskOptions['onText']) => (piece: string) => {
    if (!listener) return;
    outputBegan = true;
    listener(piece);
  };
  try {
    patience.check();
    reportAlive();
    return await work({
      patience,
      signal: over.signal,
      onText: createPieceListener(onText),
      onReasoning: createPieceListener(onReasoning),
      fail(failure) {
        retryAfter = failure.retryAfter;
        return failure.error;
      },
    });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { failure, message, status, length } = error;
    const told = gate(message, messages);
    retryAfter ??= error.retryAfter;
    const details = { reason: told.reason, status, retryAfter, outputBegan, length };
    throw new ModelError(failure, told.message, details);
  } finally {
    reportAlive(); // the wait before a retry does not count as silence of the model
    over.abort();
    over.end();
  }
};

/** Limits how long one attempt waits for a server. */
export interface SilenceTimer {
  /**
   * Starts `work` and waits for it. Removes its timer and listener in every case.
   *
   * @throws ModelError `aborted` as soon as the signal aborts, `timeout` after the longest silence, or the
   * error that `broken` returns if `work` rejects. The work itself is not stopped.
   */
  wait<T>(work: () => Promise<T>, broken: (error: unknown) => ModelError): Promise<T>;
  /** @throws ModelError `aborted` if the signal has aborted. */
  check(): void;
}

/**
 * Creates the timer of one attempt. `timeout` is the longest silence in ms. `heard` is called whenever data
 * has arrived.
 */
const createSilenceTimer = (signal: AbortSignal, timeout: number, heard = (): void => {}): SilenceTimer => {
  const check = (): void => {
    if (signal.aborted) throw createAbortedError();
  };
  return {
    check,
    async wait(work, broken) {
      check();
      const stop = new StopController(signal);
      const onSilence = (): void =>
        stop.abort(new ModelError('timeout', `The model's server was silent for ${timeout} ms.`));
      const cancel = TIMERS.after(Math.min(timeout, MAX_TIMER_MS), onSilence);
      try {
        // Awaited directly: with another await in between, data that arrives just before the connection
        // breaks would be lost.
        const came = await stop.until(work());
        heard();
        return came;
      } catch (error) {
        check();
        throw error instanceof ModelError ? error : broken(error);
      } finally {
        cancel();
        stop.end();
      }
    },
  };
};

/** A longer delay overflows `setTimeout`, which then fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const createAbortedError = (): ModelError =>
  new ModelError('aborted', 'The request to the model was aborted.');

/**
 * Starts work and waits for it. If its result arrives after the wait has ended, because the work ignored its
 * signal, `release` disposes of it.
 *
 * @throws ModelError as `patience.wait` does.
 */
export const waitOrRelease = async <T>(
  patience: SilenceTimer,
  work: () => PromiseLike<T>,
  handlers: {
    readonly broken: (error: unknown) => ModelError;
    readonly release: (late: T) => unknown;
  },
): Promise<T> => {
  const pending = (async () => work())();
  try {
    return await patience.wait(() => pending, handlers.broken);
  } catch (error) {
    pending.then(handlers.release).catch(() => {});
    throw error;
  }
};
