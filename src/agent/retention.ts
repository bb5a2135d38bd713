/**
 * How long a session is kept after what happened in it last. One with an open turn, also one that waits for somebody, or with
 * messages that wait or are planned, is kept. Then all of it is erased, and with it what would recognise an old request.
 */
export type Retention =
  | 'forever'
  | { readonly days: number; readonly ms?: undefined }
  | { readonly ms: number; readonly days?: undefined };

const DAY = 24 * 60 * 60_000;
const HUNDRED_YEARS = 36_525 * DAY;

/** In ms; `undefined` for ever. @throws RangeError that goes on after "a retention of ", when it is neither. */
export function retainMs(retention: Retention): number | undefined {
  if (retention === 'forever') return undefined;
  // Callers without types may give both, or none.
  const { days, ms }: { readonly days?: unknown; readonly ms?: unknown } = Object(retention);
  const time = days === undefined ? ms : typeof days === 'number' ? days * DAY : undefined;
  const isOne = days === undefined || ms === undefined;
  if (isOne && typeof time === 'number' && time > 0 && time <= HUNDRED_YEARS) return Math.ceil(time);
  const given = JSON.stringify(retention) ?? String(retention);
  throw new RangeError(
    `${given.slice(0, 80)}: use 'forever', { days } or { ms }, of which there are more than 0 and at most a hundred years`,
  );
}
