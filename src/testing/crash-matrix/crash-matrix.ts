import type { Agent } from '../../agent/define-agent.ts';
import { collectAppModules, createAgentResolver } from '../../agent/resolve-agent.ts';
import type { Prices } from '../../model/prices.ts';
import { readSecrets } from '../../session/read-secrets.ts';
import { readJournal } from '../../session/read-session.ts';
import type { GivenEnv } from '../../tool/env.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { TestSessionOptions } from '../test-session.ts';
import { type CrashReport, type DisturbedPlay, toCrashReport } from './crash-report.ts';
import { type CrashableSession, createCrashableMemorySession } from './crashable-session.ts';
import { callNames, collectUnknownCalls, computeDamage, findLastToolError } from './damage.ts';
import { type Disturbance, hasEffectAt, MODES, type Mode, type Position } from './disturbances.ts';
import type { CrashKit, Watcher } from './effects.ts';
import { type PlayOptions, type PlayResult, playScript } from './play-script.ts';
import { type App, type CrashScript, checkScript, isOpenEnded, type Subject } from './script.ts';

/** The agent under test, followed by the agents to which it delegates by name. */
export type AgentUnderTest = Agent | readonly [Agent, ...Agent[]];

/** The environment of the agent's turns, and the plays to run. */
export interface CrashMatrixOptions
  extends Pick<TestSessionOptions, 'context' | 'secrets' | 'use' | 'principal'> {
  /**
   * The Worker's vars, secrets and bindings, or replacements for those that the agent uses. A function is
   * called once for each play, so that plays share no data.
   */
  readonly env?: GivenEnv | ((world: undefined) => GivenEnv) | undefined;
  /** The prices, for agents with a cost limit and without their own model. */
  readonly prices?: Prices | undefined;
  /** Runs only the plays at one position, in one mode, or both. A failure reports its position and mode. */
  readonly only?: { readonly at?: number | undefined; readonly mode?: Mode | undefined } | undefined;
}

/** The environment of the turns, and the plays to run, for an agent that acts on an external world. */
export interface CrashMatrixWorld<World> extends Omit<CrashMatrixOptions, 'env'> {
  /**
   * Creates the data that outlives a crash: fakes of the systems that the tools act on. Called once for each
   * play.
   */
  readonly world: () => World;
  /** See `CrashMatrixOptions`. A function receives the world of the play. */
  readonly env?: GivenEnv | ((world: NoInfer<World>) => GivenEnv) | undefined;
}

/**
 * Checks that a crash at any point does not lose a message or double an effect. Plays the script once
 * undisturbed. Then plays it once for every position (before and after each lease, append, renewal, model
 * call and tool run) and every disturbance: the session is folded again, an acknowledgement is lost, the
 * object restarts, all further calls reject or hang, or the invocation continues as a zombie after another
 * one has taken over the turn. Runs in memory, and is deterministic.
 *
 * For an agent object, the matrix counts effects by the runs of its tools, and answers `reconcile` from the
 * runs it observed. A function creates the agent for every invocation, as a new isolate would. Its tools can
 * use `kit.effect` to report effects as their receivers see them, and answer `reconcile` themselves. The
 * matrix really calls the tools' `run`, a few times for each position, so they must act on fakes. The script
 * replaces all models, except for an agentic tool's own model.
 *
 * @throws Error if the undisturbed play does not reach its end, or needs a reply that the script does not
 * have.
 * @throws ConfigurationError if a tool group of the agent is unavailable, or two modules share a name.
 *
 * @example
 * ```ts
 * const report = await crashMatrix(clerk(), { steps: [{ send: 'Pay.', replies: ['Paid.'] }] });
 * expect(report.passed).toBe(true);
 * ```
 */
export function crashMatrix<World>(
  agent: (kit: CrashKit<World>) => AgentUnderTest,
  script: CrashScript,
  options: CrashMatrixWorld<World>,
): Promise<CrashReport>;
export function crashMatrix(
  agent: AgentUnderTest | ((kit: CrashKit) => AgentUnderTest),
  script: CrashScript,
  options?: CrashMatrixOptions,
): Promise<CrashReport>;
export async function crashMatrix<World>(
  agent: AgentUnderTest | ((kit: CrashKit<World>) => AgentUnderTest),
  script: CrashScript,
  options: AnyOptions<World> = {},
): Promise<CrashReport> {
  checkScript(script);
  const subject = toSubject(agent, script, options);
  const undisturbed = await UndisturbedPlays.of(subject);
  const { positions, missed } = undisturbed.result;
  if (missed[0]) throw new Error(`The script has no ${missed[0]}.`);
  const { at, mode } = options.only ?? {};
  const disturbances = MODES.filter((one) => mode === undefined || one === mode)
    .flatMap((one) => listDisturbances(positions, one))
    .filter((one) => at === undefined || one.at === at);
  const plays = await mapConcurrently(disturbances, (disturbance) =>
    playAndAssess(subject, undisturbed, disturbance),
  );
  return toCrashReport(positions.length, plays);
}

async function playAndAssess<World>(
  subject: Subject<World>,
  undisturbed: UndisturbedPlays<World>,
  disturbance: Disturbance,
): Promise<DisturbedPlay> {
  const seen = await playDisturbed(subject, createCrashableMemorySession, { disturbances: [disturbance] });
  const expected = await undisturbed.when(collectUnknownCalls(seen.events));
  const isOpen = isOpenEnded(subject.script);
  const position = undisturbed.result.positions[disturbance.at] ?? { side: 'before', operation: 'lease' };
  return {
    disturbance,
    position,
    damage: computeDamage(seen, { expected, modes: [disturbance.mode], isOpen }),
  };
}

