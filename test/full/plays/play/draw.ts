import type { Plan, PlannedCall, Steps, ToolName } from '../app/plan.ts';
import type { Weather } from '../machine/network.ts';
import type { QueueWeather } from '../machine/platform.ts';
import type { Draw } from '../machine/simulation.ts';
import type { ForkErrand, RetryErrand } from './draw-forks.ts';

/** A message, and the behavior of its sender. All times are in ms. */
export interface PlannedMessage {
  readonly plan: Plan;
  readonly way: 'json' | 'stream' | 'background';
  /**
   * If `true`, the message has an `Idempotency-Key` and is repeated until it is answered. Otherwise, it is
   * repeated only after a refusal.
   */
  readonly keyed: boolean;
  readonly whenBusy: 'reject' | 'queue' | 'steer';
  /** The number of identical requests that are sent at the same time. */
  readonly copies: number;
  readonly startAfter: number;
  readonly hangUpAfter?: number | undefined;
  readonly cancelAfter?: number | undefined;
  readonly delaySeconds?: number | undefined;
  /** The decision about pending calls. `leave` lets them expire. */
  readonly verdict: 'approve' | 'reject' | 'leave' | 'exit';
  /** The retry that the sender requests if the turn has no answer. */
  readonly retry?: RetryErrand | undefined;
}

/** The actions on a session. */
export interface SessionScript {
  readonly name: string;
  readonly errands: readonly PlannedMessage[];
  /** The times of its erasures. */
  readonly erasures: readonly number[];
  /** The times at which clients read its event stream. */
  readonly readers: readonly { readonly from: number; readonly to: number }[];
  readonly forks?: readonly ForkErrand[] | undefined;
  readonly retries?: readonly RetryErrand[] | undefined;
}

/** The intensity of the faults. Rates are per minute. */
export interface Storm {
  readonly lasts: number;
  readonly weather: Weather;
  readonly queue: QueueWeather;
  readonly kills: number;
  readonly freezes: number;
  readonly crashes: number;
  readonly hibernations: number;
  readonly deploys: number;
  /** The probability that an alarm is late by minutes. */
  readonly lateAlarms: number;
  /** If `true`, the clocks of restarted objects are minutes behind after the first crash. */
  readonly clockJump: boolean;
  /** The probability that a model request fails. */
  readonly modelFaults: number;
  /** The probability that a request to the external world is delayed for a long time. */
  readonly slowWorld: number;
}

/** All random decisions that are made before a play starts. */
export interface PlayScript {
  readonly leaseMs: number;
  readonly hasQueue: boolean;
  readonly sessions: readonly SessionScript[];
  readonly storm: Storm;
}

export function drawPlay(draw: Draw): PlayScript {
  const sessions = draw.oneOf([1, 1, 1, 2]);
  const lasts = draw.between(20_000, 150_000);
  return {
    leaseMs: draw.oneOf([3_000, 8_000, 20_000]),
    hasQueue: draw.happens(0.3),
    sessions: Array.from({ length: sessions }, (_, index) => drawSession(draw, `s${index + 1}`, lasts)),
    storm: drawStorm(draw, lasts),
  };
}

function drawStorm(draw: Draw, lasts: number): Storm {
  const rough = draw.oneOf([0, 1, 1, 1, 3]);
  const drawAmount = (probability: number, most: number): number =>
    draw.happens(probability) ? (rough * most * draw.between(1, 10)) / 10 : 0;
  return {
    lasts,
    weather: {
      lost: drawAmount(0.5, 0.05),
      unanswered: drawAmount(0.5, 0.05),
      overloaded: drawAmount(0.2, 0.03),
      slow: drawAmount(0.4, 0.04),
      crash: drawAmount(0.4, 0.03),
    },
    queue: { lost: drawAmount(0.5, 0.2), doubled: drawAmount(0.5, 0.2) },
    kills: drawAmount(0.6, 4),
    freezes: drawAmount(0.5, 3),
    crashes: drawAmount(0.5, 3),
    hibernations: drawAmount(0.3, 3),
    deploys: drawAmount(0.4, 1.5),
    lateAlarms: drawAmount(0.15, 0.1),
    clockJump: draw.happens(0.1),
    modelFaults: drawAmount(0.3, 0.06),
    slowWorld: drawAmount(0.3, 0.1),
  };
}

