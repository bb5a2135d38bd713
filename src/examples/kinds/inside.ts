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
    blackboardTools(), // the objects that tools have put on the blackboard
    progressTool(), // shows its progress to clients
    communicateTool(), // a lasting message before the answer
    humanInput(), // asks a person, and waits
    scheduleMessage(), // a message to itself, later
    readResult(), // reads the rest of a shortened result
  ],
});
