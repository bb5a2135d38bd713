import {
  type ChatModel,
  ModelError,
  type ModelOfEnv,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import type { RequestedCall } from '../model/parts.ts';
import { checkPrices, type Prices } from '../model/prices.ts';
import { fillForm } from './answer-in-form.ts';
import { type ConversationMemory, type PastCall, readMemory } from './memory.ts';
import type { NamedValue } from './mentions.ts';
import {
  formatFact,
  formatPastCall,
  formatPastResult,
  type Plan,
  planNext,
  shortenConversation,
} from './plan.ts';
import { isOnlyPointer } from './situation.ts';
import { readToolCard, type ToolCard } from './tool-card.ts';
import { extractTopic, listImpliedStems } from './words.ts';

/**
 * Creates a deterministic planner that implements `ChatModel`. It needs no key and no network. It is not a
 * language model, and each of its answers says so. A reply is a pure function of the request. `ask` throws
 * only if it is aborted, regardless of the messages and schemas.
 *
 * It supports English messages of the forms below. The names and parameters of the tools must describe their
 * subject.
 *
 * - A look-up by a value ("Show flomp 12"), by the words of an enum, by free text, or without input.
 * - Several values at once ("Compare flomp 1 and 2"): parallel calls in one reply.
 * - A chain: "Where is the zarnik of flomp 12?" looks up the flomp, then the zarnik by its `zarnik_id`.
 *   The message need not name the link, and a list of zarniks leads to one call for each.
 * - A command in plain form ("Cancel flomp 12", "Please cancel it", "Cancel the zarnik of flomp 12"):
 *   one call to the tool that makes this change to this object. Questions, conditions and quotations never
 *   count as commands. If two tools or two values fit, the answer says what is missing.
 * - Several of these in one message, separated by a sentence end, `;`, "then" or "and" before a verb.
 *   They run in order, until a command fails.
 * - A later message that refers back ("Who owns it?", "And flomp 13?"). The answer comes from earlier
 *   results, or from a look-up by the identifiers in them.
 * - A tool that only unlocks others, because its result names them. It is called first, at any depth.
 * - A list of everything ("List the flomps"): a tool with these words in its name.
 *
 * A structured answer (`output`) contains the values found under the form's names. Other fields get the
 * smallest value that the schema accepts.
 *
 * Not supported: other languages, conditions ("if it is late, cancel it" only looks it up), identifiers
 * without a digit, sums and comparisons of results, and more than eight calls in a turn.
 *
 * @example
 * ```ts
 * const { text } = await runAgent(researcher, 'Look it up.', { model: offlineModel() });
 * ```
 */
export const offlineModel = ({ prices = FREE_PRICES }: OfflineModelOptions = {}): ChatModel => ({
  name: 'offline',
  ...checkPrices(prices),
  heedsToolChoice: true,
  async ask(request, { signal, onText }) {
    const stopIfAborted = (outputBegan: boolean): void => {
      if (!signal.aborted) return;
      throw new ModelError('aborted', 'The request was aborted.', { outputBegan, cause: signal.reason });
    };
    stopIfAborted(false);
    const reply = createReply(request);
    for (const piece of onText === undefined ? [] : splitPieces(reply.text)) {
      onText?.(piece);
      stopIfAborted(true);
    }
    return reply;
  },
});

/** Options for `offlineModel`. */
export interface OfflineModelOptions {
  /** The prices to report. Defaults to zero, so an agent with a cost limit also works offline. */
  readonly prices?: Prices | undefined;
}

const FREE_PRICES: Prices = { input: 0, output: 0 };

/** Returns the text in pieces of a few words each. Joined, they equal the text. */
const splitPieces = (text: string): readonly string[] => text.match(/\s*\S+(?:\s+\S+){0,7}\s*/g) ?? [];

function createReply(request: ModelRequest): ModelReply {
  const memory = readMemory(request.messages);
  const mayCall = request.settings?.toolChoice !== 'none';
  // Tools that a provider runs do not exist offline.
  const own = request.tools.filter(({ providerTool }) => mayCall && !providerTool);
  const cards = own.map(readToolCard);
  const plan = planNext(memory, cards);
  const first = getNextNumber(request);
  const toolCalls: RequestedCall[] = plan.calls.map(({ tool, input }, at) => ({
    id: `offline_${first + at}`,
    name: tool,
    input: JSON.stringify(input),
  }));
  const digest = shortenConversation(request);
  const text =
    toolCalls.length > 0
      ? ''
      : (digest ?? getAnswerText(request, memory, answerInWords(memory, plan, cards)));
  const output =
    text.length + toolCalls.reduce((sum, { name, input }) => sum + name.length + input.length, 0);
  return {
    text,
    toolCalls,
    finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: estimateTokens(countCharacters(request)), outputTokens: estimateTokens(output) },
  };
}

/**
 * Returns the answer as text or in the requested form. It uses this turn's results, or else the earlier
 * ones.
 */
function getAnswerText(
  { output }: ModelRequest,
  { turn, earlier }: ConversationMemory,
  words: string,
): string {
  const calls = turn.flat();
  return output === undefined ? words : fillForm(output, calls.length > 0 ? calls : earlier, words);
}

/** Returns a rough token count that depends only on the length. */
const estimateTokens = (characters: number): number => Math.round(characters / 4);

