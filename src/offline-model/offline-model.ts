import {
  type ChatModel,
  ModelError,
  type ModelOfEnv,
  type ModelReply,
  type ModelRequest,
} from '../model/chat-model.ts';
import type { RequestedCall } from '../model/parts.ts';
import { checkPrices, type Prices } from '../model/prices.ts';
import { answerInForm } from './answer-in-form.ts';
import { type Memory, memoryOf, type PastCall } from './memory.ts';
import type { Fact } from './mentions.ts';
import { callInWords, digestOf, factInWords, type Plan, planNext, resultInWords } from './plan.ts';
import { onlyPointed } from './situation.ts';
import { type ToolCard, toolCard } from './tool-card.ts';
import { kinOf, topicOf } from './words.ts';

/**
 * A deterministic planner behind the port of a model: no key, no network, and not a language model, which each of its
 * answers says. A reply is a pure function of the request; it never throws but for an abort, whatever messages and
 * schemas hold.
 *
 * It supports English messages of these shapes, over tools whose names and parameters say what they are about:
 *
 * - a look-up by a value ("Show flomp 12"), by the words of an enum, by free text, or without input;
 * - several values at once ("Compare flomp 1 and 2"): parallel calls in one reply;
 * - a chain: "Where is the zarnik of flomp 12?" looks up the flomp, then the zarnik by the `zarnik_id` found in it,
 *   also through a link that the message does not name, and also for every zarnik of a list;
 * - a command in plain form ("Cancel flomp 12", "Please cancel it", "Cancel the zarnik of flomp 12"): the one tool that
 *   makes this change to this object, once. Questions, conditions and quotations never command anything, and nothing is
 *   guessed: where two tools or two values would do, it says what is missing instead;
 * - several of these in one message, by sentence, `;`, "then" or "and" before a verb: in order, until a command fails;
 * - a later message that refers back ("Who owns it?", "And flomp 13?"): answered from earlier results where they hold
 *   the answer, else looked up by the identifiers in them;
 * - a tool that only opens others (its result is a text that names them), before one of those, also one inside another;
 * - what there is at all ("List the flomps"): a tool with these very words in its name.
 *
 * An answer in a form (`output`) holds what was found under the form's names, and else the least that its schema takes.
 *
 * Not supported: other languages, conditions ("if it is late, cancel it" is only looked up), identifiers without a digit,
 * sums and comparisons of results, and more than eight calls in a turn.
 */
export const offlineModel = ({ prices = FREE }: OfflineModelOptions = {}): ChatModel => ({
  name: 'offline',
  ...checkPrices(prices),
  heedsToolChoice: true,
  async ask(request, { signal, onText }) {
    const stopIfAborted = (outputBegan: boolean): void => {
      if (!signal.aborted) return;
      throw new ModelError('aborted', 'The request was aborted.', { outputBegan, cause: signal.reason });
    };
    stopIfAborted(false);
    const reply = replyTo(request);
    for (const piece of onText === undefined ? [] : piecesOf(reply.text)) {
      onText?.(piece);
      stopIfAborted(true);
    }
    return reply;
  },
});

/** What the offline model pretends. */
export interface OfflineModelOptions {
  /** Nothing unless given, so that an agent with a cost limit works offline as it is. */
  readonly prices?: Prices | undefined;
}

const FREE: Prices = { input: 0, output: 0 };

/** A few words each; together they are the text. */
const piecesOf = (text: string): readonly string[] => text.match(/\s*\S+(?:\s+\S+){0,7}\s*/g) ?? [];

function replyTo(request: ModelRequest): ModelReply {
  const memory = memoryOf(request.messages);
  const mayCall = request.settings?.toolChoice !== 'none';
  // What a provider runs is not there without it.
  const own = request.tools.filter(({ providerTool }) => mayCall && !providerTool);
  const cards = own.map(toolCard);
  const plan = planNext(memory, cards);
  const first = nextNumber(request);
  const toolCalls: RequestedCall[] = plan.calls.map(({ tool, input }, at) => ({
    id: `offline_${first + at}`,
    name: tool,
    input: JSON.stringify(input),
  }));
  const digest = digestOf(request);
  const text =
    toolCalls.length > 0 ? '' : (digest ?? textOf(request, memory, answerInWords(memory, plan, cards)));
  const output =
    text.length + toolCalls.reduce((sum, { name, input }) => sum + name.length + input.length, 0);
  return {
    text,
    toolCalls,
    finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: tokens(charactersIn(request)), outputTokens: tokens(output) },
  };
}

/** The answer in words, or in the form that was asked for: from what the turn found, or else from what was found before. */
function textOf({ output }: ModelRequest, { turn, earlier }: Memory, words: string): string {
  const calls = turn.flat();
  return output === undefined ? words : answerInForm(output, calls.length > 0 ? calls : earlier, words);
}

/** A rough count that is the same for the same text. */
const tokens = (characters: number): number => Math.round(characters / 4);

