import { defineTool, terminateAgent } from '../../index.ts';

export const handOver = defineTool({
  name: 'hand_over_to_a_person',
  description: 'Hand the conversation over to a person. Do nothing after that.',
  effect: 'read',
  run: () => {
    throw terminateAgent('A person takes over.');
  },
});
