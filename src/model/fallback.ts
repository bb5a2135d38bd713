import {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelFailure,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
} from './chat-model.ts';
import { findMaker, fittedFiles, givenTo } from './given-to.ts';
import type { MadeBy } from './parts.ts';
import { dearest, type Prices } from './prices.ts';
import { mergedSettings } from './settings.ts';

/**
 * Asks the first of several models, and the next one when it is overloaded or gone: when there are too many requests, its
 * server fails, cannot be reached, is silent for too long, breaks off or does not know the model, and nothing of its reply
 * has been handed on. A refused key or request is a mistake that another model would only hide, and comes out as it is. A turn
 * begins with the first, and stays with the model that answered last in it until that one fails too: then the others are asked in their
 * order. Which model answered stands in `madeBy`, and its prices are what counts; under limits
 * the dearest are held back, for requests that are measured in bytes. Each model tries again as its adapter does before the
 * next is asked: with `retries: 0` that is asked at once.
 *
 * @throws TypeError for fewer than two models, and for one whose default settings choose tools, which a loop decides.
 */
export function fallback(models: readonly ChatModel[]): ChatModel {
  const candidates = [...models];
  checkCandidates(candidates);
  const prices = pricesOf(candidates);
  const longest = longestReply(candidates);
  return {
    name: namesOf(candidates),
    candidates,
    ...(prices && { prices }),
    ...(longest !== undefined && { maxOutputTokens: longest }),
    signPrefix: candidates.find((one) => one.signPrefix)?.signPrefix,
    ...(candidates.some(({ caches }) => caches) && { caches: true }),
    showToolsChanges: showsChanges(candidates),
    ...(candidates.every(({ heedsToolChoice }) => heedsToolChoice) && { heedsToolChoice: true }),
    refuses(settings) {
      const all = candidates.map((one) => one.refuses?.(mergedModelSettings(one, settings)));
      return all.find((why) => why !== undefined);
    },
    ask: (request, options) => askInTurn(candidates, request, options),
  };
}

function checkCandidates(candidates: readonly ChatModel[]): void {
  if (candidates.length < 2)
    throw new TypeError(`'fallback' was given ${candidates.length} models; give it two or more.`);
  for (const { name, settings } of candidates) {
    if (settings?.toolChoice === undefined) continue;
    throw new TypeError(
      `'fallback' was given the model '${name}', whose settings hold a 'toolChoice'; give that to the agent.`,
    );
  }
}

/** One that signs its prefix and is shown no changes sees other tools by every change, so that then none is shown them. */
const showsChanges = (candidates: readonly ChatModel[]): ChatModel['showToolsChanges'] =>
  candidates.every((one) => one.showToolsChanges || !one.signPrefix)
    ? candidates.find((one) => one.showToolsChanges)?.showToolsChanges
    : undefined;

const namesOf = (candidates: readonly ChatModel[]): string => candidates.map(({ name }) => name).join(' or ');

/** What is held back at the most, whoever answers; nothing when a price is not known. */
function pricesOf(candidates: readonly ChatModel[]): Prices | undefined {
  const prices = candidates.flatMap(({ prices: one }) => (one ? dearest(one) : []));
  if (prices.length < candidates.length) return undefined;
  return {
    input: Math.max(...prices.map(({ input }) => input)),
    output: Math.max(...prices.map(({ output }) => output)),
  };
}

/** Each is asked for no more than it can write, so the longest of all bounds them. */
function longestReply(candidates: readonly ChatModel[]): number | undefined {
  const all = candidates.flatMap(({ maxOutputTokens: most }) => most ?? []);
  return all.length < candidates.length ? undefined : Math.max(...all);
}

const mergedModelSettings = ({ settings: defaults }: ChatModel, settings: ModelRequest['settings']) =>
  mergedSettings(defaults, settings) as NonNullable<ModelRequest['settings']>; // of two that are a model's

/**
 * In the order in which they are asked: first the one that has called tools last, as long as they were not answered in words. It need
 * not be shown what another has thought, and finds what its provider has cached.
 */
