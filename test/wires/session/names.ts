/**
 * The sessions of a run, identified by their agents. Each wire is tested with JSON and with streams, and is
 * killed before and after appends.
 */
import { WIRES, type WireName } from './servers.ts';

/** The forms in which a client requests answers. */
export const MANNERS = ['json', 'stream'] as const;
export type Manner = (typeof MANNERS)[number];

export const SIDES = ['after', 'before'] as const;

/**
 * How the model of a session changes in its first turn. `fallback`: another model starts, becomes unavailable,
 * and this one takes over. `flap`: this model starts, another one takes over, and this one returns. `upgrade`:
 * an older model of the wire starts, and a deployment replaces it with this one.
 */
export const CHANGES = ['fallback', 'flap', 'upgrade'] as const;
export type Change = (typeof CHANGES)[number];

/** One session of a run. It has its own agent. */
export interface Session {
  /** The name of its agent. */
  readonly name: string;
  readonly wire: WireName;
  /** Absent if one model gives all replies. */
  readonly change?: Change;
  readonly manner: Manner;
  /** Whether it is killed before or after an append. */
  readonly side: (typeof SIDES)[number];
}

/**
 * Returns the sessions of a run. `changes` selects the model changes to play, where `undefined` is no change.
 */
export const listSessions = (
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
