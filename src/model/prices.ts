import { type Infer, type Loose, OPTIONAL_WHOLE, type Shape, WHOLE } from '../tool/shape.ts';

/** Tokens of one reply, as its provider counted them. Of the optional ones, what is not told, or told as 0, is absent. */
export interface Usage extends Loose<Infer<typeof USAGE>> {}
export const USAGE = {
  object: {
    /** Of the whole request: those that a cache held, and those that were written into one, included. */
    inputTokens: WHOLE,
    /** Of the whole reply, reasoning included. */
    outputTokens: WHOLE,
    /** Of the input, those that were read from the provider's cache. */
    cachedInputTokens: OPTIONAL_WHOLE,
    /** Of the input, those that were written into it. */
    cacheWriteTokens: OPTIONAL_WHOLE,
    /** Of the output, those that the model thought with. */
    reasoningTokens: OPTIONAL_WHOLE,
  },
} as const satisfies Shape;

/** What a model costs, in USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Of input that is read from a cache; as `input` unless given. */
  readonly cachedInput?: number | undefined;
  /** Of input that is written into a cache; as `input` unless given. */
  readonly cacheWrite?: number | undefined;
}

/**
 * USD to twelve decimals: every amount is rounded to them, so that sums and differences of amounts are exact wherever they
 * are made, and in whatever order.
 */
export const usd = (amount: number): number => Math.round(amount * 1e12) / 1e12;

/** Answers what these tokens cost, in USD: each of them once, by its own price. */
export const costOf = (
  { input, output, cachedInput = input, cacheWrite = input }: Prices,
  { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }: Usage,
): number => {
  const plain = inputTokens - cachedInputTokens - cacheWriteTokens;
  const read = plain * input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite;
  return usd((read + outputTokens * output) / 1e6);
};

/** Answers prices of which none is lower, and by which it does not matter what a cache holds: before a call nobody knows. */
export const dearest = ({ input, output, cachedInput = 0, cacheWrite = 0 }: Prices): Prices => ({
  input: Math.max(input, cachedInput, cacheWrite),
  output,
});

/** Returns what a model used, as far as that makes sense, with what it costs where the model has prices. */
export function priced(
  usage: Usage,
  { prices }: { readonly prices?: Prices | undefined },
): Usage & { readonly cost?: number } {
  const told = plausible(usage, usage);
  return { ...told, ...(prices && { cost: costOf(prices, told) }) };
}

/** What providers tell of tokens beside the two sums, before it is believed. */
type ToldParts = { readonly [Part in Exclude<keyof Usage, 'inputTokens' | 'outputTokens'>]?: unknown };

/**
 * Both sums and those of the parts that make sense; nothing without both. Usage is an aside, and a reply is not refused
 * because of its counts.
 */
export const countUsage = (
  inputTokens: unknown,
  outputTokens: unknown,
  told: ToldParts = {},
): Usage | undefined =>
  isTokenCount(inputTokens) && isTokenCount(outputTokens)
    ? plausible({ inputTokens, outputTokens }, told)
    : undefined;

/** The sums with those of the parts that can be parts of them, and are more than 0: many libraries fill gaps with 0. */
export function plausible(
  { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>,
  told: ToldParts,
): Usage {
  const cached = partOf(inputTokens, told.cachedInputTokens);
  const written = partOf(inputTokens, told.cacheWriteTokens);
  const reasoned = partOf(outputTokens, told.reasoningTokens);
  // Together they cannot be more than all; then nobody knows which is wrong.
  const fit = cached + written <= inputTokens;
  return {
    inputTokens,
    outputTokens,
    ...(fit && cached > 0 && { cachedInputTokens: cached }),
    ...(fit && written > 0 && { cacheWriteTokens: written }),
    ...(reasoned > 0 && { reasoningTokens: reasoned }),
  };
}

/** 0 for a part that is not told, or cannot be one. */
const partOf = (all: number, part: unknown): number => (isTokenCount(part) && part <= all ? part : 0);

const isTokenCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The prices that were given. @throws TypeError when one of them is not a finite number from 0. */
export function checkPrices(prices: Prices | undefined): { readonly prices?: Prices } {
  if (prices === undefined) return {};
  for (const side of ['input', 'output', 'cachedInput', 'cacheWrite'] as const) {
    const price = prices[side];
    const isOptional = side === 'cachedInput' || side === 'cacheWrite';
    if (price === undefined ? isOptional : Number.isFinite(price) && price >= 0) continue;
    throw new TypeError(
      `'prices.${side}' is ${String(price).slice(0, 80)}; use USD per million tokens, from 0.`,
    );
  }
  return { prices };
}
