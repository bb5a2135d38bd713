import type { Talk } from './talk.ts';
import type { Script, World } from './world.ts';

/** A stored session, and the script that produces it. */
export interface Journal {
  /** The name of its agent and of its files. */
  readonly name: string;
  /** The features that it covers: texts that its database must contain. */
  readonly holds: readonly string[];
  /** The script of its agent's model. */
  readonly plays: Script;
  /** The scripts of nested agents, by scene. */
  readonly inside?: Readonly<Record<string, Script>> | undefined;
  /** Headers of all its requests, which set its owner. */
  readonly as?: Readonly<Record<string, string>> | undefined;
  /** The scene that reports an interrupted call as done. */
  readonly wasDone?: string | undefined;
  /** Creates the session. The Worker is killed when this resolves, with all held requests. */
  write(talk: Talk, world: World): Promise<unknown>;
  /**
   * Sends requests to the next Worker while the leases of the killed one are still running. This Worker is also
   * killed.
   */
  lastly?(talk: Talk): Promise<unknown>;
  /** Continues the session two hours later, when it is read. */
  goesOn(talk: Talk): Promise<unknown>;
}