const countCharacters = ({ messages }: ModelRequest): number =>
  messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.toolCalls : [];
    return (
      sum +
      message.text.length +
      calls.reduce((inner, { name, input }) => inner + name.length + input.length, 0)
    );
  }, 0);

/** Returns a number greater than every number in this model's own call ids in the conversation. */
function getNextNumber({ messages }: ModelRequest): number {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  return calls.reduce((next, { id }) => {
    const number = /^offline_(\d{1,9})$/.exec(id)?.[1];
    return number === undefined ? next : Math.max(next, Number(number) + 1);
  }, calls.length + 1);
}

/**
 * Returns the answer: the best-fitting facts, the result of each call in the turn, the steps not done, and
 * the notice.
 */
function answerInWords(memory: ConversationMemory, plan: Plan, cards: readonly ToolCard[]): string {
  const turn = withoutPointers(memory.turn.flat(), cards);
  const undone = plan.undone.map(
    ({ step, missing }) =>
      `Not done: "${step.text.slice(0, 200)}".${missing.length > 0 ? ` Missing: ${[...new Set(missing)].join(', ')}.` : ''}`,
  );
  const best = listBestFacts(memory.task, turn.length > 0 ? turn : memory.earlier);
  const lines = [
    ...best.map(formatFact),
    ...turn.map((call) => `${formatPastCall(call)}: ${formatPastResult(call)}`),
    ...undone,
    ...(turn.length === 0 && undone.length === 0 ? answerFromEarlier(memory, best, cards) : []),
  ];
  // A nested loop's answer already contains the notice.
  const own = lines.map((line) => line.replaceAll(offlineNotice, '').trim());
  return [...new Set(own), offlineNotice].join('\n');
}

/** The last sentence of every answer. */
export const offlineNotice =
  "(Answered by Holdfast's offline planner, which is not a language model. To use one, set MODEL to its name, and OPENAI_API_KEY or OPENAI_BASE_URL.)";

/** Drops results that only list tools, unless there are no others. They do not help the user. */
function withoutPointers(calls: readonly PastCall[], cards: readonly ToolCard[]): readonly PastCall[] {
  const telling = calls.filter((call) => !isOnlyPointer(call, cards));
  return telling.length > 0 ? telling : calls;
}

/**
 * A word that an asking word implies ("where": a location) counts more than a word that the question repeats.
 */
const impliedScore = 3;
const repeatedScore = 2;

/** Returns up to three facts whose names answer the question, best first. */
function listBestFacts(task: string, calls: readonly PastCall[]): readonly NamedValue[] {
  const asked = extractTopic(task);
  const who = /\bwho(?:m|se)?\b/i.test(task);
  const computeRank = (fact: NamedValue): number => {
    const direct = asked.filter((word) => fact.words.includes(word)).length;
    const kin = asked.filter((word) =>
      listImpliedStems(word).some((other) => fact.words.includes(other)),
    ).length;
    const person = !who || /^\p{L}[^\d]*$|@/u.test(String(fact.value));
    return fact.marked || !person ? 0 : impliedScore * kin + repeatedScore * direct;
  };
  const ranked = calls
    .flatMap(({ facts, absent }) => [...facts, ...absent])
    .filter((fact) => computeRank(fact) > 0);
  return ranked.toSorted((left, right) => computeRank(right) - computeRank(left)).slice(0, 3);
}

/**
 * Returns the answer for a turn without calls: the results with the best facts, or else the latest results,
 * or else possible requests.
 */
function answerFromEarlier(
  { earlier }: ConversationMemory,
  best: readonly NamedValue[],
  cards: readonly ToolCard[],
): string[] {
  const worked = earlier.filter((call) => !call.failed && !isOnlyPointer(call, cards));
  const holding = worked.filter(({ facts, absent }) =>
    [...facts, ...absent].some((fact) => best.includes(fact)),
  );
  const results = (holding.length > 0 ? holding : worked).slice(0, 3);
  if (results.length > 0)
    return results.map((call) => `Known from ${formatPastCall(call)}: ${formatPastResult(call)}`);
  const names = cards.slice(0, 10).map(({ name }) => name);
  return [`Nothing here fits this message.${names.length > 0 ? ` Tools offered: ${names.join(', ')}.` : ''}`];
}

/**
 * Creates a function that makes the planner if the var `MODEL` is `offline`, and calls `model` otherwise. If
 * `process.env.NODE_ENV` is `production`, as in a `wrangler deploy` bundle, it returns `model`, and the
 * bundle contains no code of the planner. The same applies in a runtime without `process`, if the bundler
 * does not define it.
 *
 * @example
 * ```ts
 * const model = orOffline(openaiCompatible()); // for createHoldfast({ agents, model })
 * ```
 */
export function orOffline<AppEnv extends object>(model: ModelOfEnv<AppEnv>): ModelOfEnv<AppEnv> {
  try {
    // A bundler drops the planner only if this literal is in the file that imports it.
    if (process.env.NODE_ENV !== 'production') {
      const make = (env: AppEnv) => (isOfflineRequested(env) ? offlineModel() : model(env));
      return Object.assign(make, { isChecked: model.isChecked });
    }
  } catch {
    // Without `process`, the environment is not known to be development.
  }
  return model;
}

const isOfflineRequested = (env: object): boolean => 'MODEL' in env && String(env.MODEL).trim() === 'offline';
