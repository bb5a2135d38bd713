import { type Agent, defineAgent } from '../../../../src/index.ts';
import { remoteTools, toolsAnywhere, trustedTools } from './remote.ts';
import { clerksTools } from './tools.ts';

const instructions = 'Do what you are asked.';

export const agents: readonly Agent[] = [
  defineAgent({
    name: 'clerk',
    description: 'Has tools of every kind.',
    instructions,
    accepts: ['image/png', 'image/svg+xml', 'application/pdf', 'text/*'],
    tools: clerksTools,
  }),
  defineAgent({ name: 'plain', description: 'Only speaks.', instructions, accepts: [] }),
  defineAgent({ name: 'librarian', description: 'Asks an enemy.', instructions, tools: remoteTools }),
  defineAgent({ name: 'confidant', description: 'Tells all.', instructions, tools: trustedTools }),
  defineAgent({ name: 'roamer', description: 'Asks anybody.', instructions, tools: toolsAnywhere }),
];
