import type { CallRecord, Message } from '../journal/state.ts';
import { ModelError, type ModelMessage, type ModelReply, type ModelRequest } from '../model/chat-model.ts';
import { untilAborted } from '../tool/async.ts';
import type { HistoryMessage } from '../tool/call.ts';
import { shownText } from '../tool/tool-result.ts';
import { discoverTools } from './discover-tools.ts';
import { inspect, modelCallSeen, placeOf, replySeen } from './inspect.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';
import { isTooLong, makeRoom, type ToRequest } from './make-room.ts';
import { loopView, offerTools } from './offer-tools.ts';
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
export async function askModel(loop: Loop, last: boolean): Promise<void> {
  const { frame, holder } = loop;
  // The last reply is asked for without tools.
  if (!last) await discoverTools(loop);
  holder.takeSteers(frame.id);
  const shown = frame.messages.length;
  const offered = offerTools(loop, 'now');
  const toRequest = requestsIn(loop, { last, tools: last ? [] : offered.definitions });
  const request = toRequest(frame.messages);
  const place = placeOf(loop, 1);
  inspect(loop, 'beforeModelCall', () => modelCallSeen(place, request));
  const began = holder.now();
  const event = await loop.slots.hold(async () => {
    try {
      const reply = await replyOf(loop, request);
      const unseen = frame.messages.length - shown;
      const answer = reply && replied(loop, reply, { last, unseen, offered });
      if (answer) loop.journal.emit(answer);
      return answer;
    } catch (failure) {
      makeRoom(loop, toRequest, failure);
      return undefined;
    } finally {
      // Only now is it known what the call used.
      loop.reservations.release(frame.id);
    }
  });
  if (!event) return;
  const ms = holder.now() - began;
  inspect(loop, 'afterModelCall', () => replySeen(place, event, ms));
}

/** Makes the request of a conversation as it stands, or as it would be if less of it was shown. */
function requestsIn(
  loop: Loop,
  { last, tools }: { readonly last: boolean; readonly tools: ModelRequest['tools'] },
): ToRequest {
  const { spec } = loop;
  const { instructions: told, output } = spec;
  const instructions = typeof told === 'string' ? told : told(loopView(loop, 'now'));
  // Nothing at all without a form: adapters and scripts compare requests.
  const form = output && { output: output.format };
  const asked: ModelMessage[] = last ? [{ role: 'user', text: answerNow(spec.iterations) }] : [];
  return (conversation) => {
    const sending = { records: callsById(conversation), characters: spec.policies.resultCharacters };
    const messages = toModelMessages(instructions, shownHistory(spec, conversation), sending);
    return { messages: [...messages, ...asked], tools, ...form };
  };
}

const callsById = (messages: readonly Message[]): ReadonlyMap<string, CallRecord> =>
  new Map(
    messages.flatMap((message) =>
      message.role === 'user' ? [] : message.calls.map((call) => [call.id, call] as const),
    ),
  );

/**
 * One attempt; a second one when the first broke after its output had begun, which no adapter repeats. `undefined` when a
 * limit does not allow it.
 */
async function replyOf(loop: Loop, request: ModelRequest): Promise<ModelReply | undefined> {
  const { frame, holder } = loop;
  const attempt = 1 + (loop.journal.state.turn?.resumedSinceReply ?? 0) + Number(frame.shortened);
  // How long it takes nobody knows: what takes too long is left, and asked for again by the next invocation.
  holder.claim({ subrequests: isPlanned(loop.spec.model) ? 0 : 1, ms: 0 });
  try {
    return await attemptReply(loop, request, attempt);
  } catch (failure) {
    if (!(failure instanceof ModelError) || !failure.outputBegan || isTooLong(failure)) throw failure;
    holder.count(1);
    return await attemptReply(loop, request, attempt + 1);
  }
}

