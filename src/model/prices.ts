/** Tokens of one reply, as its provider counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What a model costs, in USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

/**
 * USD to twelve decimals: every amount is rounded to them, so that sums and differences of amounts are exact wherever they
 * are made, and in whatever order.
 */
export const usd = (amount: number): number => Math.round(amount * 1e12) / 1e12;

/** Answers what these tokens cost, in USD. Never less for more tokens. */
export const costOf = ({ input, output }: Prices, { inputTokens, outputTokens }: Usage): number =>
  usd((inputTokens * input + outputTokens * output) / 1e6);

/** Both counts, or nothing: usage is an aside, and a reply is not refused because its counts make no sense. */
export const countUsage = (inputTokens: unknown, outputTokens: unknown): Usage | undefined =>
  isTokenCount(inputTokens) && isTokenCount(outputTokens) ? { inputTokens, outputTokens } : undefined;

const isTokenCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** The prices that were given. @throws TypeError when one of them is not a finite number from 0. */
export function checkPrices(prices: Prices | undefined): { readonly prices?: Prices } {
  if (prices === undefined) return {};
  for (const side of ['input', 'output'] as const) {
    if (Number.isFinite(prices[side]) && prices[side] >= 0) continue;
    throw new TypeError(
      `'prices.${side}' is ${String(prices[side]).slice(0, 80)}; use USD per million tokens, from 0.`,
    );
  }
  return { prices };
}

/** The longest reply that was given. @throws TypeError when it is not a positive whole number. */
export function checkMaxOutputTokens(most: number | undefined): { readonly maxOutputTokens?: number } {
  if (most === undefined) return {};
  if (Number.isSafeInteger(most) && most > 0) return { maxOutputTokens: most };
  throw new TypeError(`'maxOutputTokens' is ${String(most).slice(0, 80)}; use a positive whole number.`);
}
