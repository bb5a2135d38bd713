import { callId, lastReply } from '../journal/conversation.ts';
import type { SessionEvent } from '../journal/events.ts';
import type { AskedWith, JournaledCall, JournaledPart } from '../journal/reply-data.ts';
import type { KeptReply } from '../journal/state.ts';
import {
  type CacheMarks,
  type ChatModel,
  ModelError,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import { isReader, makerOf } from '../model/given-to.ts';
import { callsOf, isOurCall, isPlain, plainParts, wordsOf } from '../model/parts.ts';
import { priced } from '../model/prices.ts';
import { routed } from '../tool/check-input.ts';
import { mistake } from '../tool/log.ts';
import type { AnyTool } from '../tool/tool.ts';
import { type AskedReply, keepable, replyOf, withoutSecrets } from './ask-reply.ts';
import { inLoop, isPlanned, type Loop } from './loop.ts';
import type { ShownFiles } from './loop-files.ts';
import { askSeamOf, LOOPS, prepareAll, watched } from './loop-seams.ts';
import { requestSettings } from './loop-settings.ts';
import { isTooLong, makeRoom, type ToRequest } from './make-room.ts';
import { fingerprint, loopView, type Offer, offerTools, shownAs, toolsChanged } from './offer-tools.ts';
import { shownHistory, toldOf, toModelMessages } from './shown-history.ts';
import { sameName } from './tool-not-found.ts';

/**
 * Asks for one reply and emits it; or emits that a limit does not allow to ask, or what is left to show a model that was shown
 * too much, which is then to be asked again. `last` lets no tools be called and asks for the best answer now.
 *
 * @throws ModelError when there is no reply; Interrupted when the wait for it was cut short.
 */
export async function askModel(loop: Loop, last: boolean): Promise<void> {
  const { frame, holder } = loop;
  const { model, uses } = loop.spec;
  // The last reply is asked for with the tools that there are, and calls none.
  if (!last && uses.length > 0) await prepareAll(loop);
  holder.takeSteers(frame.id);
  const files = loop.files && (await loop.files.show(loop));
  const shown = frame.messages.length;
  const offered = offerNow(loop);
  const { toRequest, asked } = requestsIn(loop, { last, offered, files });
  const plain = toRequest(frame.messages);
  const request = model.caches ? await withCacheMarks(loop, plain) : plain;
  if (uses.length > 0) watched(loop, { at: 'ask', request });
  const began = holder.now();
  const ended: (() => void)[] = [];
  let event: ModelReplied;
  try {
    const call = { loop, request, atEnd: (run: () => void) => void ended.push(run) };
    const reply = await replyOf(call, uses.length > 0 ? askSeamOf(loop) : undefined);
    if (!reply) return;
    const unseen = frame.messages.length - shown;
    // By this a later request sees what has changed since.
    const signed = model.signPrefix && { prefix: model.signPrefix(request, fingerprint).prefix };
    const answer = replied(loop, reply, { last, unseen, offered, asked: { ...asked, ...signed } });
    event = keepable(model.name, answer);
    loop.journal.emit(event);
    loop.live.said = '';
  } catch (failure) {
    if (files?.isRefused(request, failure)) return;
    let left = failure;
    if (isTooLong(failure)) {
      left = makeRoom(loop, toRequest, failure);
      if (!left) return;
    }
    if (left instanceof ModelError) reportFailure(loop, left, holder.now() - began);
    throw left;
  } finally {
    for (const run of ended) run();
  }
  if (uses.length > 0) watched(loop, { at: 'reply', reply: event, ms: holder.now() - began });
}

function reportFailure(loop: Loop, failure: ModelError, ms: number): void {
  const model = loop.spec.model.name;
  const message = `Model '${model}' failed (${failure.failure}): ${failure.reason}`;
  loop.log({ ...mistake(message, undefined, 'model-failed'), model });
  watched(loop, { at: 'no-reply', failure, ms });
}

/** Makes the event of a reply, with our ids for its calls: models repeat theirs. */
export function replied(
  loop: Loop,
  answered: AskedReply,
  { last, unseen = 0, offered, asked }: AskedFor,
): ModelReplied {
  const { turn, journal, spec } = loop;
  const reply = withoutSecrets(loop, answered);
  const { finish, usage, madeBy } = reply;
  const maker = madeBy ? makerOf(spec.model, madeBy) : spec.model;
  const before = lastReply(loop.frame.messages)?.kept;
  const { text, toolCalls: calls } = reply.parts
    ? { text: wordsOf(reply.parts), toolCalls: callsOf(reply.parts) }
    : reply;
  const isMore = reply.parts ?? reply.provider ?? madeBy;
  // Some models call tools that they were not offered.
  const toolCalls = (last ? [] : calls).map(({ id, name: called, input }, index): JournaledCall => {
    const name = spec.policies.unknownTools.autoExecute ? nameOf(called, offered) : called;
    const tool = offered.byName.get(name);
    return {
      id: callId(turn, journal.state.seq + 1, index),
      providerId: id,
      name,
      ...(tool?.route && meantBy(tool, { name, input })),
      input,
    };
  });
  return {
    type: 'model-replied',
    ...inLoop(loop),
    model: madeBy?.model ?? spec.model.name,
    text,
    toolCalls,
    // What belongs to a call is not given back without it.
    ...(toolCalls.length === calls.length && (reply.cut ? CUT : isMore && keptOf(loop, reply, toolCalls))),
    ...(before && before.madeBy.model !== maker.name && tookOver(before, maker)),
    finish,
    ...(asked && !isPlanned(spec.model) && { asked }),
    ...(usage && { usage: priced(usage, maker) }),
    ...(isPlanned(spec.model) && { planned: true }),
    ...(last && { last }),
    ...(unseen > 0 && { unseen }),
  };
}

/** Tells that the last reply is another model's, and what of it the model that answers now was not shown. */
function tookOver(kept: KeptReply, maker: ChatModel): Pick<ModelReplied, 'tookOver'> {
  const types = isReader(maker, kept) ? [] : kept.parts.map(({ type }) => type);
  const unshown = [...new Set(types)].filter((type) => type !== 'text' && type !== 'tool-call');
  return { tookOver: { from: kept.madeBy.model, unshown } };
}

/** Of a reply with parts, which are left out because a secret was among them. */
const CUT = { cut: true } as const;

/** What a reply holds beside its words and calls; nothing for most. */
function keptOf(
  { spec: { model } }: Loop,
  { text, toolCalls, parts = plainParts(text, toolCalls), provider, madeBy }: ModelReply,
  calls: readonly JournaledCall[],
): Pick<ModelReplied, 'parts' | 'provider' | 'servedBy'> {
  if (isPlain(parts) && !provider && !madeBy) return {};
  const left = calls.values();
  const kept = parts.flatMap((part): readonly JournaledPart[] => {
    if (!isOurCall(part)) return [part];
    const call = left.next().value;
    if (!call) return [];
    const { name, provider: own } = part;
    const called = name === call.name ? {} : { called: name };
    return [{ type: 'tool-call', ...call, ...called, ...(own && { provider: own }) }];
  });
  return { parts: kept, ...(provider && { provider }), servedBy: (madeBy ?? model).provider ?? '' };
}

type ModelReplied = Extract<SessionEvent, { type: 'model-replied' }>;

/** How the reply was asked for. */
interface AskedFor {
  /** For the best answer now, and no calls. */
  readonly last: boolean;
  /** Messages that came since; none unless given. */
  readonly unseen?: number;
  readonly offered: Offer;
  /** Absent of a reply that no model was asked for. */
  readonly asked?: AskedWith;
}

/** Names the tool behind an unfolding tool; nothing for a call that is meant for the tool that it names. */
function meantBy(
  offered: AnyTool,
  { name, input }: Pick<JournaledCall, 'name' | 'input'>,
): Pick<JournaledCall, 'meant'> {
  const meant = routed(offered, { input }).tool.name;
  return meant === name ? {} : { meant };
}

/** The name as its tool has it, so that limits, memos and unlock conditions know the call by it too. */
const nameOf = (name: string, { byName }: Offer): string =>
  byName.has(name) ? name : (sameName(name, byName.keys()) ?? name);

/** Offers the tools of now, and tells of those that came and went since the last request. */
function offerNow(loop: Loop): Offer {
  const offered = offerTools(loop, 'now');
  const { asked, list } = loop.frame.offered;
  // A loop whose tools never change pays with the comparison of two hashes.
  const isSame = !asked || (!list && asked.tools === offered.hash);
  const change = isSame ? undefined : toolsChanged(loop, offered);
  if (!change) return offered;
  loop.journal.emit(change);
  if (loop.spec.uses.length > 0) watched(loop, { at: 'tools-changed', change, offer: offered });
  // Those that came stand behind the others from now on.
  return offerTools(loop, 'now');
}

/** How the next reply is asked for. */
interface Asking {
  /** Makes the request of a conversation as it stands, or as it would be if less of it was shown. */
  readonly toRequest: ToRequest;
  /** Hashes of what stays while a conversation goes on. */
  readonly asked: Pick<AskedWith, 'instructions' | 'tools'>;
}

interface Shown extends Pick<AskedFor, 'last' | 'offered'> {
  readonly files: ShownFiles | undefined;
}

function requestsIn(loop: Loop, { last, offered, files }: Shown): Asking {
  const { spec, frame } = loop;
  const { instructions: written, output, model, accepts } = spec;
  const instructions = typeof written === 'string' ? written : written(loopView(loop, 'now'));
  // Nothing at all without a form: adapters and scripts compare requests.
  const form = output?.format && { output: output.format };
  const first: ModelMessage[] = instructions === '' ? [] : [{ role: 'system', text: instructions }];
  const how = requestSettings(loop, { last, tools: offered.definitions });
  const question: ModelMessage[] = last ? [{ role: 'user', text: answerNow(spec.iterations) }] : [];
  // A request without the tools that there are shows nothing of how they changed.
  const changing = how.tools === offered.definitions && model.showToolsChanges;
  return {
    toRequest: (conversation) => {
      const shown = shownHistory(loop, conversation);
      const changes = changing
        ? changing({ conversation, shown, ...changingTools(loop, offered) })
        : undefined;
      const pending = changes?.get(frame.offered.change);
      const all = [
        ...first,
        ...toModelMessages(loop, { conversation, shown, changes, files }),
        ...question,
        ...(pending ? [toldOf(pending)] : []),
      ];
      const messages = files ? files.fitted(all) : all;
      const request = { messages, ...how, ...form, ...(accepts && { accepts }) };
      return model.signPrefix ? model.signPrefix(request, fingerprint).request : request;
    },
    asked: { instructions: fingerprint(instructions), tools: offered.hash },
  };
}

const changingTools = ({ spec, frame }: Loop, { byName }: Offer) => ({
  pending: frame.offered.change,
  tools: [...spec.tools, ...byName.values()],
  mayBecome: (tool: AnyTool) => spec.strategies.flatMap((one) => one.mayBecome?.(tool) ?? []),
  shownAs,
});

/** Asked with the last model call. */
const answerNow = (iterations: number): string =>
  `STOP: Maximum tool iterations (${iterations}) reached. You must provide your best final answer now based on ` +
  'information gathered so far.';

/** Returns the request with what its provider is to keep of it. For a model that can be told so. */
export async function withCacheMarks(loop: Loop, request: ModelRequest): Promise<ModelRequest> {
  // No turn has an id that begins so.
  const key = await loop.holder.digest(`cache of ${loop.frame.path}`);
  const auto = automatic(request, key);
  const own = loop.spec.uses.flatMap(({ use }) => LOOPS.of(use) ?? []).findLast(({ marks }) => marks);
  const cache = own?.marks ? own.marks(request, { key, auto }, loop) : auto;
  return cache ? { ...request, cache } : request;
}

/**
 * Anthropic looks for what it has kept at the marks and in the twenty blocks before each: where a reply and its results are more
 * than that, what was kept by the request before is found by the mark that stood at its end.
 */
function automatic({ messages }: ModelRequest, key: string): CacheMarks {
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return { key, tools: true, system: true, messages: before < 0 ? [-1] : [-1, before] };
}
