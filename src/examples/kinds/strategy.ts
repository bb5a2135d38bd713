import { addTools, defineInjectionStrategy, noChange } from '../../kinds/entry.ts';
import { refundOrder } from './shop.ts';

/** Offers refunds after an order was found. Goes into the `use` of an agent. */
export const refundsOnceFound = defineInjectionStrategy({
  name: 'refunds-once-found',
  evaluate: ({ lastCall }) =>
    lastCall.tool === 'find_order' && !lastCall.failed ? addTools(refundOrder) : noChange,
});