function inTurn(
  candidates: readonly ChatModel[],
  { messages }: Pick<ModelRequest, 'messages'>,
): readonly ChatModel[] {
  const last = messages.findLast((message) => message.role === 'assistant');
  const { madeBy } = last?.role === 'assistant' && last.toolCalls.length > 0 ? last : {};
  const stays = madeBy && candidates.find((one) => findMaker(one, madeBy));
  return stays ? [stays, ...candidates.filter((one) => one !== stays)] : candidates;
}

async function askInTurn(
  candidates: readonly ChatModel[],
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelReply> {
  const failed: ModelError[] = [];
  const turn = inTurn(candidates, request);
  for (const [index, model] of turn.entries()) {
    try {
      return await askOne(model, request, options);
    } catch (failure) {
      if (!(failure instanceof ModelError)) throw failure;
      failed.push(failure);
      const next = turn[index + 1];
      if (!next || options.signal.aborted || !isGone(failure)) throw told(failure, failed, turn);
      options.warn?.(
        `the model '${model.name}' failed (${failure.failure}); '${next.name}' is asked instead`,
      );
      // The failed attempt may have been charged for, and another model is asked.
      await options.again?.();
    }
  }
  throw new ModelError('server-error', 'There is no model to ask.');
}

async function askOne(model: ChatModel, request: ModelRequest, options: AskOptions): Promise<ModelReply> {
  const { onText, onReasoning } = options;
  let outputBegan = false;
  const heard = (hand: (piece: string) => void) => (piece: string) => {
    outputBegan = true;
    hand(piece);
  };
  try {
    const reply = await model.ask(requestFor(model, request), {
      ...options,
      ...(onText && { onText: heard(onText) }),
      ...(onReasoning && { onReasoning: heard(onReasoning) }),
    });
    const madeBy: MadeBy = reply.madeBy ?? { provider: model.provider ?? '', model: model.name };
    return { ...reply, madeBy };
  } catch (failure) {
    if (!(failure instanceof ModelError) || !outputBegan || failure.outputBegan) throw failure;
    throw new ModelError(failure.failure, failure.message, { ...detailsOf(failure), outputBegan });
  }
}

/** The request as this model may be given it: without what only another can read, over its own defaults. */
function requestFor(model: ChatModel, request: ModelRequest): ModelRequest {
  const { messages, settings: asked, maxOutputTokens: most, cache, ...others } = request;
  const settings = mergedModelSettings(model, asked);
  return {
    ...others,
    messages: messagesFor(model, fittedFiles(model, messages, request.accepts)),
    ...(model.caches && cache && { cache }),
    ...(most !== undefined && { maxOutputTokens: Math.min(most, model.maxOutputTokens ?? most) }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** The messages as one candidate may be given them; changes of tools and moved prefixes only if they say something to it. */
const messagesFor = (model: ChatModel, messages: readonly ModelMessage[]): readonly ModelMessage[] =>
  model.candidates
    ? messages
    : messages.flatMap((message) => {
        if (message.role === 'system' && message.toolsChange && !model.showToolsChanges) return [];
        if (message.role !== 'assistant') return message;
        const { movedPrefix, ...own } = message;
        return givenTo(model, movedPrefix && !model.signPrefix ? own : message);
      });

const PASSED_ON: ReadonlySet<ModelFailure> = new Set([
  'rate-limited',
  'server-error',
  'unreachable',
  'timeout',
  'truncated',
]);

/** A server answers so of a model that it does not have, or has no more. */
const NOT_THERE: readonly (number | undefined)[] = [404, 410];

const isGone = ({ failure, status, outputBegan }: ModelError): boolean =>
  !outputBegan && (PASSED_ON.has(failure) || (failure === 'bad-request' && NOT_THERE.includes(status)));

/** The last failure, with what became of the models before. */
const told = (
  failure: ModelError,
  failed: readonly ModelError[],
  candidates: readonly ChatModel[],
): ModelError => {
  if (failed.length === 1) return failure;
  const all = (words: 'message' | 'reason'): string =>
    `${failed.length} models failed. ${failed.map((one, i) => `${candidates[i]?.name}: ${one[words]}`).join(' ')}`;
  const { outputBegan } = failure;
  return new ModelError(failure.failure, all('message'), {
    ...detailsOf(failure),
    reason: all('reason'),
    outputBegan,
  });
};

const detailsOf = (failure: ModelError) => {
  const { reason, status, retryAfter, length } = failure;
  return { reason, status, retryAfter, length, cause: failure };
};
