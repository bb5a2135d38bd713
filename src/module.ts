/** The entry `holdfast/module`: define your own modules, with the same seams as those of the library. */

import type { EventOf } from './journal/events.ts';
import { FOLDING } from './journal/memory-folding.ts';
import { askLayer } from './loop/ask-layers.ts';
import type { AskLayer } from './loop/ask-reply.ts';
import { createDiscovery } from './loop/discovery.ts';
import { getLoopTime, type Loop, toLoopFields } from './loop/loop.ts';
import { LOOPS, type LoopSeam } from './loop/loop-seams.ts';
import { createLoopView } from './loop/offer-tools.ts';
import { copyThroughJson } from './loop/tool-answer.ts';
import { parseSessionName, type SessionAddress } from './session/read-secrets.ts';
import { STOP_SEAM, type StoppedTurn, type StoredWithStop } from './session/turn-end.ts';
import type { Owner } from './tool/call-origin.ts';
import type { Json } from './tool/json.ts';
import { literals } from './tool/literals.ts';
import type { Log } from './tool/log.ts';
import {
  APP_MEMORY_PREFIX,
  checkName,
  createAppMemory,
  createModuleState,
  ModuleError,
  type ModuleState,
  type StateConfig,
} from './tool/module-state.ts';
import { createModule, createUse, type ModuleIdentity, type ModuleUse } from './tool/module-use.ts';
import { readName, withFullStop as sentence } from './tool/shown.ts';
import type { Discovery, InjectionStrategy } from './tool/tool.ts';
import { createFact, type ToolMemory } from './tool/tool-memory.ts';
import { OFFERS } from './tool/uses.ts';
import { APP, type AppParts, type CronTime } from './worker/app-seam.ts';
import { DUE, type DueHandler } from './worker/background.ts';
import type { Caller, Env } from './worker/host.ts';
import { createRouteMounter, type ModuleRoute } from './worker/module-routes.ts';
import type { AdmittingApp, HttpRequest } from './worker/route.ts';

export type { CallPlace, HistoryScope, LoopDeclaration as Declared, LoopSeam } from './loop/loop-seams.ts';
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
export {
  createErrorWording as tellerOf,
  type ErrorWording as Teller,
  type ProblemToTell,
  type Tell,
} from './worker/tell.ts';

/** The options of `defineModule`, besides `state`. */
export interface ModuleConfig {
  /** A letter, then letters, digits, `-` and `_`. Journals contain it, so do not change it. */
  readonly name: string;
  /**
   * If `true`, a use of an agent also applies to loops nested in the agent's own. Defaults to `false`. A use
   * of the app applies to every loop.
   */
  readonly nested?: boolean | undefined;
}

/** A feature. An app, an agent or a tool has it through a use. */
export interface Module extends ModuleIdentity {
  /**
   * Creates a use, for `use` of `createHoldfast`, `defineAgent` and `createTestSession`, or for `uses` of a
   * tool. Without parts it always returns the same use, so that many tools can carry it. A copy of a use has
   * no effect, and is refused.
   *
   * @throws ConfigurationError if an element of `routes` is not a route.
   * @throws ModuleError if a part is unknown.
   */
  use(parts?: ModuleParts): ModuleUse;
}

/**
 * A module with a state, and functions to access it. Its parts and its tools read the state with `recall`.
 */
export interface RememberingModule<Value extends Json, Fact extends Json>
  extends Module,
    ModuleState<Value, Fact> {
  readonly memory: ToolMemory<Value, Fact>;
}

