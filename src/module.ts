/** The entry `holdfast/module`: a feature of your own, which plugs in where the features of the library do. */

import type { EventOf } from './journal/events.ts';
import { FOLDING } from './journal/memory-folding.ts';
import { askLayer } from './loop/ask-layers.ts';
import type { AskLayer } from './loop/ask-reply.ts';
import { discoveryOf } from './loop/discovery.ts';
import { inLoop, type Loop, timeIn } from './loop/loop.ts';
import { LOOPS, type LoopSeam } from './loop/loop-seams.ts';
import { loopView } from './loop/offer-tools.ts';
import { throughJson } from './loop/tool-answer.ts';
import { addressOfSession, type SessionAddress } from './session/read-secrets.ts';
import { ENDED, type StoppedTurn, type StoredWithStop } from './session/turn-end.ts';
import type { Owner } from './tool/call-origin.ts';
import type { Json } from './tool/json.ts';
import { literals } from './tool/literals.ts';
import type { Log } from './tool/log.ts';
import {
  APP_MEMORY,
  accessTo,
  checkName,
  ModuleError,
  type ModuleState,
  type StateConfig,
  stateOfApp,
} from './tool/module-state.ts';
import { createModule, type ModuleIdentity, type ModuleUse, useOf } from './tool/module-use.ts';
import { nameIn, ended as sentence } from './tool/shown.ts';
import type { Discovery, InjectionStrategy } from './tool/tool.ts';
import { factOf, type ToolMemory } from './tool/tool-memory.ts';
import { OFFERS } from './tool/uses.ts';
import { APP, type AppParts, type CronTime } from './worker/app-seam.ts';
import { type DoWork, DUE } from './worker/background.ts';
import type { Caller, Env } from './worker/host.ts';
import { type ModuleRoute, routesOf } from './worker/module-routes.ts';
import type { AdmittingApp, HttpRequest } from './worker/route.ts';

export type { CallPlace, Declared, HistoryScope, LoopSeam } from './loop/loop-seams.ts';
export type { SessionAddress } from './session/read-secrets.ts';
export type { StoredWithStop } from './session/turn-end.ts';
export { ModuleError, type ModuleState, type StateConfig } from './tool/module-state.ts';
export type { ModuleIdentity } from './tool/module-use.ts';
export type {
  FactOptions,
  FactPlace,
  MemoryFact,
  MemoryPlace,
  SessionMoment,
  ToolMemory,
} from './tool/tool-memory.ts';
export type { CronTime } from './worker/app-seam.ts';
export { type FileUrls, fileUrlsOf } from './worker/file-urls.ts';
export type {
  ModuleRequest,
  PublicRequest,
  RouteAgent,
  RouteProblem,
  RouteSession,
} from './worker/module-request.ts';
export { defineRoute, type ModuleRoute } from './worker/module-routes.ts';
export type { HttpRequest } from './worker/route.ts';
export { type ProblemToTell, type Tell, type Teller, tellerOf } from './worker/tell.ts';

/** The literal that `defineModule` takes, beside `state`. */
export interface ModuleConfig {
  /** A letter, then letters, digits, `-` and `_`. Journals keep it, so it stays. */
  readonly name: string;
  /** A use of an agent holds in the loops inside the agent's own too. Defaults to `false`; a use of the app holds in every loop. */
  readonly nested?: boolean | undefined;
}

/** A feature. An app, an agent or a tool has it by one of its uses. */
export interface Module extends ModuleIdentity {
  /**
   * Makes a use, for `use` of `createHoldfast`, `defineAgent` and `createTestSession`, or `uses` of a tool. Without parts it returns one
   * and the same use, so that many tools may carry it. A copy of a use brings nothing, and is refused.
   *
   * @throws ConfigurationError if a route is none. ModuleError if a part is unknown.
   */
  use(parts?: ModuleParts): ModuleUse;
}

/** A module with a state, and the doors to it. Its parts and its tools read the state by `recall`. */
export interface RememberingModule<Value extends Json, Fact extends Json>
  extends Module,
    ModuleState<Value, Fact> {
  readonly memory: ToolMemory<Value, Fact>;
}

