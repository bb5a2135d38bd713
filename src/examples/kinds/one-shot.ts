import { defineTool } from '../../index.ts';
import { oneShotPerLoop, withUsageNote } from '../../modules/decorators/entry.ts';

const readPolicy = defineTool({
  name: 'read_policy',
  description: "Read the shop's policy on refunds.",
  effect: 'read',
  run: () => 'Refunds are paid within 30 days.',
});
const once = oneShotPerLoop(readPolicy, 'Answer now from the policy above.');
export const policy = withUsageNote(once, 'Read it before you promise anything');
