import type { Agent } from '../../agent/define-agent.ts';
import { agentResolver, appModules } from '../../agent/resolve-agent.ts';
import type { Prices } from '../../model/prices.ts';
import { readSecrets } from '../../session/read-secrets.ts';
import { readJournal } from '../../session/read-session.ts';
import type { GivenEnv } from '../../tool/env.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { TestSessionOptions } from '../test-session.ts';
import { type CrashReport, type DisturbedPlay, toCrashReport } from './crash-report.ts';
import { type CrashableSession, crashableMemorySession } from './crashable-session.ts';
import { callNames, damageOf, lastToolError, unknownIn } from './damage.ts';
import { type Disturbance, isFor, MODES, type Mode, type Position } from './disturbances.ts';
import type { CrashKit, Watcher } from './effects.ts';
import { type PlayOptions, type PlayResult, playScript } from './play-script.ts';
import { type App, type CrashScript, checkScript, isOpenEnded, type Subject } from './script.ts';

/** The agent that is talked to, with the others of its app if it hands work to them by name. */
export type AgentUnderTest = Agent | readonly [Agent, ...Agent[]];

/** What turns of the agent need beside a script, and which of the plays are played. */
export interface CrashMatrixOptions
  extends Pick<TestSessionOptions, 'context' | 'secrets' | 'use' | 'principal'> {
  /**
   * The Worker's vars, secrets and bindings, or what stands in for those that are used. A function makes them of the world, once a play: what
   * one play leaves in them, no other finds.
   */
  readonly env?: GivenEnv | ((world: undefined) => GivenEnv) | undefined;
  /** For agents with a limit on cost that have no model of their own. */
  readonly prices?: Prices | undefined;
  /** Plays these alone: one position of a failure, one mode, or both. */
  readonly only?: { readonly at?: number | undefined; readonly mode?: Mode | undefined } | undefined;
}

/** What turns need beside a script, and which of the plays are played, of an agent that is made in a world outside. */
export interface CrashMatrixWorld<World> extends Omit<CrashMatrixOptions, 'env'> {
  /** Makes what outlives a crash: fakes of whatever the tools act on. Called once a play. */
  readonly world: () => World;
  /** As in `CrashMatrixOptions`; a function is given the world of the play. */
  readonly env?: GivenEnv | ((world: NoInfer<World>) => GivenEnv) | undefined;
}

/**
 * Finds out whether a crash at any point loses a message or doubles an effect. Plays the script once undisturbed; then once
 * for every position (before and after each lease, append, renewal, model call and tool run) and every disturbance there:
 * the session is folded anew, an acknowledgement is lost, the object restarts, the invocation rejects or hangs from there
 * on, or goes on as a zombie while another has taken the turn over. Deterministic, and in memory.
 *
 * An agent that is given as it is, is counted by the runs of its tools, and a tool that declares `reconcile` is answered
 * from what was seen of them. A function makes it anew for every invocation, as a new isolate would; its tools may report
 * what their receivers see with `kit.effect`, and answer `reconcile` themselves. The tools' `run`s are really run, a few
 * times a position: what they act on must be a fake. All agents speak by the script, whatever their models; only a model
 * that an agentic tool has of its own is asked.
 *
 * @throws Error when the undisturbed play cannot be played to its end, or asks for a reply that the script does not have.
 *   ConfigurationError when a tool group that the agent asks for is not to be had, or two modules share a name.
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
  const undisturbed = await Undisturbed.of(subject);
  const { positions, missed } = undisturbed.result;
  if (missed[0]) throw new Error(`The model was asked for what the script does not have: ${missed[0]}.`);
  const { at, mode } = options.only ?? {};
  const disturbances = MODES.filter((one) => mode === undefined || one === mode)
    .flatMap((one) => disturbancesAt(positions, one))
    .filter((one) => at === undefined || one.at === at);
  const plays = await manyAtOnce(disturbances, (disturbance) => disturbed(subject, undisturbed, disturbance));
  return toCrashReport(positions.length, plays);
}

async function disturbed<World>(
  subject: Subject<World>,
  undisturbed: Undisturbed<World>,
  disturbance: Disturbance,
): Promise<DisturbedPlay> {
  const seen = await playDisturbed(subject, crashableMemorySession, { disturbances: [disturbance] });
  const expected = await undisturbed.when(unknownIn(seen.events));
  const isOpen = isOpenEnded(subject.script);
  const position = undisturbed.result.positions[disturbance.at] ?? { side: 'before', operation: 'lease' };
  return { disturbance, position, damage: damageOf(seen, { expected, modes: [disturbance.mode], isOpen }) };
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
  const envOf = (world: World): GivenEnv => (typeof env === 'function' ? env(world) : env);
  const make = typeof agent === 'function' ? agent : () => agent;
  const modules = (agents: readonly Agent[]) => appModules({ use: options.use, agents });
  const resolvingIn = (agents: readonly Agent[], inEnv: GivenEnv) => {
    const resolve = agentResolver({ modules: modules(agents), agents });
    return (one: Agent): Agent => resolve?.(one, { ...inEnv }) ?? one;
  };
  return {
    app(kit, inEnv) {
      const [first, ...others] = listOf(make(kit));
      const resolve = resolvingIn([first, ...others], inEnv);
      return [resolve(first), ...others.map(resolve)];
    },
    resolve: (one, inEnv) => resolvingIn([one], inEnv)(one),
    modules,
    script,
    reconciles: typeof agent === 'function' ? 'own' : 'simulated',
    world: () => options.world?.() as World, // absent only where the kit's world is `undefined`
    context: ToolCallContext.of(context),
    env: envOf,
    principal,
    ...(secrets && { secrets: async (principal) => readSecrets(await secrets(principal)) }),
    prices,
  };
}

const listOf = (agent: AgentUnderTest): App => ('name' in agent ? [agent] : agent);

/** A disturbance of this mode at each position where it does something of its own. */
export const disturbancesAt = (positions: readonly Position[], mode: Mode): Disturbance[] =>
  positions.flatMap((position, at) => (isFor(mode, position) ? { at, mode } : []));