const charactersIn = ({ messages }: ModelRequest): number =>
  messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.toolCalls : [];
    return (
      sum +
      message.text.length +
      calls.reduce((inner, { name, input }) => inner + name.length + input.length, 0)
    );
  }, 0);

/** One more than every number that an id of ours has in the conversation. */
function nextNumber({ messages }: ModelRequest): number {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  return calls.reduce((next, { id }) => {
    const number = /^offline_(\d{1,9})$/.exec(id)?.[1];
    return number === undefined ? next : Math.max(next, Number(number) + 1);
  }, calls.length + 1);
}

/** The answer: what fits the question best, what each call of the turn found, what was not done, and the notice. */
function answerInWords(memory: Memory, plan: Plan, cards: readonly ToolCard[]): string {
  const turn = withoutPointers(memory.turn.flat(), cards);
  const undone = plan.undone.map(
    ({ step, missing }) =>
      `Not done: "${step.text.slice(0, 200)}".${missing.length > 0 ? ` Missing: ${[...new Set(missing)].join(', ')}.` : ''}`,
  );
  const best = bestFacts(memory.task, turn.length > 0 ? turn : memory.earlier);
  const lines = [
    ...best.map(factInWords),
    ...turn.map((call) => `${callInWords(call)}: ${resultInWords(call)}`),
    ...undone,
    ...(turn.length === 0 && undone.length === 0 ? fromBefore(memory, best, cards) : []),
  ];
  // A nested loop's answer has said so as well.
  const own = lines.map((line) => line.replaceAll(offlineNotice, '').trim());
  return [...new Set(own), offlineNotice].join('\n');
}

/** It ends every answer. */
export const offlineNotice =
  "(Answered by Holdfast's offline planner, which is not a language model. To use one, set MODEL to its name, and OPENAI_API_KEY or OPENAI_BASE_URL.)";

/** What only said which tools there are tells the user nothing, unless nothing else was found. */
function withoutPointers(calls: readonly PastCall[], cards: readonly ToolCard[]): readonly PastCall[] {
  const telling = calls.filter((call) => !onlyPointed(call, cards));
  return telling.length > 0 ? telling : calls;
}

/** What an asking word looks for ("where": a location) answers better than a word that the question repeats. */
const kinCounts = 3;
const repeatedCounts = 2;

/** Up to three facts whose names answer the question, the best first. */
function bestFacts(task: string, calls: readonly PastCall[]): readonly Fact[] {
  const asked = topicOf(task);
  const who = /\bwho(?:m|se)?\b/i.test(task);
  const rank = (fact: Fact): number => {
    const direct = asked.filter((word) => fact.words.includes(word)).length;
    const kin = asked.filter((word) => kinOf(word).some((other) => fact.words.includes(other))).length;
    const person = !who || /^\p{L}[^\d]*$|@/u.test(String(fact.value));
    return fact.marked || !person ? 0 : kinCounts * kin + repeatedCounts * direct;
  };
  const ranked = calls.flatMap(({ facts, absent }) => [...facts, ...absent]).filter((fact) => rank(fact) > 0);
  return ranked.toSorted((left, right) => rank(right) - rank(left)).slice(0, 3);
}

/** The answer when this turn called nothing: the results that hold the best facts or else the latest, or what there is to ask. */
function fromBefore({ earlier }: Memory, best: readonly Fact[], cards: readonly ToolCard[]): string[] {
  const worked = earlier.filter((call) => !call.failed && !onlyPointed(call, cards));
  const holding = worked.filter(({ facts, absent }) =>
    [...facts, ...absent].some((fact) => best.includes(fact)),
  );
  const results = (holding.length > 0 ? holding : worked).slice(0, 3);
  if (results.length > 0)
    return results.map((call) => `Known from ${callInWords(call)}: ${resultInWords(call)}`);
  const names = cards.slice(0, 10).map(({ name }) => name);
  return [`Nothing here fits this message.${names.length > 0 ? ` Tools offered: ${names.join(', ')}.` : ''}`];
}

/**
 * Creates a function that makes the planner if the var `MODEL` is `offline`, and what `model` makes otherwise. Where
 * `process.env.NODE_ENV` is `production`, as in what `wrangler deploy` bundles, it returns `model`, and the bundle carries nothing of the
 * planner; so also in a runtime without `process`, if the bundler does not define it.
 *
 * @example
 * ```ts
 * const model = orOffline(openaiCompatible()); // of createHoldfast({ agents, model })
 * ```
 */
export function orOffline<AppEnv extends object>(model: ModelOfEnv<AppEnv>): ModelOfEnv<AppEnv> {
  try {
    // A bundler drops the planner only if this literal is in the file that imports it.
    if (process.env.NODE_ENV !== 'production') {
      const make = (env: AppEnv) => (asksOffline(env) ? offlineModel() : model(env));
      return Object.assign(make, { isChecked: model.isChecked });
    }
  } catch {
    // There is no `process`, so it is not known to be development.
  }
  return model;
}

const asksOffline = (env: object): boolean => 'MODEL' in env && String(env.MODEL).trim() === 'offline';
