import { toRow } from '../journal/event-rows.ts';
import type { EventOf } from '../journal/events.ts';
import { type AskOptions, ModelError, type ModelReply, type ModelRequest } from '../model/chat-model.ts';
import { callsOf, wordsOf } from '../model/parts.ts';
import { literals } from '../tool/literals.ts';
import { mistake } from '../tool/log.ts';
import type { PieceRedactor } from '../tool/secrets.ts';
import { Interrupted } from './holder.ts';
import { inLoop, isPlanned, type LiveEvents, type Loop } from './loop.ts';
import { isTooLong } from './make-room.ts';
import { askInTime } from './model-time.ts';

/** How a model reports on a reply. Pieces are redacted. */
export type Tell = Pick<AskOptions, 'onText' | 'onReasoning' | 'again'>;

/** A reply from which credentials are taken out. */
export interface AskedReply extends ModelReply {
  /** A credential was in its parts, which are left out. */
  readonly cut?: true;
}

/** One reply that a model is asked for. */
export interface ModelCall {
  readonly loop: Loop;
  readonly request: ModelRequest;
  /** How often the model was asked for this reply, also by earlier invocations. */
  readonly attempts: { made: number };
  /** Shows the reply before it is whole. Defaults to the live events of the loop. */
  readonly tell?: Tell;
  /** Calls back once the outcome of the model call is in the journal. */
  atEnd(run: () => void): void;
}

/** One model call of a loop, as a layer around it has it. */
export interface Exchange extends Pick<ModelCall, 'loop' | 'request' | 'atEnd'> {
  /** The id of the loop for which the module is used; empty for the turn's own. */
  readonly frame: string;
  /** Shows the reply before it is whole. A layer that watches gives `next` its own, and calls this one in it. */
  readonly tell: Tell;
}

/** Asks through the layers inside. `tell` defaults to that of the exchange. */
export type AskNext = (request: ModelRequest, tell?: Tell) => Promise<AskedReply>;

/** What a module puts around the model calls of loops. */
export interface AskLayer {
  /**
   * Where it is among other layers: from `trace`, the outermost, to `budget`. Inside of `retry` the kernel asks once more if a reply
   * broke off after its output began. Inside of `budget` are only parts of the kernel: a free connection, the time limit, redaction, and
   * the model.
   */
  readonly place: 'trace' | 'guard' | 'room' | 'fallback' | 'retry' | 'budget';
  /**
   * Returns the reply of `next`, or another one; it may call `next` several times. Every invocation that continues the turn runs it
   * again.
   *
   * @throws ModelCallRefused if a limit does not allow the call; what `next` throws, of which `Interrupted` must pass through.
   */
  around(exchange: Exchange, next: AskNext): Promise<AskedReply>;
}

/** A layer, with the function that asks through all layers of a loop: a Worker without layers carries no such function. */
export interface AskSeam {
  readonly layer: AskLayer;
  readonly throughLayers: (call: ModelCall) => Promise<AskedReply>;
}

/**
 * Asks for one reply, through the layers of its seam if it has one. Returns `undefined` if a limit does not allow the call, which is then journaled.
 *
 * @throws ModelError if there is no reply; Interrupted if the wait for it was cut short; what a layer throws.
 */
export async function replyOf(
  asked: Pick<ModelCall, 'loop' | 'request' | 'atEnd'>,
  seam: AskSeam | undefined,
): Promise<AskedReply | undefined> {
  const { loop } = asked;
  const { frame, holder, journal } = loop;
  const attempts = { made: (journal.state.turn?.resumedSinceReply ?? 0) + Number(frame.shortened) };
  // How long it takes nobody knows: what takes too long is left, and asked for again by the next invocation.
  holder.claim({ subrequests: isPlanned(loop.spec.model) ? 0 : 1, ms: 0 });
  const call = { ...asked, attempts };
  try {
    return seam ? await seam.throughLayers(call) : await askTwice(call, askOnce);
  } catch (failure) {
    if (!(failure instanceof ModelCallRefused)) throw failure;
    journal.emit({ type: 'model-refused', ...inLoop(loop), ...failure.refusal });
    return undefined;
  }
}

/** Asks a second time if the first attempt broke off after its output had begun, which no adapter repeats. */
export async function askTwice(
  call: ModelCall,
  once: (call: ModelCall) => Promise<AskedReply>,
): Promise<AskedReply> {
  try {
    return await once(call);
  } catch (failure) {
    if (!(failure instanceof ModelError) || !failure.outputBegan || isTooLong(failure)) throw failure;
    call.loop.holder.count(1);
    return await once(call);
  }
}

/**
 * Asks the model of a loop itself, as soon as a connection is free.
 *
 * @throws ModelError if there is no reply; Interrupted if the wait for it was cut short; ModelCallRefused as `again` throws it.
 */
