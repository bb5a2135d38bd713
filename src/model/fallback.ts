import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelFailure,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
} from './chat-model.ts';
import { adaptReply, findMaker, fitFiles } from './given-to.ts';
import type { ReplyMaker } from './parts.ts';
import { computeHighestPrices, type Prices } from './prices.ts';
import { mergeSettings } from './settings.ts';

/**
 * Creates a model that asks the first of several models, and the next one if that fails. It switches, only
 * before output begins, on a rate limit, a server error, no connection, too long a silence, a broken stream
 * or an unknown model name. An error for a refused key or request is thrown, because another model would only
 * hide it.
 *
 * A turn begins with the first model, and stays with the model that answered last until that fails. Then it
 * tries the others in order. `madeBy` names the model that answered, and its prices apply. Limits reserve the
 * cost at the highest prices, and measure requests in bytes. Each model completes its adapter's retries
 * before the next is asked. With `retries: 0`, the next is asked at once.
 *
 * @throws TypeError for fewer than two models, or for a model whose default settings have a `toolChoice`,
 * which belongs to a loop.
 *
 * @example
 * ```ts
 * const both = fallback([fromAiSdk(claude, { retries: 0 }), fromAiSdk(gpt)]);
 * ```
 */
export function fallback(models: readonly ChatModel[]): ChatModel {
  const candidates = [...models];
  checkCandidates(candidates);
  const prices = computePrices(candidates);
  const longest = computeMaxOutputTokens(candidates);
  return {
    name: formatNames(candidates),
    candidates,
    ...(prices && { prices }),
    ...(longest !== undefined && { maxOutputTokens: longest }),
    signPrefix: candidates.find((one) => one.signPrefix)?.signPrefix,
    ...(candidates.some(({ caches }) => caches) && { caches: true }),
    showToolsChanges: findSharedToolsChanges(candidates),
    ...(candidates.every(({ heedsToolChoice }) => heedsToolChoice) && { heedsToolChoice: true }),
    refuses(settings) {
      const all = candidates.map((one) => one.refuses?.(mergeModelSettings(one, settings)));
      return all.find((why) => why !== undefined);
    },
    ask: (request, options) => askInOrder(candidates, request, options),
  };
}

function checkCandidates(candidates: readonly ChatModel[]): void {
  if (candidates.length < 2)
    throw new TypeError(`'fallback' needs two or more models, but received ${candidates.length}.`);
  for (const { name, settings } of candidates) {
    if (settings?.toolChoice === undefined) continue;
    throw new TypeError(
      `'fallback' received the model '${name}', whose settings contain a 'toolChoice'. Set it on the agent.`,
    );
  }
}

/**
 * Returns the shared function, or `undefined`. A model that signs its prefix but gets no changes would see a
 * different tool list after each change. If a candidate is such a model, no candidate gets changes.
 */
const findSharedToolsChanges = (candidates: readonly ChatModel[]): ChatModel['showToolsChanges'] =>
  candidates.every((one) => one.showToolsChanges || !one.signPrefix)
    ? candidates.find((one) => one.showToolsChanges)?.showToolsChanges
    : undefined;

const formatNames = (candidates: readonly ChatModel[]): string =>
  candidates.map(({ name }) => name).join(' or ');

/** Returns the highest prices, for reservations. `undefined` if any price is unknown. */
function computePrices(candidates: readonly ChatModel[]): Prices | undefined {
  const prices = candidates.flatMap(({ prices: one }) => (one ? computeHighestPrices(one) : []));
  if (prices.length < candidates.length) return undefined;
  return {
    input: Math.max(...prices.map(({ input }) => input)),
    output: Math.max(...prices.map(({ output }) => output)),
  };
}

/** Returns the largest of all candidates' reply limits. Each is asked for no more than its own maximum. */
function computeMaxOutputTokens(candidates: readonly ChatModel[]): number | undefined {
  const all = candidates.flatMap(({ maxOutputTokens: most }) => most ?? []);
  return all.length < candidates.length ? undefined : Math.max(...all);
}

const mergeModelSettings = ({ settings: defaults }: ChatModel, settings: ModelRequest['settings']) =>
  mergeSettings(defaults, settings) as NonNullable<ModelRequest['settings']>; // both are a model's settings

/**
 * Returns the candidates in the order to ask. The maker of the last tool calls comes first until an answer in
 * text. That way it receives no calls of another model, and benefits from its provider's cache.
 */