async function attemptReply(
  loop: Loop,
  request: ModelRequest,
  attempt: number,
): Promise<ModelReply | undefined> {
  const { frame, holder } = loop;
  const { model } = loop.spec;
  const { modelSignal: signal } = holder;
  const label = `${frame.iterations + 1}.${attempt}`;
  holder.checkpoint();
  const allowed = await reserve(loop, request);
  if (!allowed) return undefined;
  if (attempt > 1) loop.live.restarted(label, frame.id);
  try {
    const { text } = loop.live;
    const onText = text && ((piece: string): void => text(label, piece, frame.id));
    // Every attempt of an adapter is a request, and reserved by itself under a limit: one that failed may have been charged for.
    const again = async (): Promise<void> => {
      holder.count(1);
      if (!(await reserve(loop, allowed, allowed.maxOutputTokens))) throw new OutOfBudget();
    };
    const options = { signal, onText, again };
    return await untilAborted(signal, model.ask(allowed, options));
  } catch (failure) {
    if (signal.aborted) throw signal.reason;
    if (failure instanceof OutOfBudget) return undefined;
    if (failure instanceof ModelError || failure instanceof Interrupted) throw failure;
    // Its words may hold what only the adapter should know.
    console.error(`holdfast: the model '${model.name}' threw`, failure);
    throw new ModelError('invalid-reply', `The model '${model.name}' threw instead of answering.`);
  }
}

/** Asked of a model whose reply was blank. */
export const NUDGE =
  'Your previous turn produced no response. Take ONE concrete action that progresses toward answering the ' +
  "user's most recent question — either call a tool to gather what you still need, or write the answer using " +
  'the information you already have. Do not stay silent.';

/** Asked with the last model call, which offers no tools. */
const answerNow = (iterations: number): string =>
  `STOP: Maximum tool iterations (${iterations}) reached. You must provide your best final answer now based on ` +
  'information gathered so far.';

/**
 * The conversation as a model is sent it: one system message first (LOOP-17), and results after their reply in source
 * order, each with so many characters at the most. `records` has every call, by our ids.
 */
function toModelMessages(
  instructions: string,
  shown: readonly HistoryMessage[],
  sending: Sending,
): ModelMessage[] {
  const sent: ModelMessage[] = instructions === '' ? [] : [{ role: 'system', text: instructions }];
  shown.forEach((message, index) => {
    if (message.role === 'user') sent.push({ role: 'user', text: message.text });
    else if (isBlank(message)) sent.push(...blank(shown[index + 1]));
    else sent.push(...toReply(message, sending));
  });
  return sent;
}

interface Sending {
  readonly records: ReadonlyMap<string, CallRecord>;
  readonly characters: number;
}

type Reply = Extract<HistoryMessage, { role: 'assistant' }>;

const isBlank = ({ text, calls }: Reply): boolean => calls.length === 0 && text.trim() === '';

/** An empty assistant message is refused by some providers (EMP-04); a message that followed it needs no nudge. */
const blank = (next: HistoryMessage | undefined): ModelMessage[] => [
  { role: 'assistant', text: '(no response)', toolCalls: [] },
  ...(next?.role === 'user' ? [] : [{ role: 'user', text: NUDGE } as const]),
];

function toReply({ text, calls }: Reply, { records, characters }: Sending): ModelMessage[] {
  // Providers repeat their ids, so that ours are those by which a call is known.
  const wireId = (id: string): string => records.get(id)?.providerId ?? id;
  const toolCalls = calls.map(({ id, name, input }) => ({ id: wireId(id), name, input }));
  const results = calls.map(({ id, name, result }): ModelMessage => {
    const answer = result ?? { type: 'error', message: 'There is no result for this call.' };
    const most = Math.min(characters, records.get(id)?.ended?.shown ?? characters);
    return { role: 'tool', id: wireId(id), name, text: shownText(answer, most) };
  });
  return [{ role: 'assistant', text, toolCalls }, ...results];
}
