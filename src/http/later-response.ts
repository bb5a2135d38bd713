import { turnPath } from '../app/target.ts';
import type { Exchange } from './exchange.ts';
import { prefersAsync } from './preferences.ts';

/**
 * The message was taken, and its answer will be at the turn's own address, whatever becomes of it: one that was on its way into
 * another turn is a turn of its own when that ends first.
 */
export function answeredLater(
  { target, request }: Pick<Exchange, 'target' | 'request'>,
  turn: string,
  view: unknown,
): Response {
  const headers = {
    location: turnPath(target, turn),
    ...(prefersAsync(request) && { 'preference-applied': 'respond-async' }),
  };
  return Response.json(view, { status: 202, headers });
}

/** What was asked for is not there yet: ask again in so many seconds. */
export const notYet = (view: unknown, retryAfter: number): Response =>
  Response.json(view, { status: 202, headers: { 'retry-after': String(retryAfter) } });
