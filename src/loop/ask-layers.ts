import { type AskOptions, ModelError, type ModelReply, type ModelRequest } from '../model/chat-model.ts';
import { callsOf, partsProblem, wordsOf } from '../model/parts.ts';
import { Interrupted } from './holder.ts';
import { inLoop, isPlanned, type LiveEvents, type Loop } from './loop.ts';
import { isTooLong } from './make-room.ts';
import { ModelCallRefused } from './model-refusal.ts';
import { askInTime } from './model-time.ts';

/**
 * The places of layers around a model call, the outermost first. Inside of `retry` the kernel asks once more if a reply broke off
 * after its output began. Inside of `budget` are only parts of the kernel: a free connection, the time limit, redaction, and the model.
 */
const PLACES = ['trace', 'guard', 'room', 'fallback', 'retry', 'budget'] as const;

/** One model call of a loop, as a layer around it has it. */
export interface Exchange {
  readonly loop: Loop;
  /** The id of the loop for which the module is used; empty for the turn's own. */
  readonly frame: string;
  readonly request: ModelRequest;
  /** Shows the reply before it is whole. A layer that watches gives `next` its own, and calls this one in it. */
  readonly tell: Tell;
  /** Calls back once the outcome of the model call is in the journal. */
  atEnd(run: () => void): void;
}

/** How a model reports on a reply. Pieces are redacted. */
export type Tell = Pick<AskOptions, 'onText' | 'onReasoning' | 'again'>;

/** A reply from which credentials are taken out. */
export interface AskedReply extends ModelReply {
  /** A credential was in its parts, which are left out. */
  readonly cut?: true;
}

/** Asks through the layers inside. `tell` defaults to that of the exchange. */
export type AskNext = (request: ModelRequest, tell?: Tell) => Promise<AskedReply>;

/** What a module puts around the model calls of loops. */
export interface AskLayer {
  readonly place: (typeof PLACES)[number];
  /**
   * Returns the reply of `next`, or another one; it may call `next` several times. Every invocation that continues the turn runs it
   * again.
   *
   * @throws ModelCallRefused if a limit does not allow the call; what `next` throws, of which `Interrupted` must pass through.
   */
  around(exchange: Exchange, next: AskNext): Promise<AskedReply>;
}

/** A layer, and the loop for which its module is used. */
export interface ScopedLayer extends Pick<Exchange, 'frame'> {
  readonly layer: AskLayer;
}

/** Sorts layers from the outermost to the innermost. Those of one place stay in their order. */
export const inPlaces = (layers: readonly ScopedLayer[]): readonly ScopedLayer[] =>
  layers.toSorted((a, b) => PLACES.indexOf(a.layer.place) - PLACES.indexOf(b.layer.place));

/** A model call, and the layers around it in their places. */
interface Asking extends Pick<Exchange, 'loop' | 'atEnd'> {
  readonly layers: readonly ScopedLayer[];
}

/** How often a model was asked for one reply, also by earlier invocations. */
interface Attempts {
  made: number;
}

/**
 * Asks for one reply, through all layers. Returns `undefined` if a limit does not allow the call, which is then journaled.
 *
 * @throws ModelError if there is no reply; Interrupted if the wait for it was cut short; what a layer throws.
 */
export async function replyOf(asking: Asking, request: ModelRequest): Promise<AskedReply | undefined> {
  const { loop, layers } = asking;
  const { frame, holder, journal } = loop;
  const attempts = { made: (journal.state.turn?.resumedSinceReply ?? 0) + Number(frame.shortened) };
  // How long it takes nobody knows: what takes too long is left, and asked for again by the next invocation.
  holder.claim({ subrequests: isPlanned(loop.spec.model) ? 0 : 1, ms: 0 });
  try {
    return layers.length > 0
      ? await throughLayers(asking, attempts, request)
      : await twice(loop, () => attempt(loop, request, { attempts }));
  } catch (failure) {
    if (!(failure instanceof ModelCallRefused)) throw failure;
    journal.emit({ type: 'model-refused', ...inLoop(loop), ...failure.refusal });
    return undefined;
  }
}

