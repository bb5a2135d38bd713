import type { HostedApp } from '../../app/host.ts';
import { type Caller, ownerOf } from '../../app/host.ts';
import { type Named, targetOf } from '../../app/target.ts';
import { toSessionName } from '../../session/session-name.ts';

/** A request to erase a session. */
export interface Erasure extends HostedApp {
  readonly caller: Caller;
  readonly named: Named;
}

/**
 * `DELETE .../{session}`: removes all of it, also what waits and what is planned. A turn that runs stops at its next step; what
 * its tools have done stays done. There is no session afterwards, which is the answer also when there was none before: a
 * client that heard no answer may ask again. A session is erased too when its agent is not deployed any more.
 *
 * @throws UnknownTargetError when the id cannot be one, or there is neither such an agent nor such a session.
 */
export async function eraseSession({ host, env, caller, named }: Erasure): Promise<Response> {
  const { agent, session } = named;
  if (host.agents.has(agent)) await targetOf({ host, env }, caller, named).port.erase();
  else {
    const left = host.session(env, toSessionName({ owner: ownerOf(caller), agent, session }));
    if (!(await left.erase())) targetOf({ host, env }, caller, named);
  }
  return new Response(null, { status: 204 });
}