/** The parts of a module's use: one member for each seam. An absent member costs nothing. */
export interface ModuleParts extends Omit<LoopSeam, 'prepare' | 'ask'>, Pick<AppParts, 'files'> {
  /** Distinguishes the uses of one module. Defaults to the empty string. */
  readonly key?: string | undefined;
  /**
   * Decides which tools each loop of the app offers. Must be pure, must return the same array if it changes
   * nothing, and must not throw.
   */
  readonly offer?: InjectionStrategy['offer'] | InjectionStrategy | undefined;
  /**
   * Called before tools are offered for a model call, except for the last call at a limit. After a crash it
   * is called again, so it must decide from the state. It must rethrow errors of `ask` and `durable`.
   */
  prepare?(loop: PreparedLoop): Promise<void>;
  /** Wraps the model calls. If several uses share one object, it wraps each call once. */
  readonly ask?: AskLayer | undefined;
  /**
   * Returns data to store with the stop of a turn, in one commit. Must be synchronous. If it throws, the turn
   * stops without that data.
   */
  ended?(turn: ModuleTurn): StoredWithStop | undefined;
  /**
   * Does the work of a row that `ended` stored, at least once, within 30 seconds. If it rejects, the row is
   * offered again after a minute, then after pauses that double up to an hour.
   */
  due?(work: DueWork, app: ModuleApp): ReturnType<DueHandler>;
  /** Routes made by `defineRoute`. Their paths must differ from those of the app and of other modules. */
  readonly routes?: readonly ModuleRoute[] | undefined;
  /** Runs at each time in `crons` of wrangler.toml. If it throws, the platform shows the event as failed. */
  scheduled?(app: ModuleApp, time: CronTime): Promise<void>;
  /**
   * Wraps every request to the app, including refused ones. The first use is the outermost. `next` never
   * rejects, since a failure is already a response. The app adds its own headers (`x-request-id`,
   * `cache-control`) to the returned response. Only uses of the app can have `http`, `caller` and `admit`,
   * not those of an agent or a tool.
   */
  http?(asked: HttpRequest, next: (asked: HttpRequest) => Promise<Response>): Promise<Response>;
  /**
   * Returns the caller to handle a request for, in place of the one from `auth`. It can throw a
   * `SessionError`.
   */
  caller?(caller: Caller, request: Request): Caller | Promise<Caller>;
  /**
   * Called before a client or a delivery starts, or could start, a turn in a session of this owner. To refuse
   * it, throw a `SessionError`, such as `rate-limited`. Not called for code of the app that uses `sessionOf`.
   */
  admit?(owner: Owner, app: ModuleApp): Promise<void>;
}

/** A loop before its next model call. Pass `view` to `recall` of a module. */
export interface PreparedLoop extends Discovery {
  /** Journals a fact as an event of the module, and folds it at once. Used by `remember` of the module. */
  record: Parameters<ModuleState<Json, Json>['remember']>[0]['record'];
  /**
   * Resolves when all journaled facts are stored.
   *
   * @throws CallInterrupted if they cannot be stored.
   */
  durable(): Promise<void>;
}

/** A stopped turn, with the address of its session. */
export interface ModuleTurn extends Omit<StoppedTurn, 'name'>, SessionAddress {}

/** A due row, with the address of its session. */
export interface DueWork extends SessionAddress {
  /** The name of the work, as returned by `ended`. */
  readonly ref: string;
  /** The number of this attempt, starting at 1. An attempt without a reply counts. */
  readonly attempt: number;
}

/**
 * An app, as its modules see it in one invocation. Reach its sessions with `sessionOf(holdfast, app.env,
 * ...)`.
 */
export interface ModuleApp {
  readonly env: Env;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Defines a module. Call it once and keep the result in a constant. Facts of an app's modules are journaled
 * as `app:{name}`, so that they do not collide with those of the library.
 *
 * @throws ModuleError if the name cannot be journaled, or if the state is invalid.
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
  const memory = state && createAppMemory(name, state, FOLDING);
  const identity = createModule({
    name: `${APP_MEMORY_PREFIX}${name}`,
    ...(nested !== undefined && { nested }),
    ...(memory && { state: [memory] }),
  });
  const plain = createUse(identity);
  const use = (parts?: ModuleParts): ModuleUse => (parts ? createModuleUse(identity, name, parts) : plain);
  const module = Object.assign(identity, { use });
  return memory ? Object.assign(module, { memory }, createModuleState(memory, state?.schema)) : module;
}

/**
 * Checks the literal in development.
 *
 * @throws ModuleError if a key is unknown, missing or of another type.
 */
