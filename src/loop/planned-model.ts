import type { ChatModel, ModelReply } from '../model/chat-model.ts';
import type { DoneCall, Plan } from '../tool/frame.ts';

/** The name under which a plan's replies are journaled. */
const PLAN = 'plan';

/**
 * A plan in the place of a model: the loop, the journal and everything that happens to a call are the same. Asking it
 * costs nothing, so it is asked again on every resume.
 */
export const plannedModel = (plan: Plan, calls: () => readonly DoneCall[]): PlannedModel => ({
  name: PLAN,
  planned: true,
  async ask(): Promise<ModelReply> {
    const done = calls();
    const next = plan(done);
    if (!next) return { text: PLAN, toolCalls: [], finish: 'stop' };
    const input = typeof next.input === 'string' ? next.input : JSON.stringify(next.input);
    const call = { id: `step_${done.length}`, name: next.tool, input };
    return { text: '', toolCalls: [call], finish: 'tool-calls' };
  },
});

interface PlannedModel extends ChatModel {
  readonly planned: true;
}

/** Whether a model's replies are a plan's, which nobody was asked for. */
export const isPlanned = (model: ChatModel): boolean => 'planned' in model;
