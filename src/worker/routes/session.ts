import type { Message, SessionState } from '../../journal/state.ts';
import { foldShown } from '../../session/fold-session.ts';
import { toAnswer, visibleToolMemory } from '../../session/watching/turn-outcome.ts';
import { modelText } from '../../tool/tool-result.ts';
import { ownerOf } from '../host.ts';
import { Problem } from '../problem.ts';
import { ANY_OBJECT, type CallerRequest, defineRoute, SESSION, type SessionRequest } from '../route.ts';
import { type Named, sessionNameOf, type Target, targetOf } from '../target.ts';
import { pendingViews } from '../turn-view.ts';
import { mustMayEnd } from './busy-session.ts';

/** The folded state, as its owner may see it. */
export const getSession = defineRoute({
  method: 'GET',
  path: SESSION,
  access: 'session',
  summary: 'The state of a session',
  answers: {
    200: {
      description: 'The state; `waiting` lists the turns that have not begun, and how each waits',
      json: ANY_OBJECT,
    },
  },
  handle: showSession,
});

/**
 * Removes all of a session, also what waits and what is planned. A turn that runs stops at its next step; what its tools have
 * done stays done. There is no session afterwards, which is the answer also when there was none before: a client that heard
 * no answer may ask again. A session is erased too when its agent is not deployed any more, which is why the access is not that
 * of a session: its target would not be found.
 */
export const deleteSession = defineRoute({
  method: 'DELETE',
  path: SESSION,
  access: 'caller',
  summary: 'Erases a session: what it holds, what waits in it and what it planned',
  answers: { 204: { description: 'There is no such session, or none any more' } },
  handle: eraseSession,
});

async function showSession({ target, host }: SessionRequest): Promise<Response> {
  const folded = await foldShown(target.port, host.kinds);
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
    state: Object.fromEntries(state.callState),
    memory: visibleToolMemory(state),
    pending: pendingViews(target, turnEvents),
    usage: state.usage,
  });
}

/** The problem that a session is answered with which has not begun. */
export const unknownSession = ({ session, path }: Target): Problem =>
  new Problem('unknown-session', `There is no session '${session}'. POST ${path}/messages starts it.`);

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
  return [
    {
      role: 'assistant',
      text: message.text,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(message.kept && { parts: message.kept.parts }),
    },
    // What was said to the user while these calls ran.
    ...message.calls.flatMap(({ said = [] }) => said.map((one) => ({ role: 'assistant', ...one }))),
  ];
}

/**
 * Files that are kept outside go first: what is left of a session that was erased is found by nobody any more.
 *
 * @throws UnknownTargetError when the id cannot be one, or there is neither such an agent nor such a session.
 * @throws Problem when the store outside has not deleted the files, or the open turn waits for a role that the caller lacks.
 */
async function eraseSession(
  { host, env, caller, requestId }: CallerRequest,
  named: Named,
): Promise<Response> {
  const { agent, session } = named;
  const isKnown = host.agents.has(agent);
  const known = isKnown ? await targetOf({ host, env }, caller, { agent, session }) : undefined;
  const name =
    known?.name ?? (await sessionNameOf({ host, env }, { owner: ownerOf(caller), agent, session }));
  const port = known?.port ?? host.session(env, name);
  const { openTurn } = (await port.read({ from: 1, limit: 1 })) ?? {};
  if (openTurn) await mustMayEnd({ port, caller }, openTurn.id, 'erase');
  try {
    await host.files?.(env)?.delete(name);
  } catch (failure) {
    const message = `request ${requestId} could not delete the files of a session, which is kept`;
    host.log({ level: 'error', event: 'request-failed', requestId, message, thrown: failure });
    const detail =
      'The files of the session could not be deleted now, and it is kept. Send the request again.';
    throw new Problem('session-unavailable', detail, { headers: { 'retry-after': '5' } });
  }
  const existed = await port.erase();
  if (!existed && !isKnown) await targetOf({ host, env }, caller, { agent, session });
  return new Response(null, { status: 204 });
}
