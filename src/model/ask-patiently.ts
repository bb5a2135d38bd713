import { Stop, TIMERS } from '../tool/async.ts';
import { literals } from '../tool/literals.ts';
import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelMedia,
  type ModelReply,
  type ModelRequest,
} from './chat-model.ts';
import type { MessageGate } from './message-gate.ts';
import { checkPrices, type Prices } from './prices.ts';
import { type Pace, withRetries } from './retry.ts';
import type { ModelSettings } from './settings.ts';

/** The longest silence of a reply that is streamed, unless somebody says otherwise, in ms. */
const STREAM_TIMEOUT = 120_000;

/** The same of one that comes in one piece, in which a model may think for long. */
const WHOLE_TIMEOUT = 600_000;

/** How often an ask is tried again, unless somebody says otherwise. */
export const DEFAULT_RETRIES = 2;

/** What every adapter is told of its model, and of how that is asked. */
export interface AdapterOptions {
  /** How often a failure that may pass is tried again, before any output. Default 2. */
  readonly retries?: number | undefined;
  /** What the model costs, for cost limits. */
  readonly prices?: Prices | undefined;
  /** The most tokens of one reply. Default: the model's own, and 4,096 under a token or cost limit. */
  readonly maxOutputTokens?: number | undefined;
  /** How replies are made, where an agent does not say it. */
  readonly settings?: ModelSettings | undefined;
}

/** The traits of a model that an adapter declares. */
type Traits = Pick<ChatModel, 'prices' | 'maxOutputTokens' | 'settings' | 'media'>;

/**
 * Returns the traits among the options of an adapter, and no key for an absent one. `never`: the lists of media types that must be
 * empty, since the adapter cannot send a file there.
 *
 * @throws TypeError for a price that cannot be one; in development for anything that cannot be.
 */
export function traitsOf(
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

/** The way in which an adapter asks, which is the same for every ask. */
interface AskSettings {
  /** The longest silence in ms; 2 minutes of a streamed reply and 10 of a whole one unless given. */
  readonly timeout: number | undefined;
  readonly retries: number;
  /** What every error message passes. */
  readonly gate: MessageGate;
  readonly pace: Pace;
}

/** How one attempt is made. What it throws beside a ModelError comes out of the ask as it is. */
type Work = (attempt: OpenAttempt) => Promise<ModelReply>;

/**
 * Asks by attempts: each waits no longer than the settings allow, and a failure that may pass is followed by another while
 * nothing has been handed on. Every error's message has passed the gate.
 *
 * @throws ModelError of the last attempt, and what `onText`, `onReasoning` and `again` throw.
 */
export const askPatiently = (
  settings: AskSettings,
  request: ModelRequest,
  options: AskOptions & Asked,
): Promise<ModelReply> =>
  withRetries(() => attemptOnce(settings, request, options), {
    retries: settings.retries,
    signal: options.signal,
    pace: settings.pace,
    again: options.again,
  });

/** What is asked of one attempt. */
interface Asked {
  readonly work: Work;
  /** The reply comes in one piece: nothing is heard before. */
  readonly whole?: boolean | undefined;
}

/** One attempt at a reply, for the adapter to work with. */
export interface OpenAttempt {
  readonly patience: Patience;
  /** Fires when the attempt is over, however it ends, so that nothing of it stays open. */
  readonly signal: AbortSignal;
  /** Hands text on. */
  readonly onText: (piece: string) => void;
  /** Hands reasoning on. */
  readonly onReasoning: (piece: string) => void;
  /** Keeps the wait in mind that the server asks for, and gives the error to be thrown. */
  fail(failure: ExplainedFailure): ModelError;
}

/** Why an attempt comes to nothing. */
export interface ExplainedFailure {
  /** Its message may still hold secrets. */
  readonly error: ModelError;
  /** The wait before the next attempt that the server asks for, in ms; `Infinity` when another is of no use. */
  readonly retryAfter?: number | undefined;
}

const attemptOnce = async (
  { timeout: given, gate }: AskSettings,
  { messages }: ModelRequest,
  { signal, onText, onReasoning, alive, whole, work }: AskOptions & Asked,
): Promise<ModelReply> => {
  const over = new Stop(signal);
  const streamed = !whole;
  const timeout = given ?? (streamed ? STREAM_TIMEOUT : WHOLE_TIMEOUT);
  const heard = (): void => void (streamed && alive?.(timeout));
  const patience = createPatience(signal, timeout, heard);
  let outputBegan = false;
  let retryAfter: number | undefined;
  const handingTo = (listener: AskOptions['onText']) => (piece: string) => {
    if (!listener) return;
    outputBegan = true;
    listener(piece);
  };
  try {
    patience.check();
    heard();
    return await work({
      patience,
      signal: over.signal,
      onText: handingTo(onText),
      onReasoning: handingTo(onReasoning),
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
    heard(); // What is waited for before another attempt is no silence of the model.
    over.abort();
    over.end();
  }
};

/** How long one attempt waits for a server, and what ends the waiting. */
export interface Patience {
  /**
   * Starts `work` and waits for it. Whatever it does, no timer or listener is left behind.
   *
   * @throws ModelError `aborted` at once when the signal fires, `timeout` after the silence allowed, or what `broken`
   * makes when `work` rejects. The work itself is not stopped.
   */
  wait<T>(work: () => Promise<T>, broken: (error: unknown) => ModelError): Promise<T>;
  /** @throws ModelError `aborted` when the signal has fired. */
  check(): void;
}

/** Creates the patience of one attempt: `timeout` is the longest silence in ms. `heard` is told whenever something has come. */
const createPatience = (signal: AbortSignal, timeout: number, heard = (): void => {}): Patience => {
  const check = (): void => {
    if (signal.aborted) throw aborted();
  };
  return {
    check,
    async wait(work, broken) {
      check();
      const stop = new Stop(signal);
      const onSilence = (): void =>
        stop.abort(new ModelError('timeout', `The model's server was silent for ${timeout} ms.`));
      const cancel = TIMERS.after(Math.min(timeout, LONGEST_TIMER), onSilence);
      try {
        // Awaited as it is: what comes with a broken connection is heard only if nothing else is waited for between the two.
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
const LONGEST_TIMER = 2 ** 31 - 1;

/** The error for an ask whose signal fired. */
const aborted = (): ModelError => new ModelError('aborted', 'The request to the model was aborted.');

/**
 * Starts work and waits for it. What it comes to when nobody waits any more, since not everything heeds its signal, is
 * released.
 *
 * @throws ModelError as `patience.wait` does.
 */
export const waitOrRelease = async <T>(
  patience: Patience,
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
