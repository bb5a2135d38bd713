/** Plays forks and retries with one fault at each message to an object, for every kind of fault. */
import type { Strike } from '../machine/network.ts';
import { CALM } from '../machine/network.ts';
import type { PlannedMessage, PlayScript, SessionScript, Storm } from './draw.ts';
import { type Library, type PlayOutcome, play } from './play.ts';

/** The faults of a message, in turn. */
const STRIKE_WAYS: readonly Strike['way'][] = [
  'killed-before',
  'killed-after',
  'lost',
  'unanswered',
  'crash',
];

/** A storm without faults. */
const CALM_STORM: Storm = {
  lasts: 1_000,
  weather: CALM,
  queue: { lost: 0, doubled: 0 },
  kills: 0,
  freezes: 0,
  crashes: 0,
  hibernations: 0,
  deploys: 0,
  lateAlarms: 0,
  clockJump: false,
  modelFaults: 0,
  slowWorld: 0,
};

/** The behavior of a sender that repeats its request until it is answered. */
const BASE_MESSAGE = { way: 'json', keyed: true, copies: 1, verdict: 'approve', whenBusy: 'queue' } as const;

/**
 * Plans a `once` call that takes `before` ms, next to a call that waits for a decision, followed by another
 * call.
 */
function createPlannedMessage(
  name: string,
  before: number,
  more: Partial<PlannedMessage> = {},
): PlannedMessage {
  const toLabel = (place: string): string => `${name}.${place}`;
  return {
    ...BASE_MESSAGE,
    startAfter: 0,
    plan: {
      message: name,
      think: 20,
      steps: [
        [
          { tool: 'once', label: toLabel('1.1'), before, after: 1_500 },
          { tool: 'approved', label: toLabel('1.2'), before: 20, after: 20 },
        ],
        [{ tool: 'once', label: toLabel('2.1'), before: 20, after: 20 }],
      ],
    },
    ...more,
  };
}

const createSessionScript = (name: string, more: Partial<SessionScript>): SessionScript => ({
  name,
  errands: [],
  erasures: [],
  readers: [],
  ...more,
});

/** The scenes to play. */
const SCENES: Readonly<Record<string, SessionScript>> = {
  // The first fork is made while one call runs and another waits. The second is made at the end, and cuts off
  // the effects.
  fork: createSessionScript('s1', {
    errands: [createPlannedMessage('s1m1', 2_500)],
    forks: [1_500, 12_000].map((startAfter, index) => ({
      isNamed: true,
      startAfter,
      cut: 'in-call',
      place: 0.5,
      repeats: 'if-refused',
      copies: 1,
      inside: createSessionScript(`s1f${index + 1}`, {
        errands: [createPlannedMessage(`s1f${index + 1}m1`, 2_500, { startAfter: 15_000 })],
        retries: [{ ...BASE_MESSAGE, name: `s1f${index + 1}r1`, startAfter: 500 }],
      }),
    })),
  }),
  // Retries a turn that was cancelled while one call ran and another waited.
  retry: createSessionScript('s2', {
    errands: [
      createPlannedMessage('s2m1', 8_000, {
        verdict: 'leave',
        cancelAfter: 5_500,
        retry: { ...BASE_MESSAGE, name: 's2m1.r', startAfter: 100, copies: 2 },
      }),
    ],
  }),
};

/** The result of all plays of a scene. */
export interface MatrixReport {
  readonly scene: string;
  readonly messages: number;
  readonly played: number;
  readonly failed: number;
}

/**
 * Plays each scene without faults, and then once for each message with a fault. `isWhole` uses every fault for
 * each message, and otherwise the faults alternate. Prints findings.
 */
export async function playMatrix(
  library: Library,
  { isWhole }: { readonly isWhole: boolean },
  say: (line: string) => void,
): Promise<readonly MatrixReport[]> {
  const reports: MatrixReport[] = [];
  for (const [scene, one] of Object.entries(SCENES)) {
    const script: PlayScript = { leaseMs: 3_000, hasQueue: false, sessions: [one], storm: CALM_STORM };
    const whole = await play(library, { seed: 1, script });
    const { sent } = whole.figures;
    let [played, failed] = [1, reportFindings(scene, whole, say)];
    for (let at = 0; at < sent; at += 1) {
      for (const [index, way] of STRIKE_WAYS.entries()) {
        if (!isWhole && index !== at % STRIKE_WAYS.length) continue;
        const struck = await play(library, { seed: 1, script, strike: { at, way } });
        played += 1;
        failed += reportFindings(`${scene}, ${way} at ${at}`, withDifference(struck, whole), say);
      }
    }
    reports.push({ scene, messages: sent, played, failed });
  }
  return reports;
}

/**
 * Adds a finding if the numbers of forks, retried turns and answered senders differ from the play without
 * faults.
 */
function withDifference(struck: PlayOutcome, whole: PlayOutcome): PlayOutcome {
  const [mine, theirs] = [struck, whole].map(
    ({ figures }) => `${figures.forks} forks, ${figures.retries} retries, ${figures.answered} answers`,
  );
  if (mine === theirs) return struck;
  const finding = { rule: 'differs', where: 'the play', what: `It has ${mine}, and not ${theirs}.` };
  return { ...struck, findings: [...struck.findings, finding] };
}

function reportFindings(name: string, { findings }: PlayOutcome, say: (line: string) => void): number {
  for (const { rule, where, what } of findings) say(`${name}: ${rule}: ${where}: ${what}`);
  return Math.min(1, findings.length);
}
