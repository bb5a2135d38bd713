import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import type { ModelTimeout } from '../model/settings.ts';
import { Stop } from '../tool/async.ts';
import { type Log, warning } from '../tool/log.ts';
import type { Holder } from './holder.ts';

/** How long a reply may take unless its agent says otherwise, in ms. */
const TOTAL = 600_000;

/** The same of the silence of a model that streams. */
const SILENCE = 120_000;

/** What an adapter that minds silence itself has left to act first: to try again, or to say it in its own words. */
const GRACE = 5_000;

/** Whoever asks a model. */
interface Asker {
  readonly spec: { readonly model: ChatModel; readonly modelTimeout: ModelTimeout };
  readonly holder: Pick<Holder, 'after'>;
  readonly log: Log;
}

/**
 * Asks the loop's model, and waits for it as long as the loop allows. No timer is left behind. A model that was left is
 * aborted; what it still says is said to nobody, and what it still asks for is refused.
 *
 * @throws ModelError `timeout` when it takes too long, and what the model throws; the reason of `signal` when that aborts.
 */
export async function askInTime(
  { spec, holder, log }: Asker,
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const { model, modelTimeout } = spec;
  const { total = TOTAL, silence } = modelTimeout;
  const wait = new Stop(options.signal);
  let isOver = false;
  let outputBegan = false;
  let mostSilence = silence ?? SILENCE;
  /** How often the model asks us whether it may go on, and has nothing to say meanwhile. */
  let askingUs = 0;
  let cancelSilence: (() => void) | undefined;
  const leave = (why: string): void =>
    wait.abort(new ModelError('timeout', `The model '${model.name}' ${why}`, { outputBegan }));
  // What took all of its time is not asked for once more, whatever came of it.
  const cancelTotal = holder.after(total, () => {
    outputBegan = false;
    leave(`did not answer within ${total} ms.`);
  });
  // The silence counts from the first sign that the model streams.
  const hear = (): void => {
    if (isOver || askingUs > 0) return;
    cancelSilence?.();
    const most = mostSilence;
    cancelSilence = holder.after(Math.min(most, total), () => leave(`was silent for ${most} ms.`));
  };
  const handingTo = (tell: (piece: string) => void) => (piece: string) => {
    if (isOver) return;
    outputBegan = true;
    hear();
    tell(piece);
  };
  const { onText, onReasoning, again } = options;
  try {
    const asked = model.ask(request, {
      get signal() {
        return wait.signal;
      },
      onText: onText && handingTo(onText),
      onReasoning: onReasoning && handingTo(onReasoning),
      again:
        again &&
        (async (failed) => {
          if (wait.aborted) throw wait.reason;
          if (isOver) throw new ModelError('aborted', 'The model has answered already.');
          // Its next request may be to another model, which answers in one piece.
          cancelSilence?.();
          askingUs += 1;
          await again(failed).finally(() => {
            askingUs -= 1;
          });
        }),
      alive(patience = 0) {
        if (silence === undefined) mostSilence = Math.max(mostSilence, patience + GRACE);
        hear();
      },
      warn: (message) => log(warning(message)),
    });
    return await wait.until(asked);
  } catch (failure) {
    // What a model makes of its signal does not tell why it fired.
    if (wait.aborted) throw wait.reason;
    throw failure;
  } finally {
    isOver = true;
    cancelTotal();
    cancelSilence?.();
    wait.end();
  }
}
