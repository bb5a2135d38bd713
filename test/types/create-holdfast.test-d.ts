import { Hono } from 'hono';
import { expectTypeOf } from 'vitest';
import {
  type Authenticate,
  bearerToken,
  type Claims,
  consumeTurns,
  createHoldfast,
  type Env,
  type HandOver,
  type Holdfast,
  openOnLocalhost,
} from '../../src/create-holdfast.ts';
import type { Principal } from '../../src/index.ts';
import { type CallContext, type ChatModel, defineAgent, type EnvOf } from '../../src/index.ts';
import { openaiCompatible } from '../../src/model/openai-compatible/entry.ts';
import { placeSessions } from '../../src/modules/app/entry.ts';
import { defineToolGroup, toolGroups } from '../../src/modules/tool-groups/entry.ts';
import { offlineModel, orOffline } from '../../src/offline-model/entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [] });
declare const model: ChatModel;
declare const auth: Authenticate;

// The exports of a Worker's module.
const holdfast = createHoldfast({ agents: [clerk] });
expectTypeOf(holdfast).toEqualTypeOf<Holdfast>();
export default holdfast.worker satisfies ExportedHandler<Env>;
export const { TurnRunner } = holdfast;
expectTypeOf<InstanceType<typeof TurnRunner>['run']>().toEqualTypeOf<(handOver: HandOver) => Promise<void>>();
// A Worker's module can call the `fetch` of the Worker that it exports.
expectTypeOf(holdfast.worker.fetch).not.toBeNullable();

// The model is a value, or a function of the environment.
createHoldfast({ agents: [clerk], model });
// A model that reads vars fits every environment, and does not determine the environment's type.
expectTypeOf(
  createHoldfast({
    agents: [clerk],
    model: orOffline(openaiCompatible()),
    secrets: (env) => ({ key: String(env.KEY) }),
  }),
).toEqualTypeOf<Holdfast>();
// @ts-expect-error: `openaiCompatible` has to be called
createHoldfast({ agents: [clerk], model: openaiCompatible });
// @ts-expect-error: there is no such option
createHoldfast({ agents: [clerk], offline: offlineModel });
createHoldfast({
  agents: [clerk],
  model(env) {
    expectTypeOf(env).toEqualTypeOf<Env>();
    return model;
  },
});

// The environment of an app, as `wrangler types` declares it: an interface without an index signature.
interface AppBindings {
  readonly DB: D1Database;
  readonly HOLDFAST_TOKEN: string;
}
const typedApp = createHoldfast<AppBindings>({
  agents: [clerk],
  model(env) {
    expectTypeOf(env).toEqualTypeOf<AppBindings>();
    return model;
  },
  context(env) {
    expectTypeOf(env.DB).toEqualTypeOf<D1Database>();
    return {};
  },
  secrets: ({ HOLDFAST_TOKEN }) => ({ token: HOLDFAST_TOKEN }),
  limits(env) {
    expectTypeOf(env).toEqualTypeOf<AppBindings>();
    return {};
  },
  auth(request, env) {
    expectTypeOf(request).toEqualTypeOf<Request>();
    expectTypeOf(env).toEqualTypeOf<AppBindings>();
    return { id: env.HOLDFAST_TOKEN };
  },
});
expectTypeOf(typedApp).toEqualTypeOf<Holdfast<AppBindings>>();
createHoldfast<AppBindings>({ agents: [clerk], model: orOffline(openaiCompatible()) });
createHoldfast<AppBindings>({
  agents: [clerk],
  model: orOffline((env) => {
    expectTypeOf(env).toEqualTypeOf<AppBindings>();
    return model;
  }),
});
// The environment of an app is determined by a type argument, or by a function other than `model`.
// @ts-expect-error: `model` alone does not determine the environment
createHoldfast({ agents: [clerk], model: ({ DB }: AppBindings) => (DB ? model : model) });
createHoldfast({
  agents: [clerk],
  model: ({ DB }: AppBindings) => (DB ? model : model),
  secrets: (_: AppBindings) => ({}),
});
typedApp.worker satisfies ExportedHandler<AppBindings>;
expectTypeOf(new typedApp.TurnRunner({} as ExecutionContext, {} as AppBindings).run).toBeFunction();
// Its routes fit a Hono app of any environment.
new Hono<{ Bindings: AppBindings }>().route('/ai', typedApp.routes) satisfies { fetch: unknown };
// The parameter types of its functions determine the environment.
expectTypeOf(
  createHoldfast({ agents: [clerk], secrets: (env: AppBindings) => ({ key: env.HOLDFAST_TOKEN }) }),
).toEqualTypeOf<Holdfast<AppBindings>>();
// An `auth` for any Worker, such as a built-in one, fits this app.
createHoldfast<AppBindings>({ agents: [clerk], auth: bearerToken('HOLDFAST_TOKEN') });
createHoldfast<AppBindings>({
  agents: [clerk],
  auth: bearerToken((env) => [env.HOLDFAST_TOKEN, env.OLD_TOKEN]),
});
createHoldfast<AppBindings>({ agents: [clerk], auth: openOnLocalhost() });
// The program's own types declare the environment `Cloudflare.Env`.
createHoldfast<Cloudflare.Env>({ agents: [clerk], model: () => model })
  .worker satisfies ExportedHandler<Cloudflare.Env>;