function drawSession(draw: Draw, name: string, lasts: number): SessionScript {
  const count = draw.between(1, 7);
  const errands = Array.from({ length: count }, (_, index) =>
    drawErrand(draw, `${name}m${index + 1}`, lasts),
  );
  const isErased = draw.happens(0.15);
  const readers = Array.from({ length: draw.oneOf([0, 0, 1, 2]) }, () => {
    const from = draw.between(0, lasts);
    return { from, to: from + draw.between(1_000, lasts) };
  });
  return {
    name,
    errands,
    erasures: isErased ? Array.from({ length: draw.between(1, 2) }, () => draw.between(1_000, lasts)) : [],
    readers,
  };
}

export function drawErrand(draw: Draw, message: string, lasts: number): PlannedMessage {
  const keyed = draw.happens(0.9);
  const whenBusy = draw.oneOf(['reject', 'queue', 'queue', 'steer'] as const);
  const oddity = draw.between(1, 14);
  const hangUpAfter = draw.between(20, 8_000);
  const cancelAfter = draw.between(0, 15_000);
  const steers = whenBusy === 'steer';
  return {
    plan: drawPlan(draw, message, steers ? SIMPLE_TOOLS : ALL_TOOLS),
    way: draw.oneOf(['json', 'stream', 'background'] as const),
    keyed,
    whenBusy,
    copies: keyed && oddity <= 2 ? 2 : 1,
    startAfter: draw.between(0, lasts),
    verdict: draw.oneOf(['approve', 'approve', 'approve', 'reject', 'leave', 'exit'] as const),
    ...(keyed && oddity >= 2 && oddity <= 4 && { hangUpAfter }),
    ...((oddity === 5 || oddity === 6) && { cancelAfter }),
    ...(oddity === 7 && !steers && { delaySeconds: draw.between(1, 60) }),
  };
}

const SIMPLE_TOOLS: readonly ToolName[] = [
  'read',
  'idempotent',
  'once',
  'once',
  'reconciled',
  'reconciled',
  'approved',
  'tally',
];
const ALL_TOOLS: readonly ToolName[] = [
  ...SIMPLE_TOOLS,
  ...SIMPLE_TOOLS,
  'fails',
  'manual',
  'later',
  'legacy',
  'work',
  'work',
  'order',
  'recipe',
  'desk',
];

function drawPlan(draw: Draw, message: string, tools: readonly ToolName[]): Plan {
  const steps = drawSteps(draw, message, tools);
  return {
    message,
    ...(tools === SIMPLE_TOOLS && { steers: true }),
    think: draw.oneOf([20, 200, 1_500, 6_000]),
    steps,
  };
}

function drawSteps(draw: Draw, message: string, tools: readonly ToolName[]): Steps {
  let hasDesk = false;
  return Array.from({ length: draw.between(1, 4) }, (_, step) => {
    const calls = Array.from({ length: draw.oneOf([1, 1, 2, 3]) }, (_, index) => {
      const tool = draw.oneOf(tools);
      return drawCall(
        draw,
        `${message}.${step + 1}.${index + 1}`,
        hasDesk && tool === 'desk' ? 'once' : tool,
      );
    });
    const [desk] = calls.filter(({ tool }) => tool === 'desk');
    if (!desk || hasDesk) return [calls];
    hasDesk = true;
    const behind: ToolName = draw.oneOf(['filed', 'noted']);
    return [[desk], [drawCall(draw, `${desk.label}.b`, behind)]];
  }).flat();
}

function drawCall(draw: Draw, label: string, tool: ToolName): PlannedCall {
  const call = {
    tool,
    label,
    before: Math.max(0, draw.between(-2_000, 4_000)),
    after: Math.max(0, draw.between(-500, 2_000)),
  };
  const drawInnerCall = (name: ToolName, suffix: string): PlannedCall =>
    drawCall(draw, `${label}.${suffix}`, name);
  switch (tool) {
    case 'work':
      return { ...call, steps: drawSteps(draw, label, SIMPLE_TOOLS) };
    case 'order':
      return { ...call, steps: [[drawInnerCall('confirm', 'c')], [drawInnerCall('ship', 's')]] };
    case 'recipe':
      return { ...call, steps: [[drawInnerCall('prepare', 'p')], [drawInnerCall('finish', 'f')]] };
    case 'later':
      return {
        ...call,
        delaySeconds: draw.between(0, 120),
        plan: {
          message: `${label}.later`,
          think: 50,
          steps: [[drawInnerCall(draw.oneOf(['once', 'idempotent', 'tally'] as const), 'l')]],
        },
      };
    default:
      return call;
  }
}