type AnyOptions<World> = Omit<CrashMatrixOptions, 'env'> & {
  readonly world?: (() => World) | undefined;
  readonly env?: GivenEnv | ((world: World) => GivenEnv) | undefined;
};

function toSubject<World>(
  agent: AgentUnderTest | ((kit: CrashKit<World>) => AgentUnderTest),
  script: CrashScript,
  options: AnyOptions<World>,
): Subject<World> {
  const { context = {}, secrets, env = {}, prices, principal } = options;
  const getEnv = (world: World): GivenEnv => (typeof env === 'function' ? env(world) : env);
  const make = typeof agent === 'function' ? agent : () => agent;
  const collectModules = (agents: readonly Agent[]) => collectAppModules({ use: options.use, agents });
  const createResolver = (agents: readonly Agent[], inEnv: GivenEnv) => {
    const resolve = createAgentResolver({ modules: collectModules(agents), agents });
    return (one: Agent): Agent => resolve?.(one, { ...inEnv }) ?? one;
  };
  return {
    app(kit, inEnv) {
      const [first, ...others] = toApp(make(kit));
      const resolve = createResolver([first, ...others], inEnv);
      return [resolve(first), ...others.map(resolve)];
    },
    resolve: (one, inEnv) => createResolver([one], inEnv)(one),
    modules: collectModules,
    script,
    reconciles: typeof agent === 'function' ? 'own' : 'simulated',
    world: () => options.world?.() as World, // absent only if `World` is `undefined`
    context: ToolCallContext.of(context),
    env: getEnv,
    principal,
    ...(secrets && { secrets: async (principal) => readSecrets(await secrets(principal)) }),
    prices,
  };
}

const toApp = (agent: AgentUnderTest): App => ('name' in agent ? [agent] : agent);

/** Returns the disturbances of a mode: one for each position at which it has an effect. */
export const listDisturbances = (positions: readonly Position[], mode: Mode): Disturbance[] =>
  positions.flatMap((position, at) => (hasEffectAt(mode, position) ? { at, mode } : []));

/**
 * Plays a subject with disturbances, on a fresh session. If the play ends before all disturbances strike,
 * retries it with earlier positions.
 */
export async function playDisturbed<World>(
  subject: Subject<World>,
  makeSession: () => CrashableSession,
  options: PlayOptions & { readonly disturbances: readonly Disturbance[] },
): Promise<PlayResult> {
  for (let { disturbances } = options; ; disturbances = disturbances.map(moveEarlier)) {
    const seen = await playScript(subject, makeSession(), { ...options, disturbances });
    if (seen.disturbed || seen.broken || disturbances.every(({ at }) => at === 0)) return seen;
  }
}

const moveEarlier = ({ at, mode }: Disturbance): Disturbance => ({ at: Math.floor(at / 2), mode });

/** The number of concurrent plays. Plays mostly wait for the event loop. */
const MAX_CONCURRENT_PLAYS = 48;

/** Runs the work for each item of a list concurrently, and returns the results in order. */
export async function mapConcurrently<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  const left = items.entries();
  const runItems = async (): Promise<void> => {
    for (const [index, item] of left) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_PLAYS }, runItems));
  return done;
}

/** The reference plays of a subject: undisturbed, with or without broken connections. */
export class UndisturbedPlays<World> {
  /** The result of the play without broken connections. */
  readonly result: PlayResult;
  readonly #subject: Subject<World>;
  readonly #known = new Map<string, Promise<PlayResult>>();

  private constructor(subject: Subject<World>, result: PlayResult) {
    this.#subject = subject;
    this.result = result;
    this.#known.set('', Promise.resolve(result));
  }

  /** Plays a subject undisturbed. @throws Error if the play does not reach its end. */
  static async of<World>(subject: Subject<World>): Promise<UndisturbedPlays<World>> {
    const result = await playScript(subject, createCrashableMemorySession());
    const { broken } = result;
    if (broken) {
      const error = findLastToolError(result);
      const why = error === undefined ? '' : ` The last error: ${error}`;
      throw new Error(`The script fails even without a disturbance: ${broken.message}${why}`, {
        cause: broken,
      });
    }
    return new UndisturbedPlays(subject, result);
  }

  /**
   * Plays the subject with broken connections for the calls with these names, so that their outcomes are
   * unknown. The result is the reference for disturbed plays that cut off the same calls.
   */
  when(unknown: Iterable<string>): Promise<PlayResult> {
    const names = [...unknown].toSorted();
    const key = names.join();
    const known = this.#known.get(key);
    if (known) return known;
    const session = createCrashableMemorySession();
    const played = playScript(this.#subject, session, {
      watcher: createBreakingWatcher(new Set(names), session),
    });
    this.#known.set(key, played);
    return played;
  }
}

const createBreakingWatcher = (calls: ReadonlySet<string>, { port }: CrashableSession): Watcher => ({
  async after({ care, call }) {
    if (care !== 'once') return;
    const name = callNames(await readJournal(port)).get(call);
    if (name !== undefined && calls.has(name)) throw new Error('Network connection lost.');
  },
});
