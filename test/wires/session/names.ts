/** The sessions of a run, known by their agents: each wire is tried as JSON and as a stream, and killed on either side of an append. */
import { WIRES, type WireName } from './servers.ts';

/** How a client asks for its answers. */
export const MANNERS = ['json', 'stream'] as const;
export type Manner = (typeof MANNERS)[number];

export const SIDES = ['after', 'before'] as const;

/** One session of a run; its agent is there for it alone. */
export interface Session {
  /** Of its agent. */
  readonly name: string;
  readonly wire: WireName;
  readonly manner: Manner;
  /** On which side of an append it is killed. */
  readonly side: (typeof SIDES)[number];
}

export const agentsOf = (wires: readonly WireName[] = WIRES): readonly Session[] =>
  wires.flatMap((wire) =>
    MANNERS.flatMap((manner) =>
      SIDES.map((side) => ({ name: `${wire}-${manner}-${side}`, wire, manner, side })),
    ),
  );
