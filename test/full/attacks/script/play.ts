/** Runs groups of attacks, one attack after another, and checks the invariants after each group. */
import { readFileSync } from 'node:fs';
import { pollUntil } from '../../../../src/examples/demo/ports.ts';
import { type Attack, findDifference, formatValue } from './attack.ts';
import type { Group } from './groups.ts';
import { send } from './http.ts';
import { findBrokenInvariants } from './invariants.ts';
import type { Exchange } from './person.ts';
import { createScene, type Scene, type Stage } from './scene.ts';
import { createVictims, readZetasView, type Victims } from './victims.ts';
import type { Effect } from './world.ts';

/** The result of a group. */
export interface GroupReport {
  readonly name: string;
  readonly tried: number;
  /** The failed attacks, each with its problems. */
  readonly failed: readonly string[];
  /** The names of attacks that are skipped until a feature exists. */
  readonly waiting: readonly string[];
  readonly broken: readonly string[];
  readonly ms: number;
}

/** The inputs of a run of all groups. */
export interface Play {
  readonly stage: Omit<Stage, 'record'>;
  /** The file with the console output of the Worker. */
  readonly logFile: string;
  readonly say: (line: string) => void;
  readonly verbose: boolean;
  /** Runs only attacks whose full names contain one of these texts. Empty runs all attacks. */
  readonly only: readonly string[];
}

/** Creates zeta's data, and then runs the groups. Each group is created when its targets exist. */
export async function playAll(play: Play, groups: readonly Group[]): Promise<readonly GroupReport[]> {
  const exchanges: Exchange[] = [];
  const stage: Stage = { ...play.stage, record: (exchange) => void exchanges.push(exchange) };
  const scene = createScene(stage, 'settling');
  const victims = await createVictims(scene);
  const view = await readZetasView(scene, victims);
  const reports: GroupReport[] = [];
  for (const { name, attacks } of groups) {
    const chosen = attacks(victims).filter((attack) => isChosen(play.only, `${name}: ${attack.name}`));
    if (chosen.length === 0) continue;
    exchanges.length = 0;
    const report = await playGroup(
      { ...play, stage, exchanges },
      { name, attacks: chosen },
      { victims, view },
    );
    reports.push(report);
    play.say(formatLine(report));
    for (const failure of [...report.failed, ...report.broken]) play.say(`  x ${failure}`);
  }
  return reports;
}

const isChosen = (only: readonly string[], name: string): boolean =>
  only.length === 0 || only.some((text) => name.includes(text));

const formatLine = ({ name, tried, failed, waiting, broken, ms }: GroupReport): string =>
  [
    `${name.padEnd(16)} ${String(tried - failed.length).padStart(3)} of ${String(tried).padStart(3)} refused or harmless`,
    `${(ms / 1000).toFixed(1)} s`,
    ...(waiting.length > 0 ? [`${waiting.length} wait for what is not built yet`] : []),
    ...(broken.length > 0 ? [`${broken.length} invariants broken`] : []),
  ].join('; ');

interface RunningPlay extends Omit<Play, 'stage'> {
  readonly stage: Stage;
  readonly exchanges: readonly Exchange[];
}

/** The selected attacks of a group. */
interface ChosenAttacks {
  readonly name: string;
  readonly attacks: readonly Attack[];
}

async function playGroup(
  running: RunningPlay,
  { name, attacks }: ChosenAttacks,
  zeta: { readonly victims: Victims; readonly view: string },
): Promise<GroupReport> {
  const { stage, logFile, exchanges, say, verbose } = running;
  const began = performance.now();
  const before = readFileSync(logFile, 'utf8').length;
  const { model, enemy } = stage;
  const [bodiesBefore, heardBefore, complaintsBefore] = [
    model.bodies.length,
    enemy.heard.length,
    model.complaints.length,
  ];
  const played = attacks.filter(({ waitsFor }) => waitsFor === undefined);
  const failed: string[] = [];
  for (const [index, attack] of played.entries()) {
    const scene = createScene(stage, `${name.replaceAll(/\W+/g, '-')}-${index}`);
    const { wrong, came } = await tryAttack(scene, attack);
    if (verbose) say(`  ${wrong === undefined ? '.' : 'x'} ${attack.name}\n      ${formatValue(came)}`);
    if (wrong !== undefined) failed.push(`${name}: ${attack.name}\n      ${wrong}`);
  }
  await waitForConsole(running, `all of ${name} is written`);
  const happened = {
    exchanges: [...exchanges],
    log: readFileSync(logFile, 'utf8').slice(before),
    logs: played.flatMap(({ logs }) => logs ?? []),
    bodies: model.bodies.slice(bodiesBefore),
    heardBefore,
    complaintsBefore,
  };
  const broken = await findBrokenInvariants(createScene(stage, name), zeta, happened);
  const waiting = attacks.filter(({ waitsFor }) => waitsFor !== undefined).map((attack) => attack.name);
  return { name, tried: played.length, failed, waiting, broken, ms: performance.now() - began };
}

/** Waits until the log contains `mark`. The console output arrives later than the responses. */
async function waitForConsole({ stage, logFile }: RunningPlay, mark: string): Promise<void> {
  await send(stage.origin, { path: '/health', headers: [['x-mark', mark]] });
  await pollUntil(`"${mark}" is on the console`, 10_000, async () =>
    readFileSync(logFile, 'utf8').includes(mark),
  );
}

/** An attack's outcome and its problems. */
interface AttackOutcome {
  readonly wrong: string | undefined;
  readonly came: unknown;
}

/** Returns the problems with an attack's outcome, or with its side effects. */
async function tryAttack(scene: Scene, attack: Attack): Promise<AttackOutcome> {
  const { act, comes, effects = [] } = attack;
  const before = scene.world.effects.length;
  let came: unknown;
  try {
    came = await act(scene);
  } catch (failure) {
    return { wrong: `the attack itself broke: ${failure instanceof Error ? failure.stack : failure}`, came };
  }
  const done = scene.world.effects.slice(before).map(formatEffect);
  const doubled = new Set(scene.world.effects.map(({ key }) => key)).size < scene.world.effects.length;
  if (doubled) return { wrong: 'an effect happened twice under one key', came };
  if (JSON.stringify(done) !== JSON.stringify(effects))
    return {
      wrong: `expected effects ${JSON.stringify(effects)}\n      actual   effects ${JSON.stringify(done)}`,
      came,
    };
  return { wrong: findDifference(came, comes, scene), came };
}

const formatEffect = ({ what, about, tenant }: Effect): string => `${what} ${about} for ${tenant}`;
