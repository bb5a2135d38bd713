/**
 * How long a session is kept after what happened in it last; parts of days count. One with an open turn, also one that waits for
 * somebody, or with messages that wait or are planned, is kept. Then all of it is erased, and with it what would recognise an
 * old request.
 */
export type Retention = 'forever' | { readonly days: number };

const DAY = 24 * 60 * 60_000;
const HUNDRED_YEARS = 36_525;

/** In ms, of a retention without a problem; `undefined` for ever. */
export const retainMs = (retention: Retention): number | undefined =>
  retention === 'forever' ? undefined : Math.ceil(retention.days * DAY);

/** What is no retention: its value, and what it can be, to go on after "use "; `undefined` when it is one. */
export function retentionProblem(
  retention: Retention,
): { readonly value: string; readonly use: string } | undefined {
  if (retention === 'forever') return undefined;
  // Callers without types may give anything.
  const { days }: { readonly days?: unknown } = Object(retention);
  if (typeof days === 'number' && days > 0 && days <= HUNDRED_YEARS) return undefined;
  const given = JSON.stringify(retention) ?? String(retention);
  return {
    value: given.slice(0, 80),
    use: `'forever' or { days } with more than 0 and at most ${HUNDRED_YEARS}`,
  };
}