function checkLiteral(config: { readonly state?: unknown }): void {
  const fault = literals?.fault(config, 'defineModule');
  const inState =
    config.state === undefined ? undefined : literals?.fault(config.state, 'the state of a module');
  const problem = fault ? `it ${fault.problem}` : inState && `its state ${inState.problem}`;
  if (problem !== undefined) throw new ModuleError(readName(config), sentence(problem));
}

function createModuleUse(module: ModuleIdentity, name: string, parts: ModuleParts): ModuleUse {
  const fault = literals?.fault(parts, 'the parts of a module');
  if (fault) throw new ModuleError(name, sentence(`a use of it ${fault.problem}`));
  const { key, offer, prepare, ask, ended, due, ...others } = parts;
  const { routes, scheduled, files, http, caller, admit, ...ofLoops } = others;
  const use = createUse(module, key);
  if (offer) OFFERS.give(use, typeof offer === 'function' ? { name, offer } : offer);
  if (prepare || ask || Object.keys(ofLoops).length > 0)
    LOOPS.give(use, {
      ...ofLoops,
      ...(ask && { ask: askLayer(ask) }),
      ...(prepare && { prepare: (loop: Loop) => prepare.call(parts, toPreparedLoop(module, loop)) }),
    });
  if (ended)
    STOP_SEAM.give(use, ({ name, ...turn }) => ended.call(parts, { ...turn, ...parseSessionName(name) }));
  if (due)
    DUE.give(use, ({ name, ref, attempt }, app) =>
      due.call(parts, { ref, attempt, ...parseSessionName(name) }, toModuleApp(app)),
    );
  if (routes || scheduled || files || http || caller || admit)
    APP.give(use, {
      ...(http && { http: async (asked, next) => copyResponse(await http.call(parts, asked, next)) }),
      ...(caller && { caller: (one, request) => caller.call(parts, one, request) }),
      ...(admit && { admit: (owner, app) => admit.call(parts, owner, toModuleApp(app)) }),
      ...(files && { files }),
      ...(routes && { routes: createRouteMounter({ name, routes }) }),
      ...(scheduled && { scheduled: (app, time) => scheduled.call(parts, toModuleApp(app), time) }),
    });
  return use;
}

const toPreparedLoop = (module: ModuleIdentity, loop: Loop): PreparedLoop => ({
  ...createDiscovery(loop, createLoopView(loop, 'now'), loop.holder.modelSignal),
  record: (memory, fact) => loop.journal.emit(factEvent(loop, module, { memory, fact })),
  durable: () => loop.journal.durable(),
});

/**
 * Copies the response, since the headers of a fetched response are immutable.
 *
 * @throws TypeError if it is not a response.
 */
function copyResponse(response: Response): Response {
  if (response instanceof Response) return new Response(response.body, response);
  throw new TypeError('`http` of a module must return a Response.');
}

const toModuleApp = ({ env, host }: AdmittingApp): ModuleApp => ({
  env,
  log: host.log,
  now: () => host.clock.now(),
});

/** A module's fact, and the memory that it belongs to. */
interface FactRecord<Value extends Json, Fact extends Json> {
  readonly memory: ToolMemory<Value, Fact>;
  readonly fact: Fact;
}

/**
 * Returns the event that records a fact of a module outside the end of a call, without secrets.
 *
 * @throws TypeError if the fact is not JSON.
 */
export function factEvent<Value extends Json, Fact extends Json>(
  loop: Loop,
  { name }: Pick<ModuleIdentity, 'name'>,
  { memory, fact }: FactRecord<Value, Fact>,
): EventOf<'module-event'> {
  loop.memories.of(memory).assertUsable(memory);
  const kept = loop.secrets.redact(copyThroughJson(`a fact of '${memory.name}'`, fact));
  const { name: slice, unread } = memory;
  const facts = [{ ...createFact<Json, Json>({ name: slice, unread }, kept), at: getLoopTime(loop) }];
  return { type: 'module-event', ...toLoopFields(loop), module: name, facts };
}
