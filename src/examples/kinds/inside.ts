import { defineAgent, readResult } from '../../index.ts';
import { agentProcessTools, blackboardTools, communicateTool, progressTool } from '../../kinds/entry.ts';
import { humanInput } from '../../modules/decorators/entry.ts';
import { scheduleMessage } from '../../modules/schedules/entry.ts';

export const aware = defineAgent({
  name: 'aware',
  description: 'Knows what it has done and used, and talks meanwhile.',
  instructions: 'Say what you are doing. Ask when you do not know.',
  tools: [
    agentProcessTools(), // its time, tokens, cost and calls so far
    blackboardTools(), // what tools have put on the blackboard
    progressTool(), // tells whoever watches what it is doing
    communicateTool(), // a message that stays, before the answer
    humanInput(), // asks a person, and waits
    scheduleMessage(), // a message to itself, later
    readResult(), // reads on in a result that was shortened
  ],
});
