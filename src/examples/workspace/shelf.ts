import type { JsonObject } from '../../index.ts';
import type { CallState } from '../../kinds/entry.ts';
import type { Collection, Value } from './collection.ts';

/** A thing as it is kept, its id in the field `{one}Id`. */
export type Item = Readonly<Record<string, Value>>;

/** The things of one collection. Nothing is kept unless the call succeeds. */
export interface Shelf {
  /** In the order in which they were added. */
  all(): readonly Item[];
  get(id: string): Item | undefined;
  /** Keeps a new thing under the next id; ids are not used again. */
  add(values: Item): Item;
  /** Keeps a thing that is there with other values. */
  put(item: Item): Item;
  remove(id: string): void;
}

/** The field that holds a thing's own id. */
export const idField = ({ one }: Pick<Collection, 'one'>): string => `${one}Id`;

/** Each thing has a key of its own in the state that calls share, so that a change journals one thing and not all. */
export function shelfOf(state: CallState, { many, one, prefix }: Collection): Shelf {
  const field = idField({ one });
  const keyOf = (id: string): string => `${many}/${id}`;
  const index = (): JsonObject => (state.get(many) ?? { last: 0, ids: [] }) as JsonObject; // written below, and nowhere else
  const ids = (): readonly string[] => index().ids as readonly string[]; // as above
  const read = (id: string): Item | undefined => (state.get(keyOf(id)) ?? undefined) as Item | undefined; // as above
  const put = (item: Item): Item => {
    state.set(keyOf(String(item[field])), item);
    return item;
  };
  return {
    all: () => ids().flatMap((id) => [read(id)].filter((item) => item !== undefined)),
    get: read,
    put,
    add(values) {
      const last = Number(index().last) + 1;
      const id = `${prefix}-${last}`;
      state.set(many, { last, ids: [...ids(), id] });
      return put({ [field]: id, ...values });
    },
    remove(id) {
      state.set(many, { ...index(), ids: ids().filter((other) => other !== id) });
      state.set(keyOf(id), null);
    },
  };
}
