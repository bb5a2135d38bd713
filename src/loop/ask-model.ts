import { createCallId, findLastReply } from '../journal/conversation.ts';
import type { SessionEvent } from '../journal/events.ts';
import type { JournaledCall, JournaledPart, RequestHashes } from '../journal/reply-data.ts';
import type { KeptReply } from '../journal/state.ts';
import {
  type CacheMarks,
  type ChatModel,
  ModelError,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import { canReadReply, resolveMaker } from '../model/given-to.ts';
import { isOurCall, isPlainReply, joinTextParts, listCalls, toPlainParts } from '../model/parts.ts';
import { withCost } from '../model/prices.ts';
import { resolveRoute } from '../tool/check-input.ts';
import { createErrorEntry } from '../tool/log.ts';
import type { AnyTool } from '../tool/tool.ts';
import { checkStorable, type RedactedReply, requestReply, withoutSecrets } from './ask-reply.ts';
import { isPlanned, type Loop, toLoopFields } from './loop.ts';
import type { ShownFiles } from './loop-files.ts';
import { findAskSeam, LOOPS, notifyWatchers, prepareAll } from './loop-seams.ts';
import { createRequestSettings } from './loop-settings.ts';
import { isTooLong, makeRoom, type RequestBuilder } from './make-room.ts';
import {
  createLoopView,
  hashText,
  type Offer,
  offerTools,
  toShownTool,
  toToolsChangedEvent,
} from './offer-tools.ts';
import { toModelMessages, toShownHistory, toToolsChangeMessage } from './shown-history.ts';
import { findSameName } from './tool-not-found.ts';

/**
 * Asks for one reply and emits it. If a limit does not allow the call, emits the refusal instead. If the
 * conversation was too long for the model, emits how much of it to show, and the loop asks again. With
 * `last`, the model cannot call tools and must give its best answer now.
 *
 * @throws ModelError if there is no reply.
 * @throws InterruptionError if the wait for it was cut short.
 */
export async function askModel(loop: Loop, last: boolean): Promise<void> {
  const { frame, holder } = loop;
  const { model, uses } = loop.spec;
  // The last reply cannot call tools, so these need no preparation.
  if (!last && uses.length > 0) await prepareAll(loop);
  holder.takeSteers(frame.id);
  const files = loop.files && (await loop.files.show(loop));
  const shown = frame.messages.length;
  const offered = offerCurrentTools(loop);
  const { toRequest, asked } = planRequest(loop, { last, offered, files });
  const plain = toRequest(frame.messages);
  const request = model.caches ? await withCacheMarks(loop, plain) : plain;
  if (uses.length > 0) notifyWatchers(loop, { at: 'ask', request });
  const began = holder.now();
  const ended: (() => void)[] = [];
  let event: ModelReplyEvent;
  try {
    const call = { loop, request, atEnd: (run: () => void) => void ended.push(run) };
    const reply = await requestReply(call, uses.length > 0 ? findAskSeam(loop) : undefined);
    if (!reply) return;
    const unseen = frame.messages.length - shown;
    // A later request compares this hash to detect changes to the prefix.
    const signed = model.signPrefix && { prefix: model.signPrefix(request, hashText).prefix };
    const answer = toRepliedEvent(loop, reply, { last, unseen, offered, asked: { ...asked, ...signed } });
    event = checkStorable(model.name, answer);
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
  if (uses.length > 0) notifyWatchers(loop, { at: 'reply', reply: event, ms: holder.now() - began });
}

function reportFailure(loop: Loop, failure: ModelError, ms: number): void {
  const model = loop.spec.model.name;
  const message = `Model '${model}' failed (${failure.failure}): ${failure.reason}`;
  loop.log({ ...createErrorEntry(message, undefined, 'model-failed'), model });
  notifyWatchers(loop, { at: 'no-reply', failure, ms });
}

/** Makes the event of a reply. Its calls get our own ids, since models repeat theirs. */
export function toRepliedEvent(
  loop: Loop,
  answered: RedactedReply,
  { last, unseen = 0, offered, asked }: ReplyContext,
): ModelReplyEvent {
  const { turn, journal, spec } = loop;
  const reply = withoutSecrets(loop, answered);
  const { finish, usage, madeBy } = reply;
  const maker = madeBy ? resolveMaker(spec.model, madeBy) : spec.model;
  const before = findLastReply(loop.frame.messages)?.kept;
  const { text, toolCalls: calls } = reply.parts
    ? { text: joinTextParts(reply.parts), toolCalls: listCalls(reply.parts) }
    : reply;
  const isMore = reply.parts ?? reply.provider ?? madeBy;
  // Some models call tools that were not offered.
  const toolCalls = (last ? [] : calls).map(({ id, name: called, input }, index): JournaledCall => {
    const name = spec.policies.unknownTools.autoExecute ? correctToolName(called, offered) : called;
    const tool = offered.byName.get(name);
    return {
      id: createCallId(turn, journal.state.seq + 1, index),
      providerId: id,
      name,
      ...(tool?.route && findMeantTool(tool, { name, input })),
      input,
    };
  });
  return {
    type: 'model-replied',
    ...toLoopFields(loop),
    model: madeBy?.model ?? spec.model.name,
    text,
    toolCalls,
    // Parts can be sent back only together with the calls that they belong to.
    ...(toolCalls.length === calls.length &&
      (reply.cut ? CUT_PARTS : isMore && getKeptParts(loop, reply, toolCalls))),
    ...(before && before.madeBy.model !== maker.name && toTakeOver(before, maker)),
    finish,
    ...(asked && !isPlanned(spec.model) && { asked }),
    ...(usage && { usage: withCost(usage, maker) }),
    ...(isPlanned(spec.model) && { planned: true }),
    ...(last && { last }),
    ...(unseen > 0 && { unseen }),
  };
}

/**
 * Records that another model made the previous reply, and which of its parts the current model was not shown.
 */
function toTakeOver(kept: KeptReply, maker: ChatModel): Pick<ModelReplyEvent, 'tookOver'> {
  const types = canReadReply(maker, kept) ? [] : kept.parts.map(({ type }) => type);
  const unshown = [...new Set(types)].filter((type) => type !== 'text' && type !== 'tool-call');
  return { tookOver: { from: kept.madeBy.model, unshown } };
}

/** Marks a reply whose parts are left out because they contained a secret. */
const CUT_PARTS = { cut: true } as const;

/** Returns the parts of a reply beyond its text and calls. Most replies have none. */
function getKeptParts(
  { spec: { model } }: Loop,
  { text, toolCalls, parts = toPlainParts(text, toolCalls), provider, madeBy }: ModelReply,
  calls: readonly JournaledCall[],
): Pick<ModelReplyEvent, 'parts' | 'provider' | 'servedBy'> {
  if (isPlainReply(parts) && !provider && !madeBy) return {};
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

type ModelReplyEvent = Extract<SessionEvent, { type: 'model-replied' }>;

/** How a reply was requested. */
interface ReplyContext {
  /** `true` if the model had to give its best answer now, without calls. */
  readonly last: boolean;
  /** The number of messages that arrived since the request. Defaults to 0. */
  readonly unseen?: number;
  readonly offered: Offer;
  /** Absent if no model was asked. */
  readonly asked?: RequestHashes;
}

/** Returns the tool behind an unfolding tool as `meant`. Omits `meant` if the call is for the named tool. */
function findMeantTool(
  offered: AnyTool,
  { name, input }: Pick<JournaledCall, 'name' | 'input'>,
): Pick<JournaledCall, 'meant'> {
  const meant = resolveRoute(offered, { input }).tool.name;
  return meant === name ? {} : { meant };
}

/** Returns the exact name of the tool, so that limits, memos and unlock conditions match the call by it. */
const correctToolName = (name: string, { byName }: Offer): string =>
  byName.has(name) ? name : (findSameName(name, byName.keys()) ?? name);

/** Offers the current tools, and emits which tools were added or removed since the last request. */
function offerCurrentTools(loop: Loop): Offer {
  const offered = offerTools(loop, 'now');
  const { asked, list } = loop.frame.offered;
  // A loop whose tools never change only compares two hashes.
  const isSame = !asked || (!list && asked.tools === offered.hash);
  const change = isSame ? undefined : toToolsChangedEvent(loop, offered);
  if (!change) return offered;
  loop.journal.emit(change);
  if (loop.spec.uses.length > 0) notifyWatchers(loop, { at: 'tools-changed', change, offer: offered });
  // New tools now follow the others.
  return offerTools(loop, 'now');
}

/** How to request the next reply. */
interface RequestPlan {
  /** Makes the request for a conversation, or for a shortened version of it. */
  readonly toRequest: RequestBuilder;
  /** Hashes of the parts that stay the same during a conversation. */
  readonly asked: Pick<RequestHashes, 'instructions' | 'tools'>;
}

interface RequestInput extends Pick<ReplyContext, 'last' | 'offered'> {
  readonly files: ShownFiles | undefined;
}

function planRequest(loop: Loop, { last, offered, files }: RequestInput): RequestPlan {
  const { spec, frame } = loop;
  const { instructions: written, output, model, accepts } = spec;
  const instructions = typeof written === 'string' ? written : written(createLoopView(loop, 'now'));
  // The key is absent without a form, since adapters and test scripts compare requests.
  const form = output?.format && { output: output.format };
  const first: ModelMessage[] = instructions === '' ? [] : [{ role: 'system', text: instructions }];
  const how = createRequestSettings(loop, { last, tools: offered.definitions });
  const question: ModelMessage[] = last
    ? [{ role: 'user', text: formatFinalAnswerPrompt(spec.iterations) }]
    : [];
  // A request without the current tools shows no tool changes.
  const changing = how.tools === offered.definitions && model.showToolsChanges;
  return {
    toRequest: (conversation) => {
      const shown = toShownHistory(loop, conversation);
      const changes = changing
        ? changing({ conversation, shown, ...toToolsChangeInput(loop, offered) })
        : undefined;
      const pending = changes?.get(frame.offered.change);
      const all = [
        ...first,
        ...toModelMessages(loop, { conversation, shown, changes, files }),
        ...question,
        ...(pending ? [toToolsChangeMessage(pending)] : []),
      ];
      const messages = files ? files.fitMessages(all) : all;
      const request = { messages, ...how, ...form, ...(accepts && { accepts }) };
      return model.signPrefix ? model.signPrefix(request, hashText).request : request;
    },
    asked: { instructions: hashText(instructions), tools: offered.hash },
  };
}

const toToolsChangeInput = ({ spec, frame }: Loop, { byName }: Offer) => ({
  pending: frame.offered.change,
  tools: [...spec.tools, ...byName.values()],
  mayBecome: (tool: AnyTool) => spec.strategies.flatMap((one) => one.mayBecome?.(tool) ?? []),
  shownAs: toShownTool,
});

/** The prompt of the last model call. */
const formatFinalAnswerPrompt = (iterations: number): string =>
  `STOP: Maximum tool iterations (${iterations}) reached. You must provide your best final answer now based on ` +
  'information gathered so far.';

/** Returns the request with cache marks, for a model whose provider caches prompts. */
export async function withCacheMarks(loop: Loop, request: ModelRequest): Promise<ModelRequest> {
  // No turn id starts with this prefix.
  const key = await loop.holder.digest(`cache of ${loop.frame.path}`);
  const auto = createDefaultMarks(request, key);
  const own = loop.spec.uses.flatMap(({ use }) => LOOPS.of(use) ?? []).findLast(({ marks }) => marks);
  const cache = own?.marks ? own.marks(request, { key, auto }, loop) : auto;
  return cache ? { ...request, cache } : request;
}

/**
 * Returns the default marks. Anthropic looks for a cached prefix at each mark and in the 20 blocks before it.
 * A reply and its results can be longer than that. The second mark repeats the end of the previous request,
 * so that its cache entry is found.
 */
function createDefaultMarks({ messages }: ModelRequest, key: string): CacheMarks {
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return { key, tools: true, system: true, messages: before < 0 ? [-1] : [-1, before] };
}
