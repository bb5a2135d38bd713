import type { CallContext } from '../../../../src/index.ts';
import { settings } from './settings.ts';

/** Causes an effect, which is counted for the caller's tenant. */
export async function causeEffect(call: CallContext, what: string, about: unknown): Promise<unknown> {
  const { id, tenant } = call.principal;
  const body = JSON.stringify({ what, about, id, tenant: tenant ?? null, key: call.idempotencyKey });
  const response = await fetch(`${settings.WORLD_URL}/effects`, {
    method: 'POST',
    body,
    signal: call.signal,
  });
  if (!response.ok) throw new Error(`The effect failed: the world returned ${response.status}.`);
  return { done: what, for: tenant ?? id };
}

/** Waits until the runner opens this gate, or until the call is aborted. */
export async function wait(gate: string, { signal }: CallContext): Promise<string> {
  const response = await fetch(`${settings.WORLD_URL}/gates/${encodeURIComponent(gate)}`, { signal });
  return response.text();
}