export async function askOnce(call: ModelCall): Promise<ModelReply> {
  const { loop, attempts } = call;
  const { frame, holder, spec } = loop;
  attempts.made += 1;
  const label = `${frame.iterations + 1}.${attempts.made}`;
  holder.checkpoint();
  if (attempts.made > 1) loop.live.restarted(label, frame.id);
  try {
    return await loop.slots.hold(() => askWire(call, label));
  } catch (failure) {
    const { modelSignal } = holder;
    if (modelSignal.aborted) throw modelSignal.reason;
    if (PASSING.some((one) => failure instanceof one)) throw failure;
    // Its words may hold what only the adapter should know.
    const model = spec.model.name;
    const message = `the model '${model}' threw`;
    loop.log({ ...mistake(message, failure), model });
    throw new ModelError('invalid-reply', `The model '${model}' threw instead of answering.`);
  }
}

/** Why a model is not asked. */
export type ModelRefusal = Pick<EventOf<'model-refused'>, 'limit' | 'of' | 'most' | 'used' | 'needed'>;

/** Ends a loop as `limit-reached`, without the model call around which it is thrown. */
export class ModelCallRefused extends Error {
  override readonly name = 'ModelCallRefused';
  readonly refusal: ModelRefusal;

  constructor(refusal: ModelRefusal) {
    super(`The limit '${refusal.limit}' of ${refusal.most} does not allow a model call.`);
    this.refusal = refusal;
  }
}

const PASSING = [ModelError, Interrupted, ModelCallRefused];

/** Asks the model, in time. `label` names the attempt to clients. */
async function askWire({ loop, request, tell }: ModelCall, label: string): Promise<ModelReply> {
  const { frame, holder, spec, secrets } = loop;
  holder.checkpoint();
  const { text, reasoning } = tell ? piecesTo(tell) : loop.live;
  let pieces: PieceRedactor<Show> | undefined;
  const shown = (show: Show | undefined) =>
    show &&
    ((piece: string): void => {
      pieces ??= secrets.redactPieces((clean, of) => of(label, clean, frame.id));
      pieces.take(piece, show);
    });
  const reply = await askInTime(loop, request, {
    signal: holder.modelSignal,
    onText: shown(text),
    onReasoning: shown(reasoning),
    async again(failed) {
      holder.count(1);
      await tell?.again?.(failed);
    },
  });
  pieces?.end();
  const isOdd = reply.parts !== undefined && !areParts(reply.parts);
  const problem = literals?.partsProblem(reply) ?? (isOdd ? 'its parts are not parts' : undefined);
  if (!problem) return reply;
  throw new ModelError(
    'invalid-reply',
    `The model '${spec.model.name}' answered with a reply that cannot be kept: ${problem}.`,
  );
}

/** Tells whether what a model of one's own calls parts can be kept: it comes from the network. */
const areParts = (parts: unknown): boolean =>
  Array.isArray(parts) && parts.every((part) => Object(part).type);

/** Shows a piece of the text of a reply, or of its reasoning. */
type Show = NonNullable<LiveEvents['text']>;

const piecesTo = ({ onText, onReasoning }: Tell): Pick<LiveEvents, 'text' | 'reasoning'> => ({
  text: onText && ((_, piece) => onText(piece)),
  reasoning: onReasoning && ((_, piece) => onReasoning(piece)),
});

/** A credential is never journaled, also when a model repeats one. What is signed together is then not kept at all. */
export function withoutSecrets({ secrets }: Pick<Loop, 'secrets'>, reply: AskedReply): AskedReply {
  const clean = secrets.redact(reply);
  if (clean === reply || JSON.stringify(clean.parts) === JSON.stringify(reply.parts)) return clean;
  const { parts = [], ...others } = clean;
  return { ...others, text: wordsOf(parts), toolCalls: callsOf(parts), cut: true };
}

/** The most bytes of a reply that a session keeps. Its event is one message to the session's object, which takes at most 32 MiB. */
export const MAX_KEPT_REPLY = 16 * 1024 * 1024;

/**
 * Returns the event of a reply if a session can keep it.
 *
 * @throws ModelError `invalid-reply` if it cannot: a reply that is never stored would be asked for again and again.
 */
export function keepable(model: string, event: EventOf<'model-replied'>): EventOf<'model-replied'> {
  let characters = event.text.length;
  for (const { providerId, name, input } of event.toolCalls)
    characters += providerId.length + name.length + input.length + OF_CALL;
  // Most replies are far too small, and need not be written as JSON twice.
  if (!event.parts && characters <= SMALL) return event;
  const weight = weightOf(toRow(event).body);
  if (weight <= MAX_KEPT_REPLY) return event;
  throw new ModelError(
    'invalid-reply',
    `The model '${model}' answered with a reply that cannot be kept: its event weighs ${weight} bytes, and a session keeps at most ${MAX_KEPT_REPLY}. Set a smaller maxOutputTokens.`,
  );
}

/** Characters of a call beside what its model wrote. */
const OF_CALL = 256;

/** As JSON a character is six at most, of two bytes each. */
const SMALL = MAX_KEPT_REPLY / 16;

/** The platform sends a text with two bytes a character if one of them is not Latin-1, and else with one. */
const weightOf = (text: string): number =>
  text.length > MAX_KEPT_REPLY / 2 && NOT_LATIN_1.test(text) ? 2 * text.length : text.length;

const NOT_LATIN_1 = /[^\0-\xff]/;
