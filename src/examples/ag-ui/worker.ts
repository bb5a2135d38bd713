import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { liveText } from '../../modules/live-text/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { defineRefunds } from '../refunds/refunds.ts';
import { paperShop } from '../support/shop.ts';
import { agUi } from './ag-ui.ts';

const holdfast = createHoldfast({
  agents: [defineRefunds(paperShop)],
  use: [agUi(), liveText()],
  model: orOffline(openaiCompatible()),
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