/** A request that is no part of the conversation. */
interface Aside extends Pick<Asking, 'loop' | 'layers'> {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/**
 * Asks the model of a loop aside, through all layers, while nothing else of the turn runs. Nothing is journaled.
 *
 * @throws ModelCallRefused if a limit does not allow it; ModelError if there is no reply; the reason of `signal`; what a layer throws.
 */
export async function askAside({ loop, layers, request, signal }: Aside): Promise<ModelReply> {
  const ended: (() => void)[] = [];
  const wire: Ask = (asked, tell) =>
    askInTime(loop, asked, {
      signal,
      async again(failed) {
        loop.holder.count(1);
        await tell.again?.(failed);
      },
    });
  try {
    return await through({ loop, layers, atEnd: (run) => void ended.push(run) }, wire)(request, {});
  } finally {
    for (const run of ended) run();
  }
}

/** Asks a second time if the first attempt broke off after its output had begun, which no adapter repeats. */
async function twice({ holder }: Loop, once: () => Promise<AskedReply>): Promise<AskedReply> {
  try {
    return await once();
  } catch (failure) {
    if (!(failure instanceof ModelError) || !failure.outputBegan || isTooLong(failure)) throw failure;
    holder.count(1);
    return await once();
  }
}

/** Puts all layers around an attempt, and what is the kernel's between them. */
function throughLayers(asking: Asking, attempts: Attempts, request: ModelRequest): Promise<AskedReply> {
  const { loop, layers } = asking;
  const within = layers.findIndex(({ layer }) => layer.place === 'budget');
  const outer = within < 0 ? layers : layers.slice(0, within);
  const clean: Ask = async (asked, tell) =>
    withoutSecrets(loop, await attempt(loop, asked, { attempts, tell }));
  const inner = through({ ...asking, layers: layers.slice(outer.length) }, clean);
  const again: Ask = (asked, tell) => twice(loop, () => inner(asked, tell));
  return through({ ...asking, layers: outer }, again)(request, liveTell(loop, attempts));
}

type Ask = (request: ModelRequest, tell: Tell) => Promise<AskedReply>;

/** Puts layers around `inner`. */
export const through = ({ layers, loop, atEnd }: Asking, inner: Ask): Ask =>
  layers.reduceRight<Ask>(
    (next, { layer, frame }) =>
      (request, tell) =>
        layer.around({ loop, frame, request, tell, atEnd }, (changed, told = tell) => next(changed, told)),
    inner,
  );

const liveTell = ({ live, frame }: Loop, attempts: Attempts): Tell => {
  const shown = (tell: LiveEvents['text']): Tell['onText'] =>
    tell && ((piece) => tell(`${frame.iterations + 1}.${attempts.made}`, piece, frame.id));
  return {
    // Whether somebody is shown a reply is asked with each attempt.
    get onText() {
      return shown(live.text);
    },
    get onReasoning() {
      return shown(live.reasoning);
    },
  };
};

/** A credential is never journaled, also when a model repeats one. What is signed together is then not kept at all. */
export function withoutSecrets({ secrets }: Pick<Loop, 'secrets'>, reply: AskedReply): AskedReply {
  const clean = secrets.redact(reply);
  if (clean === reply || JSON.stringify(clean.parts) === JSON.stringify(reply.parts)) return clean;
  const { parts = [], ...others } = clean;
  return { ...others, text: wordsOf(parts), toolCalls: callsOf(parts), cut: true };
}

/** How a model is asked. */
interface Attempt {
  readonly attempts: Attempts;
  /** Absent: the loop's own. */
  readonly tell?: Tell;
}

async function attempt(loop: Loop, request: ModelRequest, { attempts, tell }: Attempt): Promise<ModelReply> {
  const { frame, holder, spec } = loop;
  attempts.made += 1;
  const label = `${frame.iterations + 1}.${attempts.made}`;
  holder.checkpoint();
  if (attempts.made > 1) loop.live.restarted(label, frame.id);
  try {
    return await loop.slots.hold(() => askWire(loop, request, { label, tell }));
  } catch (failure) {
    const { modelSignal } = holder;
    if (modelSignal.aborted) throw modelSignal.reason;
    if (PASSING.some((one) => failure instanceof one)) throw failure;
    // Its words may hold what only the adapter should know.
    const model = spec.model.name;
    const message = `the model '${model}' threw`;
    loop.log({ level: 'error', event: 'other', model, message, thrown: failure });
    throw new ModelError('invalid-reply', `The model '${model}' threw instead of answering.`);
  }
}

const PASSING = [ModelError, Interrupted, ModelCallRefused];

interface Wire {
  /** Names the attempt to clients. */
  readonly label: string;
  readonly tell: Tell | undefined;
}

/** Asks the model, in time. */
async function askWire(loop: Loop, request: ModelRequest, { label, tell }: Wire): Promise<ModelReply> {
  const { frame, holder, spec, secrets } = loop;
  holder.checkpoint();
  const { text, reasoning } = tell ? piecesTo(tell) : loop.live;
  const { take, end } = secrets.redactPieces<Pieces>((piece, of) => of(label, piece, frame.id));
  const shown = (of: Pieces | undefined) => of && ((piece: string): void => take(piece, of));
  const reply = await askInTime(loop, request, {
    signal: holder.modelSignal,
    onText: shown(text),
    onReasoning: shown(reasoning),
    async again(failed) {
      holder.count(1);
      await tell?.again?.(failed);
    },
  });
  end();
  const problem = partsProblem(reply);
  if (!problem) return reply;
  throw new ModelError(
    'invalid-reply',
    `The model '${spec.model.name}' answered with a reply that cannot be kept: ${problem}.`,
  );
}

/** Shows a piece of the text of a reply, or of its reasoning. */
type Pieces = NonNullable<LiveEvents['text']>;

const piecesTo = ({ onText, onReasoning }: Tell): Pick<LiveEvents, 'text' | 'reasoning'> => ({
  text: onText && ((_, piece) => onText(piece)),
  reasoning: onReasoning && ((_, piece) => onReasoning(piece)),
});
