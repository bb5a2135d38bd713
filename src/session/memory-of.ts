import type { SessionState } from '../journal/state.ts';
import type { Json } from '../tools/json.ts';
import { LISTINGS } from '../tools/listings.ts';

/** What kinds of tools remember, for whoever looks at a session: without what sources outside told, which may be long. */
export const memoryOf = ({ slices }: SessionState): Readonly<Record<string, Json>> =>
  Object.fromEntries([...slices].filter(([slice]) => slice !== LISTINGS.name));
