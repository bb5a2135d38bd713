/** Layers around model calls, for modules that have some: who uses no such module carries nothing of this. */
import type { ModelReply, ModelRequest } from '../model/chat-model.ts';
import {
  type AskedReply,
  type AskLayer,
  type AskSeam,
  askOnce,
  askTwice,
  type Exchange,
  type ModelCall,
  type Tell,
  withoutSecrets,
} from './ask-reply.ts';
import type { LiveEvents, Loop } from './loop.ts';
import { LOOPS } from './loop-seams.ts';
import { askInTime } from './model-time.ts';

/** The places of layers, the outermost first. */
const PLACES: readonly AskLayer['place'][] = ['trace', 'guard', 'room', 'fallback', 'retry', 'budget'];

/** Returns a layer for the seam of loops. Uses that share one layer wrap each call once. */
export const askLayer = (layer: AskLayer): AskSeam => ({ layer, throughLayers });

/** A layer, and the loop for which its module is used. */
interface ScopedLayer extends Pick<Exchange, 'frame'> {
  readonly layer: AskLayer;
}

/** The layers around the model calls of a loop, from the outermost to the innermost. Those of one place stay in their order. */
function layersOf({ spec }: Loop): readonly ScopedLayer[] {
  const layers = new Map<AskLayer, ScopedLayer>();
  for (const { use, frame } of spec.uses) {
    const layer = LOOPS.of(use)?.ask?.layer;
    if (layer && !layers.has(layer)) layers.set(layer, { layer, frame });
  }
  return [...layers.values()].sort((a, b) => PLACES.indexOf(a.layer.place) - PLACES.indexOf(b.layer.place));
}

/** Puts all layers around an attempt, and what is the kernel's between them. */
function throughLayers(call: ModelCall): Promise<AskedReply> {
  const { loop } = call;
  const layers = layersOf(loop);
  const within = layers.findIndex(({ layer }) => layer.place === 'budget');
  const outer = within < 0 ? layers : layers.slice(0, within);
  const clean: Ask = async (request, tell) => withoutSecrets(loop, await askOnce({ ...call, request, tell }));
  const inner = through(call, layers.slice(outer.length), clean);
  const again: Ask = (request, tell) => askTwice({ ...call, request }, () => inner(request, tell));
  return through(call, outer, again)(call.request, liveTell(call));
}

type Ask = (request: ModelRequest, tell: Tell) => Promise<AskedReply>;

/** Puts layers around `inner`. */
const through = (
  { loop, atEnd }: Pick<Exchange, 'loop' | 'atEnd'>,
  layers: readonly ScopedLayer[],
  inner: Ask,
): Ask =>
  layers.reduceRight<Ask>(
    (next, { layer, frame }) =>
      (request, tell) =>
        layer.around({ loop, frame, request, tell, atEnd }, (changed, told = tell) => next(changed, told)),
    inner,
  );

function liveTell({ loop: { live, frame }, attempts }: ModelCall): Tell {
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
}

/** A request that is no part of the conversation. */
interface Aside extends Pick<Exchange, 'loop' | 'request'> {
  readonly signal: AbortSignal;
}

/**
 * Asks the model of a loop aside, through all layers, while nothing else of the turn runs. Nothing is journaled.
 *
 * @throws ModelCallRefused if a limit does not allow it; ModelError if there is no reply; the reason of `signal`; what a layer throws.
 */
export async function askAside({ loop, request, signal }: Aside): Promise<ModelReply> {
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
    return await through({ loop, atEnd: (run) => void ended.push(run) }, layersOf(loop), wire)(request, {});
  } finally {
    for (const run of ended) run();
  }
}
