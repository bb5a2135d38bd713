import * as v from 'valibot';
import { toolFactory, toolMethod } from '../../modules/tool-objects/entry.ts';

const Item = v.object({ item: v.string() });

/** Has its items in a field, so sessions must not share an instance. */
export class Cart {
  readonly #items: string[] = [];

  readonly put = toolMethod({ description: 'Puts an item in.', input: Item, effect: 'read' }, ({ item }) => {
    this.#items.push(item);
    return `${this.#items.length} in the cart`;
  });

  readonly list = toolMethod({ description: 'Lists what is in.', effect: 'read' }, () => this.#items);
}

/** Each invocation creates its own cart. */
export const cart = toolFactory(() => new Cart());
