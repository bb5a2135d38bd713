import type { Talk } from './talk.ts';
import type { Script, World } from './world.ts';

/** A session that is kept as it was stored, and how it came to be so. */
export interface Journal {
  /** Of its agent, and of its files. */
  readonly name: string;
  /** What it is kept for: texts that are in its database. */
  readonly holds: readonly string[];
  /** What the model of its agent says. */
  readonly plays: Script;
  /** Models of agents inside it, by their scenes. */
  readonly inside?: Readonly<Record<string, Script>> | undefined;
  /** Headers of all requests to it: whose it is. */
  readonly as?: Readonly<Record<string, string>> | undefined;
  /** The scene that tells, of a call which was cut off, that it was done. */
  readonly wasDone?: string | undefined;
  /** What came before. The Worker is killed when it resolves, with whatever is held. */
  write(talk: Talk, world: World): Promise<unknown>;
  /** What comes to the Worker that is started next, while the leases of the one that was killed still run. It is killed as well. */
  lastly?(talk: Talk): Promise<unknown>;
  /** What comes two hours later, when it is read. */
  goesOn(talk: Talk): Promise<unknown>;
}
