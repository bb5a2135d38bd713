import { addTools, defineInjectionStrategy, noChange } from '../../kinds/entry.ts';
import { refundOrder } from './shop.ts';

/** For the `use` of an agent: offers refunds after an order was found. */
export const refundsOnceFound = defineInjectionStrategy({
  name: 'refunds-once-found',
  evaluate: ({ lastCall }) =>
    lastCall.tool === 'find_order' && !lastCall.failed ? addTools(refundOrder) : noChange,
});