/** What a use of a module brings: a member for each seam. An absent member costs nothing. */
export interface ModuleParts extends Omit<LoopSeam, 'prepare' | 'ask'>, Pick<AppParts, 'files'> {
  /** Tells uses of one module apart. Defaults to the empty text. */
  readonly key?: string | undefined;
  /** Decides which tools each loop of the app is offered. Pure: the same list when nothing changes. Must not throw. */
  readonly offer?: InjectionStrategy['offer'] | InjectionStrategy | undefined;
  /**
   * Called before tools are offered for a model call, but not for the last one at a limit. After a crash it is called again, so it
   * decides by the state. It must rethrow what `ask` and `durable` throw.
   */
  prepare?(loop: PreparedLoop): Promise<void>;
  /** Wraps the model calls. Uses that share one object wrap each call once. */
  readonly ask?: AskLayer | undefined;
  /** Returns what is stored with the stop of a turn, in one commit. Synchronous. If it throws, the turn stops without it. */
  ended?(turn: ModuleTurn): StoredWithStop | undefined;
  /**
   * Does the work of a row that `ended` has stored, at least once, within 30 seconds. If it rejects, the row is offered again after a
   * minute, then after pauses that double up to an hour.
   */
  due?(work: DueWork, app: ModuleApp): ReturnType<DoWork>;
  /** Made by `defineRoute`. None may have a path of the app or of another module. */
  readonly routes?: readonly ModuleRoute[] | undefined;
  /** Runs at each time of the `crons` of wrangler.toml. What it throws shows the event as failed. */
  scheduled?(app: ModuleApp, time: CronTime): Promise<void>;
  /**
   * Wraps every request to the app, also one that is refused. The first use is the outermost. `next` never rejects: a failure is a
   * response by then. The app's own headers (`x-request-id`, `cache-control`) are added to whatever it returns. Of the app: a use of an agent or a tool
   * may not have it, nor `caller` and `admit`.
   */
  http?(asked: HttpRequest, next: (asked: HttpRequest) => Promise<Response>): Promise<Response>;
  /** Returns the caller for whom a request is handled, in place of the one that `auth` returned. It may throw a `SessionError`. */
  caller?(caller: Caller, request: Request): Caller | Promise<Caller>;
  /**
   * Called before a client or a delivery starts a turn in a session of this owner, or may do so. To refuse it, throw a `SessionError`, such as
   * `rate-limited`. Code of the app, by `holdfast.session`, is not asked.
   */
  admit?(owner: Owner, app: ModuleApp): Promise<void>;
}

/** A loop before its next model call. `view` is what `recall` of a module takes. */
export interface PreparedLoop extends Discovery {
  /** Journals a fact as an event of the module, and folds it at once. Called by `remember` of the module. */
  record: Parameters<ModuleState<Json, Json>['remember']>[0]['record'];
  /** Resolves when all that was journaled is stored. @throws CallInterrupted when it never will be. */
  durable(): Promise<void>;
}

/** A turn that stops, and whose session it is of. */
export interface ModuleTurn extends Omit<StoppedTurn, 'name'>, SessionAddress {}

/** A row that is due, and whose session it is of. */
export interface DueWork extends SessionAddress {
  /** As `ended` has named the work. */
  readonly ref: string;
  /** Which attempt this is, from 1 on. An attempt that no one answered counts. */
  readonly attempt: number;
}

