import { defineTool } from '../tools/define-tool.ts';
import { error } from '../tools/results.ts';
import type { Tool } from '../tools/tool.ts';
import { SHOWN_BY_ITSELF, textParameter } from './text-parameter.ts';

/**
 * Lets the model tell whoever watches the turn what it is doing (COM-01). Nothing is kept; that nobody can be told is
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
        console.warn('holdfast: progress was reported outside of a session, so nobody is told.');
        return 'Progress noted (no active process to display it).';
      }
      try {
        call.progress(status);
      } catch (failure) {
        console.warn('holdfast: progress could not be shown', failure);
      }
      return `Progress reported: ${status}`;
    },
  });
