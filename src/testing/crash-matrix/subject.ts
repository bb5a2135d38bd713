import type { Agent } from '../../agent/define-agent.ts';
import type { ToolKinds } from '../../built-in-kinds.ts';
import type { Principal } from '../../journal/events.ts';
import type { Prices } from '../../model/prices.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { ToolCallContext } from '../../tool/tool-call-context.ts';
import type { CrashKit } from './effects.ts';
import type { CrashScript } from './script.ts';

/** The agent that is talked to, and the others of its app. */
export type App = readonly [Agent, ...Agent[]];

/** What a crash matrix is about: agents, and what is said to the first of them. */
export interface Subject<World = unknown> {
  /** Made anew for every invocation, as code is; with their tool groups. */
  app(kit: CrashKit<World>): App;
  /** Gives tool groups to an agent that others bring along; as it is unless given. */
  resolve?(agent: Agent): Agent;
  /** Of the app; the library's own unless given. */
  readonly kinds?: ToolKinds | undefined;
  readonly script: CrashScript;
  /** Who answers what became of a run that was cut off: the tools, or whoever saw them run. */
  readonly reconciles: 'own' | 'simulated';
  /** Made anew for every play. */
  world(): World;
  /** Of every message. */
  readonly context?: ToolCallContext | undefined;
  readonly secrets?: ((principal: Principal) => Secrets | Promise<Secrets>) | undefined;
  /** Of models, for agents with a cost limit whose own has none. */
  readonly prices?: Prices | undefined;
}
