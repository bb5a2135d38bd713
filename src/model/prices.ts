import { INTEGER, type Infer, OPTIONAL_INTEGER, type Shape, type WithUndefined } from '../tool/shape.ts';

/**
 * The tokens of one reply, as its provider counted them. An optional count is absent if it is unknown or 0.
 */
export interface Usage extends WithUndefined<Infer<typeof USAGE>> {}
export const USAGE = {
  object: {
    /** The tokens of the whole request, including those read from or written to a cache. */
    inputTokens: INTEGER,
    /** The tokens of the whole reply, including reasoning. */
    outputTokens: INTEGER,
    /** The input tokens read from the provider's cache. */
    cachedInputTokens: OPTIONAL_INTEGER,
    /** The input tokens written to the provider's cache. */
    cacheWriteTokens: OPTIONAL_INTEGER,
    /** The output tokens used for reasoning. */
    reasoningTokens: OPTIONAL_INTEGER,
  },
} as const satisfies Shape;

/** A model's prices, in USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** The price of input read from a cache. Defaults to `input`. */
  readonly cachedInput?: number | undefined;
  /** The price of input written to a cache. Defaults to `input`. */
  readonly cacheWrite?: number | undefined;
}

/**
 * Rounds an amount in USD to twelve decimals, so that sums and differences do not depend on the order of
 * calculation.
 */
export const roundUsd = (amount: number): number => Math.round(amount * 1e12) / 1e12;

/** Returns the cost of these tokens in USD. Each token counts once, at its own price. */
export const computeCost = (
  { input, output, cachedInput = input, cacheWrite = input }: Prices,
  { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }: Usage,
): number => {
  const plain = inputTokens - cachedInputTokens - cacheWriteTokens;
  const read = plain * input + cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite;
  return roundUsd((read + outputTokens * output) / 1e6);
};

/** Returns the highest prices that can apply. The cached part of a request is unknown before the call. */
export const computeHighestPrices = ({ input, output, cachedInput = 0, cacheWrite = 0 }: Prices): Prices => ({
  input: Math.max(input, cachedInput, cacheWrite),
  output,
});

/** Returns a model's plausible usage, with its cost if the model has prices. */
export function withCost(
  usage: Usage,
  { prices }: { readonly prices?: Prices | undefined },
): Usage & { readonly cost?: number } {
  const told = keepPlausible(usage, usage);
  return { ...told, ...(prices && { cost: computeCost(prices, told) }) };
}

/** A provider's counts besides the two sums, not validated yet. */
type ReportedCounts = { readonly [Part in Exclude<keyof Usage, 'inputTokens' | 'outputTokens'>]?: unknown };

/**
 * Returns both sums and the plausible other counts, or `undefined` if a sum is missing. Implausible counts
 * never fail a reply.
 */
export const countUsage = (
  inputTokens: unknown,
  outputTokens: unknown,
  told: ReportedCounts = {},
): Usage | undefined =>
  isTokenCount(inputTokens) && isTokenCount(outputTokens)
    ? keepPlausible({ inputTokens, outputTokens }, told)
    : undefined;

/** Returns the sums with the counts that fit into them and are above 0. Many libraries fill gaps with 0. */
export function keepPlausible(
  { inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>,
  told: ReportedCounts,
): Usage {
  const cached = getPlausibleCount(inputTokens, told.cachedInputTokens);
  const written = getPlausibleCount(inputTokens, told.cacheWriteTokens);
  const reasoned = getPlausibleCount(outputTokens, told.reasoningTokens);
  // Together they cannot exceed the input. If they do, either of them can be wrong.
  const fit = cached + written <= inputTokens;
  return {
    inputTokens,
    outputTokens,
    ...(fit && cached > 0 && { cachedInputTokens: cached }),
    ...(fit && written > 0 && { cacheWriteTokens: written }),
    ...(reasoned > 0 && { reasoningTokens: reasoned }),
  };
}

/** Returns the count, or 0 if it is absent or implausible. */
const getPlausibleCount = (all: number, part: unknown): number =>
  isTokenCount(part) && part <= all ? part : 0;

const isTokenCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Returns the prices as a field to spread. @throws TypeError if a price is not a finite number of at least 0.
 */
export function checkPrices(prices: Prices | undefined): { readonly prices?: Prices } {
  if (prices === undefined) return {};
  for (const side of ['input', 'output', 'cachedInput', 'cacheWrite'] as const) {
    const price = prices[side];
    const isOptional = side === 'cachedInput' || side === 'cacheWrite';
    if (price === undefined ? isOptional : Number.isFinite(price) && price >= 0) continue;
    throw new TypeError(
      `'prices.${side}' is ${String(price).slice(0, 80)}. Use 0 or more USD per million tokens.`,
    );
  }
  return { prices };
}