// @ts-expect-error: it has no such binding
createHoldfast<AppBindings>({ agents: [clerk], secrets: (env) => ({ key: env.KEY }) });
// @ts-expect-error: a Worker of this environment does not fit another one
typedApp.worker satisfies ExportedHandler<{ readonly DB: string }>;

// A tool receives the environment declared by the program's types. Its values default to `unknown`.
expectTypeOf<CallContext['env']>().toEqualTypeOf<Cloudflare.Env>();
expectTypeOf<EnvOf<AppBindings>>().toEqualTypeOf<AppBindings>();
expectTypeOf<EnvOf<object>>().toEqualTypeOf<Readonly<Record<string, unknown>>>();

// A caller can act for several persons.
createHoldfast({ agents: [clerk], auth: () => ({ id: 'chat', delegates: true }) });
createHoldfast({ agents: [clerk], auth: () => ({ id: 'me', delegates: undefined }) });
// @ts-expect-error: `delegates` is a boolean
createHoldfast({ agents: [clerk], auth: () => ({ id: 'chat', delegates: 'ann' }) });

// The context and the secrets of an app can depend on its environment and on the caller.
createHoldfast({ agents: [clerk], context: { plan: 'free' } });
createHoldfast({
  agents: [clerk],
  use: [toolGroups([defineToolGroup({ role: 'web', description: 'The web.', tools: [] })])],
  context(env, { principal, request }) {
    expectTypeOf(env).toEqualTypeOf<Env>();
    expectTypeOf(principal).toEqualTypeOf<Principal>();
    // The request is absent if the turn resumes in another invocation.
    expectTypeOf(request).toEqualTypeOf<Request | undefined>();
    return { region: String(env.REGION) };
  },
  secrets(env, principal, { request, claims }) {
    expectTypeOf(env).toEqualTypeOf<Env>();
    expectTypeOf(principal).toEqualTypeOf<Principal>();
    expectTypeOf(request).toEqualTypeOf<Request | undefined>();
    expectTypeOf(claims).toEqualTypeOf<Claims | undefined>();
    return { apiKey: `${env.KEY}-${principal.tenant}`, none: undefined };
  },
});
createHoldfast({ agents: [clerk], secrets: async () => undefined });

// @ts-expect-error not every invocation has a request
createHoldfast({ agents: [clerk], secrets: (_, __, { request }) => ({ key: request.url }) });

// @ts-expect-error the context is JSON
createHoldfast({ agents: [clerk], context: { since: () => 1 } });

// @ts-expect-error secrets are texts
createHoldfast({ agents: [clerk], secrets: () => ({ apiKey: 4711 }) });

// @ts-expect-error a group is made by defineToolGroup
createHoldfast({ agents: [clerk], use: [toolGroups([{ role: 'web', tools: [] }])] });

// Optional properties accept undefined.
createHoldfast({
  agents: [],
  model: undefined,
  auth: undefined,
  http: { contextHeaders: undefined, maxBodyBytes: undefined },
  context: undefined,
  secrets: undefined,
  limits: undefined,
  use: undefined,
});
createHoldfast({
  agents: [clerk],
  auth,
  http: { contextHeaders: { 'x-tenant': 'tenant' } },
  use: [placeSessions({ locationHint: 'weur', jurisdiction: 'eu' })],
});

// The limits of an invocation are constants, or depend on the environment.
createHoldfast({ agents: [clerk], limits: { subrequests: 10_000, internalSubrequests: undefined } });
createHoldfast({
  agents: [clerk],
  limits(env) {
    expectTypeOf(env).toEqualTypeOf<Env>();
    return { subrequests: 1_000, wallMs: 60_000 };
  },
});
// @ts-expect-error Workers do not report their CPU time
createHoldfast({ agents: [clerk], limits: { cpuUsed: () => 5 } });
// @ts-expect-error there is no such limit
createHoldfast({ agents: [clerk], limits: { memory: 128 } });

// A Worker handles cron events, and queue messages with a function.
const withQueue = { ...holdfast.worker, queue: consumeTurns(holdfast) } satisfies ExportedHandler<Env>;
expectTypeOf(withQueue.queue).returns.toEqualTypeOf<Promise<void>>();
// @ts-expect-error the consumer needs the app, not its Worker
consumeTurns(holdfast.worker);
expectTypeOf(holdfast.worker.scheduled).not.toBeNullable();

// @ts-expect-error an app has agents
createHoldfast({});

// @ts-expect-error an agent is made by defineAgent
createHoldfast({ agents: [{ name: 'clerk' }] });

// @ts-expect-error a caller has an id
createHoldfast({ agents: [clerk], auth: () => ({ tenant: 'acme' }) });

// @ts-expect-error there is no such place
placeSessions({ locationHint: 'moon' });
