import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import type { ModelTimeout } from '../model/settings.ts';
import { StopController } from '../tool/async.ts';
import { createWarningEntry, type Log } from '../tool/log.ts';
import type { Holder } from './holder.ts';

/** The default time limit of a reply in ms. */
const DEFAULT_TOTAL_MS = 600_000;

/** The default limit on the silence of a streaming model, in ms. */
const DEFAULT_SILENCE_MS = 120_000;

/**
 * Extra ms for an adapter with its own silence limit, so that it can retry or fail with its own message
 * first.
 */
const GRACE_MS = 5_000;

interface AskingLoop {
  readonly spec: { readonly model: ChatModel; readonly modelTimeout: ModelTimeout };
  readonly holder: Pick<Holder, 'after'>;
  readonly log: Log;
}

/**
 * Asks the loop's model within its time limits, and clears all timers. If a limit is reached, aborts the
 * model, ignores its further output and refuses its further requests.
 *
 * @throws ModelError `timeout` if it takes too long, and any error that the model throws.
 * @throws the reason of `signal` if it aborts.
 */
export async function askInTime(
  { spec, holder, log }: AskingLoop,
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const { model, modelTimeout } = spec;
  const { total = DEFAULT_TOTAL_MS, silence } = modelTimeout;
  const wait = new StopController(options.signal);
  let isOver = false;
  let outputBegan = false;
  let mostSilence = silence ?? DEFAULT_SILENCE_MS;
  /** The number of open `again` calls. Meanwhile, the model cannot stream. */
  let askingUs = 0;
  let cancelSilence: (() => void) | undefined;
  const leave = (why: string): void =>
    wait.abort(new ModelError('timeout', `The model '${model.name}' ${why}`, { outputBegan }));
  // A model that used all of its time is not asked again, even if its output had begun.
  const cancelTotal = holder.after(total, () => {
    outputBegan = false;
    leave(`did not answer within ${total} ms.`);
  });
  // The silence limit applies from the first sign that the model streams.
  const restartSilenceTimer = (): void => {
    if (isOver || askingUs > 0) return;
    cancelSilence?.();
    const most = mostSilence;
    cancelSilence = holder.after(Math.min(most, total), () => leave(`was silent for ${most} ms.`));
  };
  const createPieceListener = (tell: (piece: string) => void) => (piece: string) => {
    if (isOver) return;
    outputBegan = true;
    restartSilenceTimer();
    tell(piece);
  };
  const { onText, onReasoning, again } = options;
  try {
    const asked = model.ask(request, {
      get signal() {
        return wait.signal;
      },
      onText: onText && createPieceListener(onText),
      onReasoning: onReasoning && createPieceListener(onReasoning),
      again:
        again &&
        (async (failed) => {
          if (wait.aborted) throw wait.reason;
          if (isOver) throw new ModelError('aborted', 'The model has already answered.');
          // Its next request can go to another model, which may not stream.
          cancelSilence?.();
          askingUs += 1;
          await again(failed).finally(() => {
            askingUs -= 1;
          });
        }),
      alive(patience = 0) {
        if (silence === undefined) mostSilence = Math.max(mostSilence, patience + GRACE_MS);
        restartSilenceTimer();
      },
      warn: (message) => log(createWarningEntry(message)),
    });
    return await wait.until(asked);
  } catch (failure) {
    // The model's own error for its aborted signal does not show why it aborted.
    if (wait.aborted) throw wait.reason;
    throw failure;
  } finally {
    isOver = true;
    cancelTotal();
    cancelSilence?.();
    wait.end();
  }
}
