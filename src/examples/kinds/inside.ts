import { defineAgent, readResult } from '../../index.ts';
import { agentProcessTools, blackboardTools, communicateTool, progressTool } from '../../kinds/entry.ts';
import { humanInput } from '../../modules/decorators/entry.ts';
import { scheduleMessage } from '../../modules/schedules/entry.ts';

export const selfAwareAgent = defineAgent({
  name: 'aware',
  description: 'Knows what it has done and used, and talks to the user while it works.',
  instructions: 'Say what you are doing. Ask when you do not know.',
  tools: [
    agentProcessTools(), // reports time, tokens, cost and calls so far
    blackboardTools(), // reads the objects that tools have put on the blackboard
    progressTool(), // shows its progress to clients
    communicateTool(), // sends the user a message before the answer, which stays in the conversation
    humanInput(), // asks a person and waits for the answer
    scheduleMessage(), // sends a later message to its own session
    readResult(), // reads the rest of a shortened result
  ],
});
