import { toRow } from '../journal/event-rows.ts';
import type { EventOf } from '../journal/events.ts';
import { type AskOptions, ModelError, type ModelReply, type ModelRequest } from '../model/chat-model.ts';
import { joinTextParts, listCalls } from '../model/parts.ts';
import { literals } from '../tool/literals.ts';
import { createErrorEntry } from '../tool/log.ts';
import type { PieceRedactor } from '../tool/secrets.ts';
import { InterruptionError } from './holder.ts';
import { isPlanned, type LiveEvents, type Loop, toLoopFields } from './loop.ts';
import { isTooLong } from './make-room.ts';
import { askInTime } from './model-time.ts';

/** Callbacks through which a model reports on a reply. Pieces are redacted. */
export type ReplyCallbacks = Pick<AskOptions, 'onText' | 'onReasoning' | 'again'>;

/** A reply without credentials. */
export interface RedactedReply extends ModelReply {
  /** `true` if its parts are left out because they contained a credential. */
  readonly cut?: true;
}

/** A model call for one reply. */
export interface ModelCall {
  readonly loop: Loop;
  readonly request: ModelRequest;
  /** How many times the model was asked for this reply, including by earlier invocations. */
  readonly attempts: { made: number };
  /** Streams the reply before it is complete. Defaults to the live events of the loop. */
  readonly tell?: ReplyCallbacks;
  /** Calls back once the outcome of the model call is in the journal. */
  atEnd(run: () => void): void;
}

/** A model call as seen by a layer around it. */
export interface Exchange extends Pick<ModelCall, 'loop' | 'request' | 'atEnd'> {
  /** The id of the loop that uses the module. Empty for the turn's own loop. */
  readonly frame: string;
  /**
   * Streams the reply before it is complete. To watch it, a layer passes its own callbacks to `next` and
   * calls these from them.
   */
  readonly tell: ReplyCallbacks;
}

/** Asks through the inner layers. `tell` defaults to the exchange's own. */
export type AskNext = (request: ModelRequest, tell?: ReplyCallbacks) => Promise<RedactedReply>;

/** A module's wrapper around the model calls of loops. */
export interface AskLayer {
  /**
   * Its position among the layers: from `trace`, the outermost, to `budget`. Inside `retry`, the kernel asks
   * once more if a reply broke off after its output began. Inside `budget` are only the kernel's own steps:
   * waiting for a free connection, the time limit, redaction and the model.
   */
  readonly place: 'trace' | 'guard' | 'room' | 'fallback' | 'retry' | 'budget';
  /**
   * Returns the reply of `next` or another reply. It can call `next` several times. Every invocation that
   * resumes the turn runs it again.
   *
   * @throws ModelRefusalError if a limit does not allow the call.
   * @throws any error of `next`. It must rethrow `InterruptionError`.
   */
  around(exchange: Exchange, next: AskNext): Promise<RedactedReply>;
}

/**
 * A layer, with the function that asks through all layers of a loop. A Worker without layers does not bundle
 * that function.
 */
export interface AskSeam {
  readonly layer: AskLayer;
  readonly throughLayers: (call: ModelCall) => Promise<RedactedReply>;
}

/**
 * Asks for one reply, through the layers of `seam` if present. If a limit does not allow the call,
 * journals the refusal and returns `undefined`.
 *
 * @throws ModelError if there is no reply.
 * @throws InterruptionError if the wait for it was cut short, and any error that a layer throws.
 */
export async function requestReply(
  asked: Pick<ModelCall, 'loop' | 'request' | 'atEnd'>,
  seam: AskSeam | undefined,
): Promise<RedactedReply | undefined> {
  const { loop } = asked;
  const { frame, holder, journal } = loop;
  const attempts = { made: (journal.state.turn?.resumedSinceReply ?? 0) + Number(frame.shortened) };
  // The duration is unknown. If the reply takes too long, the next invocation asks again.
  holder.claim({ subrequests: isPlanned(loop.spec.model) ? 0 : 1, ms: 0 });
  const call = { ...asked, attempts };
  try {
    return seam ? await seam.throughLayers(call) : await askWithRetry(call, askOnce);
  } catch (failure) {
    if (!(failure instanceof ModelRefusalError)) throw failure;
    journal.emit({ type: 'model-refused', ...toLoopFields(loop), ...failure.refusal });
    return undefined;
  }
}

/**
 * Asks a second time if the first attempt broke off after its output began. Adapters do not retry in that
 * case.
 */
export async function askWithRetry(
  call: ModelCall,
  once: (call: ModelCall) => Promise<RedactedReply>,
): Promise<RedactedReply> {
  try {
    return await once(call);
  } catch (failure) {
    if (!(failure instanceof ModelError) || !failure.outputBegan || isTooLong(failure)) throw failure;
    call.loop.holder.count(1);
    return await once(call);
  }
}

/**
 * Asks the model of a loop as soon as a connection is free.
 *
 * @throws ModelError if there is no reply.
 * @throws InterruptionError if the wait for it was cut short.
 * @throws ModelRefusalError if `again` throws it.
 */
