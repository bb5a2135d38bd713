import { defineTool } from '../tools/define-tool.ts';
import { error } from '../tools/results.ts';
import type { Tool } from '../tools/tool.ts';
import { SHOWN_BY_ITSELF, textParameter } from './text-parameter.ts';

/**
 * Lets the model say something to the user before the turn ends (COM-02). The message is journaled together with the
 * call's success, so it is said exactly once; what cannot be said is an error result (COM-05).
 */
export const communicateTool = (): Tool<'communicate', string | undefined> =>
  defineTool({
    name: 'communicate',
    description: 'Sends a message to the user now, while you go on working. The user can keep it.',
    input: textParameter('message', 'What to say to the user'),
    // The journal keeps the message with the end of the call: running it again says nothing twice.
    effect: 'read',
    metadata: SHOWN_BY_ITSELF,
    run(message, call) {
      if (message === undefined) return error("Missing 'message' parameter");
      if (!call.inSession) {
        console.warn('holdfast: a message was sent outside of a session, so nobody gets it.');
        return 'Message noted (no active process to deliver it).';
      }
      call.say(message);
      return 'Message sent to user.';
    },
  });
