/** Layers around model calls. A Worker whose modules have no layers does not bundle this file. */
import type { ModelReply, ModelRequest } from '../model/chat-model.ts';
import {
  type AskLayer,
  type AskSeam,
  askOnce,
  askWithRetry,
  type Exchange,
  type ModelCall,
  type RedactedReply,
  type ReplyCallbacks,
  withoutSecrets,
} from './ask-reply.ts';
import type { LiveEvents, Loop } from './loop.ts';
import { LOOPS } from './loop-seams.ts';
import { askInTime } from './model-time.ts';

/** The positions of layers, the outermost first. */
const LAYER_ORDER: readonly AskLayer['place'][] = ['trace', 'guard', 'room', 'fallback', 'retry', 'budget'];

/** Returns a layer for the seam of loops. Uses that share one layer wrap each call once. */
export const askLayer = (layer: AskLayer): AskSeam => ({ layer, throughLayers: askThroughLayers });

/** A layer, and the loop whose module brings it. */
interface ScopedLayer extends Pick<Exchange, 'frame'> {
  readonly layer: AskLayer;
}

/**
 * Returns the layers around the model calls of a loop, outermost first. Layers of the same position keep
 * their order.
 */
function listLayers({ spec }: Loop): readonly ScopedLayer[] {
  const layers = new Map<AskLayer, ScopedLayer>();
  for (const { use, frame } of spec.uses) {
    const layer = LOOPS.of(use)?.ask?.layer;
    if (layer && !layers.has(layer)) layers.set(layer, { layer, frame });
  }
  return [...layers.values()].sort(
    (a, b) => LAYER_ORDER.indexOf(a.layer.place) - LAYER_ORDER.indexOf(b.layer.place),
  );
}

/** Sends a model call through all layers, with the kernel's own steps between them. */
function askThroughLayers(call: ModelCall): Promise<RedactedReply> {
  const { loop } = call;
  const layers = listLayers(loop);
  const within = layers.findIndex(({ layer }) => layer.place === 'budget');
  const outer = within < 0 ? layers : layers.slice(0, within);
  const clean: AskFunction = async (request, tell) =>
    withoutSecrets(loop, await askOnce({ ...call, request, tell }));
  const inner = wrapInLayers(call, layers.slice(outer.length), clean);
  const askAgain: AskFunction = (request, tell) =>
    askWithRetry({ ...call, request }, () => inner(request, tell));
  return wrapInLayers(call, outer, askAgain)(call.request, createLiveCallbacks(call));
}

type AskFunction = (request: ModelRequest, tell: ReplyCallbacks) => Promise<RedactedReply>;

const wrapInLayers = (
  { loop, atEnd }: Pick<Exchange, 'loop' | 'atEnd'>,
  layers: readonly ScopedLayer[],
  inner: AskFunction,
): AskFunction =>
  layers.reduceRight<AskFunction>(
    (next, { layer, frame }) =>
      (request, tell) =>
        layer.around({ loop, frame, request, tell, atEnd }, (changed, told = tell) => next(changed, told)),
    inner,
  );

function createLiveCallbacks({ loop: { live, frame }, attempts }: ModelCall): ReplyCallbacks {
  const createTextCallback = (tell: LiveEvents['text']): ReplyCallbacks['onText'] =>
    tell && ((piece) => tell(`${frame.iterations + 1}.${attempts.made}`, piece, frame.id));
  return {
    // Read at each attempt, since a viewer can connect or leave in between.
    get onText() {
      return createTextCallback(live.text);
    },
    get onReasoning() {
      return createTextCallback(live.reasoning);
    },
  };
}

/** A request that is not part of the conversation. */
interface AsideRequest extends Pick<Exchange, 'loop' | 'request'> {
  readonly signal: AbortSignal;
}

/**
 * Asks the model of a loop outside its conversation, through all layers, while the rest of the turn waits.
 * Journals nothing.
 *
 * @throws ModelRefusalError if a limit does not allow the call.
 * @throws ModelError if there is no reply.
 * @throws the reason of `signal` if it aborts, and any error that a layer throws.
 */
export async function askAside({ loop, request, signal }: AsideRequest): Promise<ModelReply> {
  const ended: (() => void)[] = [];
  const askWire: AskFunction = (asked, tell) =>
    askInTime(loop, asked, {
      signal,
      async again(failed) {
        loop.holder.count(1);
        await tell.again?.(failed);
      },
    });
  try {
    return await wrapInLayers(
      { loop, atEnd: (run) => void ended.push(run) },
      listLayers(loop),
      askWire,
    )(request, {});
  } finally {
    for (const run of ended) run();
  }
}
