import type { ToolKinds } from '../../agent/kinds.ts';
import { pendingViews } from '../../app/pending-view.ts';
import type { Target } from '../../app/target.ts';
import type { Message, SessionState } from '../../journal/state.ts';
import { foldAll } from '../../session/fold-session.ts';
import { memoryOf } from '../../session/memory-of.ts';
import { toAnswer } from '../../session/turn-answer.ts';
import { modelText } from '../../tools/tool-result.ts';
import { Problem } from '../problem.ts';

/** `GET .../{session}`: the folded state, as its owner may see it. */
export async function getSession(target: Target, { memories }: ToolKinds): Promise<Response> {
  const folded = await foldAll(target.port, memories);
  if (!folded) throw unknownSession(target);
  const { state, page, turnEvents } = folded;
  return Response.json({
    session: target.session,
    agent: target.agent.name,
    seq: state.seq,
    turn: turnView(target, state),
    openTurn: page.openTurn?.id ?? null,
    waiting: page.waiting,
    messages: state.messages.flatMap(messageView),
    blackboard: state.blackboard,
    state: Object.fromEntries(state.cells),
    memory: memoryOf(state),
    pending: pendingViews(target, turnEvents),
    usage: state.usage,
  });
}

export const unknownSession = ({ session, path }: Target): Problem =>
  new Problem(404, 'unknown-session', `There is no session '${session}'. POST ${path}/messages starts it.`);

function turnView(target: Target, { turn }: SessionState): unknown {
  if (!turn) return null;
  const { id, loopId, iterations, toolCalls, usage } = turn;
  const running = { turn: id, loopId, outcome: null, iterations, toolCalls, usage };
  return toAnswer(target.session, target.agent.name, turn) ?? running;
}

function messageView(message: Message): unknown[] {
  if (message.role === 'user') {
    // Readers have all of it, whatever a model is shown.
    const { shown: _, ...said } = message;
    return [said];
  }
  const toolCalls = message.calls.map(({ id, name, input, started, ended }) => ({
    id,
    name,
    input,
    status: ended ? 'ended' : started ? 'started' : 'asked',
    ...(ended && { result: modelText(ended.result) }),
  }));
  return [{ role: 'assistant', text: message.text, ...(toolCalls.length > 0 && { toolCalls }) }];
}
