import type { JsonObject } from '../../index.ts';
import type { CallState } from '../../kinds/entry.ts';
import type { Collection, Value } from './collection.ts';

/** A stored item, with its id in the field `{one}Id`. */
export type Item = Readonly<Record<string, Value>>;

/** The items of one collection. Changes are stored only if the call succeeds. */
export interface Shelf {
  /** Returns all items in the order in which they were added. */
  all(): readonly Item[];
  get(id: string): Item | undefined;
  /** Stores a new item with the next id. Ids are never reused. */
  add(values: Item): Item;
  put(item: Item): Item;
  remove(id: string): void;
}

/** Returns the name of the field that contains an item's own id. */
export const getIdField = ({ one }: Pick<Collection, 'one'>): string => `${one}Id`;

/**
 * Returns the items of a collection. Each item has its own key in the state that calls share, so that a
 * change journals only that item.
 */
export function openShelf(state: CallState, { many, one, prefix }: Collection): Shelf {
  const field = getIdField({ one });
  const toKey = (id: string): string => `${many}/${id}`;
  const readIndex = (): JsonObject => (state.get(many) ?? { last: 0, ids: [] }) as JsonObject; // only written below
  const listIds = (): readonly string[] => readIndex().ids as readonly string[]; // as above
  const readItem = (id: string): Item | undefined => (state.get(toKey(id)) ?? undefined) as Item | undefined; // as above
  const put = (item: Item): Item => {
    state.set(toKey(String(item[field])), item);
    return item;
  };
  return {
    all: () => listIds().flatMap((id) => [readItem(id)].filter((item) => item !== undefined)),
    get: readItem,
    put,
    add(values) {
      const last = Number(readIndex().last) + 1;
      const id = `${prefix}-${last}`;
      state.set(many, { last, ids: [...listIds(), id] });
      return put({ [field]: id, ...values });
    },
    remove(id) {
      state.set(many, { ...readIndex(), ids: listIds().filter((other) => other !== id) });
      state.set(toKey(id), null);
    },
  };
}
