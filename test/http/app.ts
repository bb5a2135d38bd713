import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createHoldfast, type HoldfastConfig } from '../../src/worker-entry.ts';
import { scripted } from '../fixtures/scripted-agent.ts';
import { ORIGIN, type Send } from './client.ts';

/** Another Worker over the same objects: with its own settings, and vars in place of the test Worker's. */
export function appWith(config: Partial<HoldfastConfig>, vars: Readonly<Record<string, unknown>> = {}): Send {
  const { worker } = createHoldfast({ agents: [scripted], ...config });
  return async (path, init) => {
    const url = path.startsWith('/') ? `${ORIGIN}${path}` : path;
    const request = new Request(url, init) as Request<unknown, IncomingRequestCfProperties>; // which nobody reads
    return worker.fetch(request, { ...env, ...vars }, createExecutionContext());
  };
}
