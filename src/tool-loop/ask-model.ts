import type { CallRecord, FrameState, Message } from '../journal/state.ts';
import {
  type AskOptions,
  ModelError,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import { discoverTools } from './discover-tools.ts';
import { inspect, modelCallSeen, placeOf, replySeen } from './inspect.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';
import { loopView } from './loop-view.ts';
import { isTooLong, makeRoom, type ToRequest } from './make-room.ts';
import { answerNow, toModelMessages } from './model-messages.ts';
import { offerTools } from './offer-tools.ts';
import { isPlanned } from './planned-model.ts';
import { replied } from './replied.ts';
import { OutOfBudget, reserve } from './reserve.ts';
import { shownHistory } from './transform.ts';

/**
 * Asks for one reply and emits it; or emits that a limit does not allow to ask, or what is left to show a model that was shown
 * too much, which is then to be asked again. `last` offers no tools and asks for the best answer now.
 *
 * @throws ModelError when there is no reply; Interrupted when the wait for it was cut short.
 */
export async function askModel(loop: Loop, frame: FrameState, last: boolean): Promise<void> {
  // The last reply is asked for without tools.
  if (!last) await discoverTools(loop, frame);
  loop.invocation.takeSteers(frame.id);
  const shown = frame.messages.length;
  const offered = offerTools(loop, frame, 'now');
  const toRequest = requestsIn(loop, frame, { last, tools: last ? [] : offered.definitions });
  const request = toRequest(frame.messages);
  const place = placeOf(loop, frame, 1);
  inspect(loop, 'beforeModelCall', () => modelCallSeen(place, request));
  const began = loop.invocation.now();
  const event = await loop.slots.hold(async () => {
    try {
      const reply = await replyOf(loop, frame, request);
      const unseen = frame.messages.length - shown;
      const answer = reply && replied(loop, reply, { last, unseen, offered });
      if (answer) loop.journal.emit(answer);
      return answer;
    } catch (failure) {
      makeRoom(loop, frame, toRequest, failure);
      return undefined;
    } finally {
      // Only now is it known what the call used.
      loop.reservations.release(frame.id);
    }
  });
  if (!event) return;
  const ms = loop.invocation.now() - began;
  inspect(loop, 'afterModelCall', () => replySeen(place, event, ms));
}

/** Makes the request of a conversation as it stands, or as it would be if less of it was shown. */
function requestsIn(
  loop: Loop,
  frame: FrameState,
  { last, tools }: { readonly last: boolean; readonly tools: ModelRequest['tools'] },
): ToRequest {
  const instructions = instructionsNow(loop, frame);
  const asked: ModelMessage[] = last ? [{ role: 'user', text: answerNow(loop.iterations) }] : [];
  return (conversation) => {
    const sending = { records: callsById(conversation), characters: loop.policies.resultCharacters };
    const messages = toModelMessages(instructions, shownHistory(loop, conversation), sending);
    return { messages: [...messages, ...asked], tools, ...inForm(loop) };
  };
}

const instructionsNow = (loop: Loop, frame: FrameState): string =>
  typeof loop.instructions === 'string' ? loop.instructions : loop.instructions(loopView(loop, frame, 'now'));

const callsById = (messages: readonly Message[]): ReadonlyMap<string, CallRecord> =>
  new Map(
    messages.flatMap((message) =>
      message.role === 'user' ? [] : message.calls.map((call) => [call.id, call] as const),
    ),
  );

/** Nothing at all without a form: adapters and scripts compare requests. */
const inForm = ({ output }: Loop): Pick<ModelRequest, 'output'> => (output ? { output: output.format } : {});

/**
 * One attempt; a second one when the first broke after its output had begun, which no adapter repeats. `undefined` when a
 * limit does not allow it.
 */
async function replyOf(
  loop: Loop,
  frame: FrameState,
  request: ModelRequest,
): Promise<ModelReply | undefined> {
  const attempt = 1 + (loop.journal.state.turn?.resumedSinceReply ?? 0) + Number(frame.shortened);
  // How long it takes nobody knows: what takes too long is left, and asked for again by the next invocation.
  loop.invocation.claim({ subrequests: isPlanned(loop.model) ? 0 : 1, ms: 0 });
  try {
    return await attemptReply(loop, frame, request, attempt);
  } catch (failure) {
    if (!(failure instanceof ModelError) || !failure.outputBegan || isTooLong(failure)) throw failure;
    loop.invocation.count(1);
    return await attemptReply(loop, frame, request, attempt + 1);
  }
}

async function attemptReply(
  loop: Loop,
  frame: FrameState,
  request: ModelRequest,
  attempt: number,
): Promise<ModelReply | undefined> {
  const { modelSignal: signal } = loop.invocation;
  const label = `${frame.iterations + 1}.${attempt}`;
  loop.invocation.checkpoint();
  const allowed = await reserve(loop, frame, request);
  if (!allowed) return undefined;
  if (attempt > 1) loop.live.restarted(label, frame.id);
  try {
    const { text } = loop.live;
    const onText = text && ((piece: string): void => text(label, piece, frame.id));
    const options = { signal, onText, ...againOf(loop, frame, allowed) };
    return await untilAborted(signal, loop.model.ask(allowed, options));
  } catch (failure) {
    if (signal.aborted) throw signal.reason;
    if (failure instanceof OutOfBudget) return undefined;
    if (failure instanceof ModelError || failure instanceof Interrupted) throw failure;
    // Its words may hold what only the adapter should know.
    console.error(`holdfast: the model '${loop.model.name}' threw`, failure);
    throw new ModelError('invalid-reply', `The model '${loop.model.name}' threw instead of answering.`);
  }
}

/**
 * Every attempt of an adapter is a request, and reserved by itself under a limit: one that failed may have been charged for.
 */
function againOf(loop: Loop, frame: FrameState, request: ModelRequest): Pick<AskOptions, 'again'> {
  const again = async (): Promise<void> => {
    loop.invocation.count(1);
    if (loop.budgets.length === 0) return;
    if (!(await reserve(loop, frame, request, request.maxOutputTokens))) throw new OutOfBudget();
  };
  return { again };
}
