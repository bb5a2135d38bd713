/** The sessions of a run, known by their agents: each wire is tried as JSON and as a stream, and killed on either side of an append. */
import { WIRES, type WireName } from './servers.ts';

/** How a client asks for its answers. */
export const MANNERS = ['json', 'stream'] as const;
export type Manner = (typeof MANNERS)[number];

export const SIDES = ['after', 'before'] as const;

/**
 * How the models of a session change in its first turn: `fallback`: another one begins, and this one takes over once that is gone.
 * `flap`: this one begins, another one takes over, and this one returns. `upgrade`: an older model of this wire begins, and a deploy
 * brings this one.
 */
export const CHANGES = ['fallback', 'flap', 'upgrade'] as const;
export type Change = (typeof CHANGES)[number];

/** One session of a run; its agent is there for it alone. */
export interface Session {
  /** Of its agent. */
  readonly name: string;
  readonly wire: WireName;
  /** Absent: one model answers all. */
  readonly change?: Change;
  readonly manner: Manner;
  /** On which side of an append it is killed. */
  readonly side: (typeof SIDES)[number];
}

/** The sessions of a run; `changes`: those of them that are played, where `undefined` stands for none. */
export const agentsOf = (
  wires: readonly WireName[] = WIRES,
  changes: readonly (Change | undefined)[] = [undefined, ...CHANGES],
): readonly Session[] =>
  wires.flatMap((wire) =>
    changes.flatMap((change) =>
      MANNERS.flatMap((manner) =>
        SIDES.map((side) => ({
          name: [wire, change, manner, side].filter((word) => word !== undefined).join('-'),
          wire,
          ...(change && { change }),
          manner,
          side,
        })),
      ),
    ),
  );