/** An app, as its modules have it in one invocation. Its sessions are asked by `sessionOf(holdfast, app.env, ...)`. */
export interface ModuleApp {
  readonly env: Env;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Defines a module, once, as a constant. Facts of an app's modules are journaled as `app:{name}`, so that none can meet one of the library.
 *
 * @throws ModuleError if the name cannot be journaled, or the state is impossible.
 *
 * @example
 * ```ts
 * const visits = defineModule({
 *   name: 'visits',
 *   state: { initial: 0, apply: (count: number, by: number) => count + by },
 * });
 * const counting = visits.use({
 *   async call(call, next) {
 *     visits.remember(call, 1, { on: 'end' });
 *     return next();
 *   },
 * });
 * ```
 */
export function defineModule(config: ModuleConfig & { readonly state?: undefined }): Module;
export function defineModule<Value extends Json, Fact extends Json = never>(
  config: ModuleConfig & { readonly state: StateConfig<Value, Fact> },
): RememberingModule<Value, Fact>;
export function defineModule<Value extends Json, Fact extends Json>(
  config: ModuleConfig & { readonly state?: StateConfig<Value, Fact> | undefined },
): Module {
  checkLiteral(config);
  const { name, nested, state } = config;
  checkName(name);
  const memory = state && stateOfApp(name, state, FOLDING);
  const identity = createModule({
    name: `${APP_MEMORY}${name}`,
    ...(nested !== undefined && { nested }),
    ...(memory && { state: [memory] }),
  });
  const plain = useOf(identity);
  const use = (parts?: ModuleParts): ModuleUse => (parts ? useWith(identity, name, parts) : plain);
  const module = Object.assign(identity, { use });
  return memory ? Object.assign(module, { memory }, accessTo(memory, state?.schema)) : module;
}

/** In development: @throws ModuleError if a key is unknown, missing or of another type. */
function checkLiteral(config: { readonly state?: unknown }): void {
  const fault = literals?.fault(config, 'defineModule');
  const inState =
    config.state === undefined ? undefined : literals?.fault(config.state, 'the state of a module');
  const problem = fault ? `it ${fault.problem}` : inState && `its state ${inState.problem}`;
  if (problem !== undefined) throw new ModuleError(nameIn(config), sentence(problem));
}

function useWith(module: ModuleIdentity, name: string, parts: ModuleParts): ModuleUse {
  const fault = literals?.fault(parts, 'the parts of a module');
  if (fault) throw new ModuleError(name, sentence(`a use of it ${fault.problem}`));
  const { key, offer, prepare, ask, ended, due, ...others } = parts;
  const { routes, scheduled, files, http, caller, admit, ...ofLoops } = others;
  const use = useOf(module, key);
  if (offer) OFFERS.give(use, typeof offer === 'function' ? { name, offer } : offer);
  if (prepare || ask || Object.keys(ofLoops).length > 0)
    LOOPS.give(use, {
      ...ofLoops,
      ...(ask && { ask: askLayer(ask) }),
      ...(prepare && { prepare: (loop: Loop) => prepare.call(parts, preparedLoop(module, loop)) }),
    });
  if (ended)
    ENDED.give(use, ({ name, ...turn }) => ended.call(parts, { ...turn, ...addressOfSession(name) }));
  if (due)
    DUE.give(use, ({ name, ref, attempt }, app) =>
      due.call(parts, { ref, attempt, ...addressOfSession(name) }, toModuleApp(app)),
    );
  if (routes || scheduled || files || http || caller || admit)
    APP.give(use, {
      ...(http && { http: async (asked, next) => toOwnResponse(await http.call(parts, asked, next)) }),
      ...(caller && { caller: (one, request) => caller.call(parts, one, request) }),
      ...(admit && { admit: (owner, app) => admit.call(parts, owner, toModuleApp(app)) }),
      ...(files && { files }),
      ...(routes && { routes: routesOf({ name, routes }) }),
      ...(scheduled && { scheduled: (app, time) => scheduled.call(parts, toModuleApp(app), time) }),
    });
  return use;
}

const preparedLoop = (module: ModuleIdentity, loop: Loop): PreparedLoop => ({
  ...discoveryOf(loop, loopView(loop, 'now'), loop.holder.modelSignal),
  record: (memory, fact) => loop.journal.emit(factEvent(loop, module, { memory, fact })),
  durable: () => loop.journal.durable(),
});

/** The app sets headers, which those of a fetched response do not let it. @throws TypeError if it is no response. */
function toOwnResponse(response: Response): Response {
  if (response instanceof Response) return new Response(response.body, response);
  throw new TypeError('`http` of a module must return a Response.');
}

const toModuleApp = ({ env, host }: AdmittingApp): ModuleApp => ({
  env,
  log: host.log,
  now: () => host.clock.now(),
});

/** A fact of a module, and the memory that it is for. */
interface Recorded<Value extends Json, Fact extends Json> {
  readonly memory: ToolMemory<Value, Fact>;
  readonly fact: Fact;
}

/** The event by which a module records a fact beside the end of a call, without secrets. @throws TypeError if the fact is not JSON. */
export function factEvent<Value extends Json, Fact extends Json>(
  loop: Loop,
  { name }: Pick<ModuleIdentity, 'name'>,
  { memory, fact }: Recorded<Value, Fact>,
): EventOf<'module-event'> {
  loop.memories.of(memory).assertUsable(memory);
  const kept = loop.secrets.redact(throughJson(`a fact of '${memory.name}'`, fact));
  const { name: slice, unread } = memory;
  const facts = [{ ...factOf<Json, Json>({ name: slice, unread }, kept), at: timeIn(loop) }];
  return { type: 'module-event', ...inLoop(loop), module: name, facts };
}