/** Plays it disturbed, on a fresh session. One that is over before its disturbances is played again with earlier ones. */
export async function playDisturbed<World>(
  subject: Subject<World>,
  makeSession: () => CrashableSession,
  options: PlayOptions & { readonly disturbances: readonly Disturbance[] },
): Promise<PlayResult> {
  for (let { disturbances } = options; ; disturbances = disturbances.map(earlier)) {
    const seen = await playScript(subject, makeSession(), { ...options, disturbances });
    if (seen.disturbed || seen.broken || disturbances.every(({ at }) => at === 0)) return seen;
  }
}

const earlier = ({ at, mode }: Disturbance): Disturbance => ({ at: Math.floor(at / 2), mode });

/** How many plays are under way at once: they wait for the event loop more than they compute. */
const AT_ONCE = 48;

/** Does the work for each of a list, many at once, and answers in order. */
export async function manyAtOnce<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  const left = items.entries();
  const next = async (): Promise<void> => {
    for (const [index, item] of left) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return done;
}

/** How a subject goes when nothing disturbs it, but for connections that break. */
export class Undisturbed<World> {
  /** What came of the play in which no connection breaks. */
  readonly result: PlayResult;
  readonly #subject: Subject<World>;
  readonly #known = new Map<string, Promise<PlayResult>>();

  private constructor(subject: Subject<World>, result: PlayResult) {
    this.#subject = subject;
    this.result = result;
    this.#known.set('', Promise.resolve(result));
  }

  /** @throws Error when it cannot be played to its end. */
  static async of<World>(subject: Subject<World>): Promise<Undisturbed<World>> {
    const result = await playScript(subject, crashableMemorySession());
    const { broken } = result;
    if (broken) {
      const error = lastToolError(result);
      const why = error === undefined ? '' : ` The last error: ${error}`;
      throw new Error(`The script cannot be played undisturbed: ${broken.message}${why}`, { cause: broken });
    }
    return new Undisturbed(subject, result);
  }

  /**
   * Plays the subject so that nobody knows the outcomes of these calls, which are given by their names: their connections break
   * after they have run. A disturbed play in which they were cut off is compared with this one, since it goes on as this does.
   */
  when(unknown: Iterable<string>): Promise<PlayResult> {
    const names = [...unknown].toSorted();
    const key = names.join();
    const known = this.#known.get(key);
    if (known) return known;
    const session = crashableMemorySession();
    const played = playScript(this.#subject, session, { watcher: breaking(new Set(names), session) });
    this.#known.set(key, played);
    return played;
  }
}

const breaking = (calls: ReadonlySet<string>, { port }: CrashableSession): Watcher => ({
  async after({ care, call }) {
    if (care !== 'once') return;
    const name = callNames(await readJournal(port)).get(call);
    if (name !== undefined && calls.has(name)) throw new Error('Network connection lost.');
  },
});
