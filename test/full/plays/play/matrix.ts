/** Forks and retries, struck at every message to an object: one by one, and in every way. */
import type { Strike } from '../machine/network.ts';
import { CALM } from '../machine/network.ts';
import type { Errand, PlayScript, SessionScript, Storm } from './draw.ts';
import { type Library, type Played, play } from './play.ts';

/** What strikes a message, in turn. */
const WAYS: readonly Strike['way'][] = ['killed-before', 'killed-after', 'lost', 'unanswered', 'crash'];

/** Nothing happens that is not meant. */
const STILL: Storm = {
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

/** The sender is sure to come again, until there is an answer. */
const SURE = { way: 'json', keyed: true, copies: 1, verdict: 'approve', whenBusy: 'queue' } as const;

/** A call that may run only once, `before` ms long, beside one that waits for a decision; then another one. */
function message(name: string, before: number, more: Partial<Errand> = {}): Errand {
  const label = (place: string): string => `${name}.${place}`;
  return {
    ...SURE,
    startAfter: 0,
    plan: {
      message: name,
      think: 20,
      steps: [
        [
          { tool: 'once', label: label('1.1'), before, after: 1_500 },
          { tool: 'approved', label: label('1.2'), before: 20, after: 20 },
        ],
        [{ tool: 'once', label: label('2.1'), before: 20, after: 20 }],
      ],
    },
    ...more,
  };
}

const session = (name: string, more: Partial<SessionScript>): SessionScript => ({
  name,
  errands: [],
  erasures: [],
  readers: [],
  ...more,
});

/** What is played. */
const SCENES: Readonly<Record<string, SessionScript>> = {
  // Once while a call runs and another one waits, and once when all is over: its effects are left out.
  fork: session('s1', {
    errands: [message('s1m1', 2_500)],
    forks: [1_500, 12_000].map((startAfter, index) => ({
      isNamed: true,
      startAfter,
      cut: 'in-call',
      place: 0.5,
      repeats: 'if-refused',
      copies: 1,
      inside: session(`s1f${index + 1}`, {
        errands: [message(`s1f${index + 1}m1`, 2_500, { startAfter: 15_000 })],
        retries: [{ ...SURE, name: `s1f${index + 1}r1`, startAfter: 500 }],
      }),
    })),
  }),
  // Of a turn that was cancelled while a call ran and another one waited.
  retry: session('s2', {
    errands: [
      message('s2m1', 8_000, {
        verdict: 'leave',
        cancelAfter: 5_500,
        retry: { ...SURE, name: 's2m1.r', startAfter: 100, copies: 2 },
      }),
    ],
  }),
};

/** What came of all plays of a scene. */
export interface MatrixReport {
  readonly scene: string;
  readonly messages: number;
  readonly played: number;
  readonly failed: number;
}

/**
 * Plays each scene undisturbed, and then once for each message and, of all ways in which it may be struck, for each or for one in turn.
 * Findings are said in lines.
 */
export async function playMatrix(
  library: Library,
  { isWhole }: { readonly isWhole: boolean },
  say: (line: string) => void,
): Promise<readonly MatrixReport[]> {
  const reports: MatrixReport[] = [];
  for (const [scene, one] of Object.entries(SCENES)) {
    const script: PlayScript = { leaseMs: 3_000, hasQueue: false, sessions: [one], storm: STILL };
    const whole = await play(library, { seed: 1, script });
    const { sent } = whole.figures;
    let [played, failed] = [1, told(scene, whole, say)];
    for (let at = 0; at < sent; at += 1) {
      for (const [index, way] of WAYS.entries()) {
        if (!isWhole && index !== at % WAYS.length) continue;
        const struck = await play(library, { seed: 1, script, strike: { at, way } });
        played += 1;
        failed += told(`${scene}, ${way} at ${at}`, differing(struck, whole), say);
      }
    }
    reports.push({ scene, messages: sent, played, failed });
  }
  return reports;
}

/** As many forks are made, turns retried and senders answered, as if nothing had struck. */
function differing(struck: Played, whole: Played): Played {
  const [mine, theirs] = [struck, whole].map(
    ({ figures }) => `${figures.forks} forks, ${figures.retries} retries, ${figures.answered} answers`,
  );
  if (mine === theirs) return struck;
  const finding = { rule: 'differs', where: 'the play', what: `It has ${mine}, and not ${theirs}.` };
  return { ...struck, findings: [...struck.findings, finding] };
}

function told(name: string, { findings }: Played, say: (line: string) => void): number {
  for (const { rule, where, what } of findings) say(`${name}: ${rule}: ${where}: ${what}`);
  return Math.min(1, findings.length);
}
