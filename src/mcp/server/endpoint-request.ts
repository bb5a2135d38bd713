import { toPrincipal } from '../../journal/event-rows.ts';
import type { Principal } from '../../journal/events.ts';
import { mintedInTime } from '../../session/read-secrets.ts';
import { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { Caller, HostedApp, Invoked } from '../../worker/host.ts';

/** A request that the app hands to its endpoint: its caller is known, it comes from no foreign page, and its size is checked. */
export interface EndpointRequest extends HostedApp {
  readonly host: Invoked;
  readonly base: string;
  readonly caller: Caller;
  /** Its body is there as a whole. Its signal aborts when the client goes. */
  readonly request: Request;
  /** Values of the headers that the app maps; what they are under is up to whoever runs something. */
  readonly context: ToolCallContext;
  /** Names the request in logs, as in its `x-request-id`. */
  readonly requestId: string;
}

/** Whose a request is, and what code of the app is given that runs for it. */
interface OfCaller {
  readonly principal: Principal;
  readonly context: ToolCallContext;
  readonly secrets: Secrets;
}

/** Makes what is its caller's where no session does: the context, and the credentials. Rejects with what the app's hooks throw. */
export async function mintedFor({ host, env, caller, context, request }: EndpointRequest): Promise<OfCaller> {
  const principal = toPrincipal(caller);
  return {
    principal,
    context: host.context(env, { principal, request }).merge(context),
    secrets: host.secrets
      ? await mintedInTime(host.clock, host.secrets(env, principal, { request, claims: caller.claims }))
      : Secrets.NONE,
  };
}
