import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import type { ModelTimeout } from '../model/settings.ts';
import { untilAborted } from '../tool/async.ts';
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
  readonly holder: Pick<Holder, 'after' | 'now'>;
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
  const { total = TOTAL } = modelTimeout;
  const late = new AbortController();
  const signal = AbortSignal.any([options.signal, late.signal]);
  const leave = (why: string, outputBegan = false): void =>
    late.abort(new ModelError('timeout', `The model '${model.name}' ${why}`, { outputBegan }));
  // What took all of its time is not asked for once more, whatever came of it.
  const stop = holder.after(total, () => leave(`did not answer within ${total} ms.`));
  const call: Call = { isOver: false, silence: undefined };
  const heard = (): Silence => {
    call.silence ??= new Silence(holder, { ...modelTimeout, total, leave });
    return call.silence;
  };
  const { onText, onReasoning, again } = options;
  try {
    const asked = model.ask(request, {
      signal,
      onText: onText && ((piece) => call.isOver || heard().handed(piece, onText)),
      onReasoning: onReasoning && ((piece) => call.isOver || heard().handed(piece, onReasoning)),
      again: again && ((failed) => askedAgain(call, signal, { heard, again: () => again(failed) })),
      alive: (patience) => call.isOver || heard().alive(patience),
      warn: (message) => log(warning(message)),
    });
    return await untilAborted(signal, asked);
  } catch (failure) {
    // What a model makes of its signal does not tell why it fired.
    signal.throwIfAborted();
    throw failure;
  } finally {
    stop();
    call.isOver = true;
    call.silence?.listenNoMore();
  }
}

/** One call of a model. */
interface Call {
  isOver: boolean;
  /** Absent before the first sign that the model streams. */
  silence: Silence | undefined;
}

async function askedAgain(
  call: Call,
  signal: AbortSignal,
  { heard, again }: { heard(): Silence; again(): Promise<void> },
): Promise<void> {
  signal.throwIfAborted();
  if (call.isOver) throw new ModelError('aborted', 'The model has answered already.');
  await heard().suspended(again);
}

/** What bounds the silence of one call. */
interface SilenceBounds extends ModelTimeout {
  readonly total: number;
  leave(why: string, outputBegan: boolean): void;
}

/** Minds the silence of each request of one model call, from the first sign that its model streams. One timer is moved on with each. */
class Silence {
  readonly #holder: Asker['holder'];
  readonly #bounds: SilenceBounds;
  #most: number;
  #heardAt = 0;
  #outputBegan = false;
  /** The model has asked us whether it may go on, and has nothing to say meanwhile. */
  #asksUs = 0;
  #cancel: (() => void) | undefined;

  constructor(holder: Asker['holder'], bounds: SilenceBounds) {
    this.#holder = holder;
    this.#bounds = bounds;
    this.#most = bounds.silence ?? SILENCE;
  }

  handed(piece: string, tell: (piece: string) => void): void {
    this.#outputBegan = true;
    this.#hear();
    tell(piece);
  }

  alive(patience = 0): void {
    if (this.#bounds.silence === undefined) this.#most = Math.max(this.#most, patience + GRACE);
    this.#hear();
  }

  async suspended(work: () => Promise<void>): Promise<void> {
    // Its next request may be to another model, which answers in one piece.
    this.listenNoMore();
    this.#asksUs += 1;
    await work().finally(() => {
      this.#asksUs -= 1;
    });
  }

  listenNoMore(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #hear(): void {
    if (this.#asksUs > 0) return;
    this.#heardAt = this.#holder.now();
    this.#cancel ??= this.#listen(this.#most);
  }

  #listen(ms: number): () => void {
    return this.#holder.after(Math.min(ms, this.#bounds.total), () => {
      const left = this.#heardAt + this.#most - this.#holder.now();
      if (left > 0) this.#cancel = this.#listen(left);
      else this.#bounds.leave(`was silent for ${this.#most} ms.`, this.#outputBegan);
    });
  }
}
