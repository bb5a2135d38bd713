import type { Talk } from './talk.ts';
import type { Script, World } from './world.ts';

/** A stored session, and the script that produces it. */
export interface Journal {
  /** The name of its agent and of its files. */
  readonly name: string;
  /** Texts that its database must contain, which show that it covers a feature. */
  readonly holds: readonly string[];
  /** The script of its agent's model. */
  readonly plays: Script;
  /** The scripts of nested agents, by scene. */
  readonly inside?: Readonly<Record<string, Script>> | undefined;
  /** The headers of all its requests, which set its owner. */
  readonly as?: Readonly<Record<string, string>> | undefined;
  /** The scene whose tools report an interrupted call as done. */
  readonly reportsDone?: string | undefined;
  /** Creates the session. When this resolves, the Worker is killed while all held requests are still open. */
  write(talk: Talk, world: World): Promise<unknown>;
  /**
   * Sends requests to the next Worker while the leases of the killed one are still running. This Worker is also
   * killed.
   */
  lastly?(talk: Talk): Promise<unknown>;
  /** Continues the session two hours later, after it was read. */
  continueSession(talk: Talk): Promise<unknown>;
}
