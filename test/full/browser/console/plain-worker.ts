/** An app with a console and no other module: no index, no live text, no operators. */
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { console } from '../../../../src/modules/console/entry.ts';
import { createScriptedShop } from './script.ts';

/** The instructions of another version, if a test deploys one. */
declare const INSTRUCTIONS: string | undefined;

const clerk = defineAgent({
  name: 'clerk',
  description: 'Says when the shop is open.',
  instructions: typeof INSTRUCTIONS === 'string' ? INSTRUCTIONS : 'Say when the shop is open.',
});

const { worker, TurnRunner } = createHoldfast({
  agents: [clerk],
  model: createScriptedShop(),
  use: [console()],
  auth: () => ({ id: 'ada' }),
});

export default worker;
export { SessionObject } from '../../../../durable-objects/index.ts';
export { TurnRunner };
