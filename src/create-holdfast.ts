/** The entry `holdfast/worker`: makes a Worker of agents. */
import { exports as exported, WorkerEntrypoint } from 'cloudflare:workers';
import type { HandOver, TurnRunner } from './journal/session-port.ts';
import type { Deployment } from './session/deployment.ts';
import { createApp } from './worker/app.ts';
import { resumeTurn, takeBatch } from './worker/background.ts';
import { type HoldfastConfig, toHost } from './worker/config.ts';
import { runSchedules } from './worker/define-schedule.ts';
import type { Env } from './worker/host.ts';
import { routeTable } from './worker/routes/route-table.ts';
import { invoked } from './worker/target.ts';

export type { HandOver, TurnRunner } from './journal/session-port.ts';
export { ConfigurationError } from './model/configuration-error.ts';
export type { ObjectSessionOptions } from './session/object-session.ts';
export type { PlatformConfig } from './session/read-platform.ts';
export type { AppContext, MintedSecrets } from './session/read-secrets.ts';
export { type Authenticate, bearerToken } from './worker/auth.ts';
export type { HoldfastConfig } from './worker/config.ts';
export { defineSchedule, type Schedule, type ScheduleConfig } from './worker/define-schedule.ts';
export type { Caller, EndpointRequest, Env } from './worker/host.ts';

/** What a Worker's module exports, beside `SessionObject`. */
export interface Holdfast {
  /** The default export. */
  readonly worker: ExportedHandler<Env> &
    Required<Pick<ExportedHandler<Env>, 'fetch' | 'queue' | 'scheduled'>>;
  /** The loopback entry point, exported under this name: it goes on with turns that nobody holds. */
  readonly TurnRunner: new (
    ctx: ExecutionContext,
    env: Env,
  ) => WorkerEntrypoint<Env> & TurnRunner;
}

/**
 * Makes the Worker of an app. The object's binding is called `SESSIONS`.
 *
 * @throws ConfigurationError when two agents, kinds, webhooks or schedules share a name, a webhook or a schedule is for an agent
 *   that is not there, the MCP endpoint publishes one that is not there, nobody says whose a webhook's sessions are, the
 *   context is not JSON, `contextHeaders` maps a header that carries credentials or cannot be one, one of `origins` is
 *   none, a limit of the platform is impossible, the retention is no time, or an agent has a cost limit and the app's
 *   model no prices. What the environment decides is found out by the first turn, and what the deployment lacks by the
 *   first request for a session, and by `GET /health`.
 */
export function createHoldfast(config: HoldfastConfig): Holdfast {
  const { schedules = [] } = config;
  const host = toHost(config, deployed);
  const app = createApp(host, routeTable(host));

  class Runner extends WorkerEntrypoint<Env> implements TurnRunner {
    /** An RPC ends with its caller, and a deploy resets the object that calls: what is left to `waitUntil` goes on for 30 s. */
    async run(handOver: HandOver): Promise<void> {
      const work = resumeTurn(invoked(host, this.env, this.ctx), this.env, handOver);
      this.ctx.waitUntil(work.catch(() => {}));
      await work;
    }
  }

  const worker: Holdfast['worker'] = {
    fetch: (request, env, ctx) => app.fetch(request, env, ctx),
    queue: (batch, env, ctx) => takeBatch(invoked(host, env, ctx), env, batch),
    scheduled: (time, env, ctx) => runSchedules(invoked(host, env, ctx), env, { time, schedules }),
  };
  return { worker, TurnRunner: Runner };
}

const deployed = (env: Env): Deployment => ({
  env,
  exports: exported as Deployment['exports'], // their types are those of whoever's main module it is
  flags: Cloudflare.compatibilityFlags,
});
