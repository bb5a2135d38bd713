/** What users do to sessions beside sending messages: forks, and retries. Drawn from a stream of their own. */
import type { Draw } from '../machine/simulation.ts';
import { drawErrand, type Errand, type PlayScript, type SessionScript } from './draw.ts';

/** A fork that somebody makes of a session, and what is done in it. All times in ms. */
export interface ForkErrand {
  /** With `isNamed` the id of the fork, which is asked for until it is there. Else the session names it. */
  readonly isNamed: boolean;
  readonly startAfter: number;
  /**
   * Where the session is cut: behind its last event, which the request does not name; behind an event anywhere; or in the middle of a
   * call: one of the past, or the next that somebody sees start or wait.
   */
  readonly cut: 'head' | 'anywhere' | 'in-call' | 'live';
  /** From 0 to 1: which of the events. */
  readonly place: number;
  /** When effects may be repeated. */
  readonly repeats: 'never' | 'if-refused' | 'at-once';
  /** Requests that ask for it at the same time. */
  readonly copies: number;
  readonly hangUpAfter?: number | undefined;
  /** What is done in the fork once it is there. Its name begins the names of all its messages. */
  readonly inside: SessionScript;
}

/** A retry, as a message without a plan. */
export type RetryErrand = Pick<
  Errand,
  'way' | 'keyed' | 'copies' | 'startAfter' | 'hangUpAfter' | 'verdict'
> & {
  /** Unique in a play. */
  readonly name: string;
};

/** Some of all plays have forks and retries; the others stay what they are without. */
export function withForks(draw: Draw, script: PlayScript): PlayScript {
  if (!draw.happens(0.4)) return script;
  const { lasts } = script.storm;
  return {
    ...script,
    sessions: script.sessions.map((session) => withBoth(draw, session, { lasts, depth: 0 })),
  };
}

interface Range {
  /** Until when something begins, in ms. */
  readonly lasts: number;
  /** How many forks are around. */
  readonly depth: number;
}

function withBoth(draw: Draw, session: SessionScript, { lasts, depth }: Range): SessionScript {
  const { name } = session;
  // Near a message, so that a turn is likely to be open.
  const near = (): number => draw.oneOf(session.errands).startAfter + draw.between(0, 15_000);
  const errands = session.errands.map((errand): Errand => {
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
      drawRetry(draw, `${name}r${index + 1}`, near()),
    ),
    forks: Array.from({ length: forks }, (_, index) => {
      const inside = drawInside(draw, `${name}f${index + 1}`, depth);
      return drawFork(draw, withBoth(draw, inside, { lasts, depth: depth + 1 }), near());
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
