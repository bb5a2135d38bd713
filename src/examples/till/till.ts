import * as v from 'valibot';
import { defineAgent } from '../../index.ts';
import { toolMethod, toolsOf } from '../../modules/tool-objects/entry.ts';

const Amount = v.object({ amount: v.number() });
const Total = v.number();

export class Till {
  readonly #currency: string;

  constructor(currency: string) {
    this.#currency = currency;
  }

  /** Stores its values in the session, since all sessions share the object. */
  readonly add = toolMethod(
    { description: 'Add an amount to the till.', input: Amount, serial: 'till' },
    ({ amount }, { state }) =>
      this.show(state.update('total', Total, (before = 0) => before + this.rounded(amount))),
  );

  protected readonly total = toolMethod(
    { description: 'Tell what is in the till.', effect: 'read' },
    (_, { state }) => this.show(state.get('total', Total) ?? 0),
  );

  static readonly hours = toolMethod(
    { description: 'Tell when the tills are open.', name: 'opening_hours', effect: 'read' },
    () => '9 to 17',
  );

  protected rounded(amount: number): number {
    return Math.round(amount * 100) / 100;
  }

  private show(amount: number): string {
    return `${amount.toFixed(2)} ${this.#currency}`;
  }
}

/** Inherits the tools of a till, with other rounding and other hours. */
export class CashTill extends Till {
  static override readonly hours = toolMethod(
    { description: 'Tell when cash is taken.', name: 'opening_hours', effect: 'read' },
    () => '9 to 12',
  );

  protected override rounded(amount: number): number {
    return Math.round(amount * 20) / 20;
  }
}

const prices = toolsOf({
  look_up_price: {
    description: 'Look up what something costs.',
    input: v.object({ item: v.string() }),
    effect: 'read',
    run: ({ item }) => (item === 'tea' ? 2.4 : `There is no ${item}.`),
  },
});

export const cashier = defineAgent({
  name: 'cashier',
  description: 'Keeps a till.',
  instructions: 'Look up what is bought, and add what it costs.',
  tools: [new CashTill('CHF'), ...prices],
});