function orderCandidates(
  candidates: readonly ChatModel[],
  { messages }: Pick<ModelRequest, 'messages'>,
): readonly ChatModel[] {
  const last = messages.findLast((message) => message.role === 'assistant');
  const { madeBy } = last?.role === 'assistant' && last.toolCalls.length > 0 ? last : {};
  const stays = madeBy && candidates.find((one) => findMaker(one, madeBy));
  return stays ? [stays, ...candidates.filter((one) => one !== stays)] : candidates;
}

async function askInOrder(
  candidates: readonly ChatModel[],
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const failed: ModelError[] = [];
  const turn = orderCandidates(candidates, request);
  for (const [index, model] of turn.entries()) {
    try {
      return await askOne(model, request, options);
    } catch (failure) {
      if (!(failure instanceof ModelError)) throw failure;
      failed.push(failure);
      const next = turn[index + 1];
      if (!next || options.signal.aborted || !canSwitch(failure))
        throw withEarlierFailures(failure, failed, turn);
      options.warn?.(
        `the model '${model.name}' failed (${failure.failure}); '${next.name}' is asked instead`,
      );
      // The failed attempt may have been charged for, and a request to another model follows.
      await options.again?.();
    }
  }
  throw new ModelError('server-error', 'There is no model to ask.');
}

async function askOne(model: ChatModel, request: ModelRequest, options: AskOptions): Promise<ModelReply> {
  const { onText, onReasoning } = options;
  let outputBegan = false;
  const trackOutput = (hand: (piece: string) => void) => (piece: string) => {
    outputBegan = true;
    hand(piece);
  };
  try {
    const reply = await model.ask(adaptRequest(model, request), {
      ...options,
      ...(onText && { onText: trackOutput(onText) }),
      ...(onReasoning && { onReasoning: trackOutput(onReasoning) }),
    });
    const madeBy: ReplyMaker = reply.madeBy ?? { provider: model.provider ?? '', model: model.name };
    return { ...reply, madeBy };
  } catch (failure) {
    if (!(failure instanceof ModelError) || !outputBegan || failure.outputBegan) throw failure;
    throw new ModelError(failure.failure, failure.message, { ...getDetails(failure), outputBegan });
  }
}

/**
 * Returns the request for this model, without data that only another model can read, and with its own default
 * settings.
 */
function adaptRequest(model: ChatModel, request: ModelRequest): ModelRequest {
  const { messages, settings: asked, maxOutputTokens: most, cache, ...others } = request;
  const settings = mergeModelSettings(model, asked);
  return {
    ...others,
    messages: adaptMessages(model, fitFiles(model, messages, request.accepts)),
    ...(model.caches && cache && { cache }),
    ...(most !== undefined && { maxOutputTokens: Math.min(most, model.maxOutputTokens ?? most) }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/**
 * Returns the messages for one candidate. Tool changes and marks of changed prefixes are kept only if the
 * candidate uses them.
 */
const adaptMessages = (model: ChatModel, messages: readonly ModelMessage[]): readonly ModelMessage[] =>
  model.candidates
    ? messages
    : messages.flatMap((message) => {
        if (message.role === 'system' && message.toolsChange && !model.showToolsChanges) return [];
        if (message.role !== 'assistant') return message;
        const { movedPrefix, ...own } = message;
        return adaptReply(model, movedPrefix && !model.signPrefix ? own : message);
      });

const SWITCHING_FAILURES: ReadonlySet<ModelFailure> = new Set([
  'rate-limited',
  'server-error',
  'unreachable',
  'timeout',
  'truncated',
]);

/** The statuses with which a server reports an unknown or retired model. */
const NOT_FOUND_STATUSES: readonly (number | undefined)[] = [404, 410];

const canSwitch = ({ failure, status, outputBegan }: ModelError): boolean =>
  !outputBegan &&
  (SWITCHING_FAILURES.has(failure) || (failure === 'bad-request' && NOT_FOUND_STATUSES.includes(status)));

/** Returns the last failure, with those of the earlier models in its message. */
const withEarlierFailures = (
  failure: ModelError,
  failed: readonly ModelError[],
  candidates: readonly ChatModel[],
): ModelError => {
  if (failed.length === 1) return failure;
  const joinFailures = (words: 'message' | 'reason'): string =>
    `${failed.length} models failed. ${failed.map((one, i) => `${candidates[i]?.name}: ${one[words]}`).join(' ')}`;
  const { outputBegan } = failure;
  return new ModelError(failure.failure, joinFailures('message'), {
    ...getDetails(failure),
    reason: joinFailures('reason'),
    outputBegan,
  });
};

const getDetails = (failure: ModelError) => {
  const { reason, status, retryAfter, length } = failure;
  return { reason, status, retryAfter, length, cause: failure };
};
