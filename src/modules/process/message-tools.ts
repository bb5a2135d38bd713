import { defineTool } from '../../tool/define-tool.ts';
import { warning } from '../../tool/log.ts';
import type { Tool } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { SHOWN_BY_ITSELF, textParameter } from './agent-process-tools.ts';

/**
 * Lets the model tell whoever watches the turn what it is doing. Nothing is kept; that nobody can be told is
 * no failure.
 */
export const progressTool = (): Tool<'progress', string | undefined> =>
  defineTool({
    name: 'progress',
    description: 'Tells the user what you are doing right now, while you go on working. It is not an answer.',
    input: textParameter('status', 'What you are doing, in a few words'),
    effect: 'read',
    metadata: SHOWN_BY_ITSELF,
    run(status, call) {
      if (status === undefined) return error("Missing 'status' parameter");
      if (!call.inSession) {
        call.log(warning('progress was reported outside of a session, so nobody is told.'));
        return 'Progress noted (no active process to display it).';
      }
      try {
        call.progress(status);
      } catch (failure) {
        call.log(warning('progress could not be shown', failure));
      }
      return `Progress reported: ${status}`;
    },
  });

/**
 * Lets the model say something to the user before the turn ends. The message is journaled together with the
 * call's success, so it is said exactly once, and is a message of the conversation; what cannot be said is an error result.
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
        call.log(warning('a message was sent outside of a session, so nobody gets it.'));
        return 'Message noted (no active process to deliver it).';
      }
      call.say(message);
      return 'Message sent to user.';
    },
  });