export async function askOnce(call: ModelCall): Promise<ModelReply> {
  const { loop, attempts } = call;
  const { frame, holder, spec } = loop;
  attempts.made += 1;
  const label = `${frame.iterations + 1}.${attempts.made}`;
  holder.checkpoint();
  if (attempts.made > 1) loop.live.restarted(label, frame.id);
  try {
    return await loop.slots.hold(() => streamReply(call, label));
  } catch (failure) {
    const { modelSignal } = holder;
    if (modelSignal.aborted) throw modelSignal.reason;
    if (PASSED_ERRORS.some((one) => failure instanceof one)) throw failure;
    // The error's message can contain details that only the adapter should know.
    const model = spec.model.name;
    const message = `the model '${model}' threw`;
    loop.log({ ...createErrorEntry(message, failure), model });
    throw new ModelError('invalid-reply', `The model '${model}' threw instead of answering.`);
  }
}

/** Why a model call is refused. */
export type ModelRefusal = Pick<EventOf<'model-refused'>, 'limit' | 'of' | 'most' | 'used' | 'needed'>;

/** Thrown by a layer to end the loop as `limit-reached` without the model call. */
export class ModelRefusalError extends Error {
  override readonly name = 'ModelRefusalError';
  readonly refusal: ModelRefusal;

  constructor(refusal: ModelRefusal) {
    super(`The limit '${refusal.limit}' of ${refusal.most} does not allow a model call.`);
    this.refusal = refusal;
  }
}

const PASSED_ERRORS = [ModelError, InterruptionError, ModelRefusalError];

/** Asks the model within its time limit. `label` identifies the attempt to clients. */
async function streamReply({ loop, request, tell }: ModelCall, label: string): Promise<ModelReply> {
  const { frame, holder, spec, secrets } = loop;
  holder.checkpoint();
  const { text, reasoning } = tell ? toLiveEvents(tell) : loop.live;
  let pieces: PieceRedactor<ShowPiece> | undefined;
  const createRedactedShow = (show: ShowPiece | undefined) =>
    show &&
    ((piece: string): void => {
      pieces ??= secrets.redactPieces((clean, of) => of(label, clean, frame.id));
      pieces.take(piece, show);
    });
  const reply = await askInTime(loop, request, {
    signal: holder.modelSignal,
    onText: createRedactedShow(text),
    onReasoning: createRedactedShow(reasoning),
    async again(failed) {
      holder.count(1);
      await tell?.again?.(failed);
    },
  });
  pieces?.end();
  const isOdd = reply.parts !== undefined && !isPartList(reply.parts);
  const problem = literals?.partsProblem(reply) ?? (isOdd ? 'its parts are invalid' : undefined);
  if (!problem) return reply;
  throw new ModelError(
    'invalid-reply',
    `The model '${spec.model.name}' returned a reply that cannot be stored: ${problem}.`,
  );
}

/** Checks the parts at run time, since a custom model can pass them straight from the network. */
const isPartList = (parts: unknown): boolean =>
  Array.isArray(parts) && parts.every((part) => Object(part).type);

type ShowPiece = NonNullable<LiveEvents['text']>;

const toLiveEvents = ({ onText, onReasoning }: ReplyCallbacks): Pick<LiveEvents, 'text' | 'reasoning'> => ({
  text: onText && ((_, piece) => onText(piece)),
  reasoning: onReasoning && ((_, piece) => onReasoning(piece)),
});

/**
 * Redacts credentials, which are never journaled, even if a model repeats one. If a redaction would change
 * signed parts, drops all parts.
 */
export function withoutSecrets({ secrets }: Pick<Loop, 'secrets'>, reply: RedactedReply): RedactedReply {
  const clean = secrets.redact(reply);
  if (clean === reply || JSON.stringify(clean.parts) === JSON.stringify(reply.parts)) return clean;
  const { parts = [], ...others } = clean;
  return { ...others, text: joinTextParts(parts), toolCalls: listCalls(parts), cut: true };
}

/**
 * The maximum size of a kept reply in bytes. Its event is one message to the Durable Object, which accepts up
 * to 32 MiB.
 */
export const MAX_STORED_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * Returns the event of a reply if a session can store it.
 *
 * @throws ModelError `invalid-reply` if it cannot. Otherwise the loop would ask again for a reply that is
 * never stored.
 */
export function checkStorable(model: string, event: EventOf<'model-replied'>): EventOf<'model-replied'> {
  let characters = event.text.length;
  for (const { providerId, name, input } of event.toolCalls)
    characters += providerId.length + name.length + input.length + CALL_OVERHEAD_CHARACTERS;
  // Most replies are small enough to skip this measurement.
  if (!event.parts && characters <= SMALL_REPLY_CHARACTERS) return event;
  const weight = countSerializedBytes(toRow(event).body);
  if (weight <= MAX_STORED_REPLY_BYTES) return event;
  throw new ModelError(
    'invalid-reply',
    `The model '${model}' returned a reply that cannot be stored: its event has ${weight} bytes, and a session stores at most ${MAX_STORED_REPLY_BYTES}. Set a smaller maxOutputTokens.`,
  );
}

/** The assumed number of characters in a call beyond the model's own text. */
const CALL_OVERHEAD_CHARACTERS = 256;

/** JSON escapes a character as at most six, of two bytes each. */
const SMALL_REPLY_CHARACTERS = MAX_STORED_REPLY_BYTES / 16;

/**
 * Returns the serialized size of a string in bytes. The platform uses two bytes per character if one is
 * outside Latin-1, and otherwise one.
 */
const countSerializedBytes = (text: string): number =>
  text.length > MAX_STORED_REPLY_BYTES / 2 && NON_LATIN_1_CHARACTER.test(text)
    ? 2 * text.length
    : text.length;

const NON_LATIN_1_CHARACTER = /[^\0-\xff]/;
