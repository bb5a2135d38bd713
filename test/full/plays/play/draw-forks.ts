/**
 * The actions of users on sessions in addition to messages: forks and retries. They use a separate source of
 * random values.
 */
import type { Draw } from '../machine/simulation.ts';
import { drawErrand, type PlannedMessage, type PlayScript, type SessionScript } from './draw.ts';

/** A fork of a session, and the actions in it. All times are in ms. */
export interface ForkErrand {
  /**
   * If `true`, the request names the fork and is repeated until the fork exists. Otherwise, the session chooses
   * the name.
   */
  readonly isNamed: boolean;
  readonly startAfter: number;
  /**
   * The position of the cut. `head` omits the position, `anywhere` is after any event, `in-call` is inside an
   * earlier call, and `live` is inside the next call that is seen to start or wait.
   */
  readonly cut: 'head' | 'anywhere' | 'in-call' | 'live';
  /** Selects one of the events, from 0 to 1. */
  readonly place: number;
  /** When the request allows the fork to repeat effects. */
  readonly repeats: 'never' | 'if-refused' | 'at-once';
  /** The number of identical requests that are sent at the same time. */
  readonly copies: number;
  readonly hangUpAfter?: number | undefined;
  /** The actions in the fork after its creation. The names of its messages begin with its name. */
  readonly inside: SessionScript;
}

/** A retry. It has the fields of a message without a plan. */
export type RetryErrand = Pick<
  PlannedMessage,
  'way' | 'keyed' | 'copies' | 'startAfter' | 'hangUpAfter' | 'verdict'
> & {
  /** Unique in a play. */
  readonly name: string;
};

/** Adds forks and retries to some plays. All other plays stay unchanged. */
export function withForks(draw: Draw, script: PlayScript): PlayScript {
  if (!draw.happens(0.4)) return script;
  const { lasts } = script.storm;
  return {
    ...script,
    sessions: script.sessions.map((session) => withBoth(draw, session, { lasts, depth: 0 })),
  };
}

interface Range {
  /** The last time at which an action can start, in ms. */
  readonly lasts: number;
  /** The number of enclosing forks. */
  readonly depth: number;
}

function withBoth(draw: Draw, session: SessionScript, { lasts, depth }: Range): SessionScript {
  const { name } = session;
  // Close to a message, so that a turn is probably open.
  const drawNearbyTime = (): number => draw.oneOf(session.errands).startAfter + draw.between(0, 15_000);
  const errands = session.errands.map((errand): PlannedMessage => {
    const cancelAfter = draw.between(0, 12_000);
    const isCancelled = draw.happens(0.25);
    const retry = drawRetry(draw, `${errand.plan.message}.r`, draw.between(0, 5_000));
    return {
      ...errand,
      ...(isCancelled && errand.cancelAfter === undefined && { cancelAfter }),
      ...(draw.happens(0.6) && { retry }),
    };
  });
  const most = depth === 0 ? 3 : 1;
  const forks = draw.happens(depth === 0 ? 0.9 : 0.3) ? draw.between(1, most) : 0;
  return {
    ...session,
    errands,
    retries: Array.from({ length: draw.oneOf([0, 1, 2]) }, (_, index) =>
      drawRetry(draw, `${name}r${index + 1}`, drawNearbyTime()),
    ),
    forks: Array.from({ length: forks }, (_, index) => {
      const inside = drawInside(draw, `${name}f${index + 1}`, depth);
      return drawFork(draw, withBoth(draw, inside, { lasts, depth: depth + 1 }), drawNearbyTime());
    }),
  };
}

function drawFork(draw: Draw, inside: SessionScript, startAfter: number): ForkErrand {
  const isNamed = draw.happens(0.8);
  const oddity = draw.between(1, 6);
  const hangUpAfter = draw.between(5, 400);
  return {
    isNamed,
    startAfter,
    cut: draw.oneOf(['head', 'anywhere', 'in-call', 'live', 'live']),
    place: draw.fraction(),
    repeats: draw.oneOf(['never', 'if-refused', 'if-refused', 'at-once']),
    copies: isNamed && oddity <= 2 ? 2 : 1,
    ...(isNamed && oddity >= 2 && oddity <= 3 && { hangUpAfter }),
    inside,
  };
}

function drawInside(draw: Draw, name: string, depth: number): SessionScript {
  const lasts = 20_000;
  const errands = Array.from({ length: draw.between(1, depth === 0 ? 2 : 1) }, (_, index) =>
    drawErrand(draw, `${name}m${index + 1}`, lasts),
  );
  const readers = Array.from({ length: draw.oneOf([0, 0, 1]) }, () => ({ from: 0, to: 60_000 }));
  return { name, errands, readers, erasures: [] };
}

function drawRetry(draw: Draw, name: string, startAfter: number): RetryErrand {
  const keyed = draw.happens(0.6);
  const isHungUp = draw.happens(0.2);
  const hangUpAfter = draw.between(20, 6_000);
  return {
    name,
    startAfter,
    keyed,
    way: draw.oneOf(['json', 'stream', 'background']),
    copies: draw.happens(0.3) ? 2 : 1,
    verdict: draw.oneOf(['approve', 'approve', 'reject', 'leave']),
    ...(keyed && isHungUp && { hangUpAfter }),
  };
}
