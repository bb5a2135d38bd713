/**
 * `npm run demo`shows four kills, then a tour of the example agents. It needs no API key and no network. A
 * separate process counts the effects, so the result does not depend on the journal. The last line compares
 * actual and expected effects, and the exit code reports success. `-- --fast` prints without pauses.
 */
import { join } from 'node:path';
import { openSession } from './client.ts';
import { countEffects, type Effect, type Execution } from './counted-effects.ts';
import { ensureDevVars } from './dev-vars.ts';
import { getServiceName } from './github-world.ts';
import { startHeldModel } from './held-model.ts';
import { kills } from './kills.ts';
import { findFreePort } from './ports.ts';
import { countUnknownOutcomes, runKill } from './run-kill.ts';
import { say } from './say.ts';
import { serveFolder } from './served-folder.ts';
import { Stage } from './stage.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { applyStyle } from './timeline.ts';
import { runTour, tourEffects } from './tour.ts';
import { root } from './worker-process.ts';

const directory = createTemporaryDirectory('holdfast-demo-');

const began = performance.now();

// For a later `wrangler dev`. The demo's own Workers read another file.
const devVars = ensureDevVars(root);
if (devVars !== undefined) console.log(devVars);

async function runDemo(): Promise<boolean> {
  const effects = await countEffects(join(directory, 'effects.jsonl'));
  const model = await startHeldModel(new Map(kills.map(({ message, replies }) => [message, replies])));
  const stage = new Stage({ effects, port: await findFreePort(), directory });
  await say(
    'A Worker runs on this machine. It refunds orders, ships and writes mails, and dies in the middle of it, four times.',
  );
  await say('A process of its own counts what really happens.');
  await stage.start({ MODEL: 'scripted', OPENAI_BASE_URL: model.baseURL });
  let failures = 0;
  for (const [index, kill] of kills.entries()) {
    await printHeading(`Kill ${index + 1} of ${kills.length}: ${kill.title}`);
    try {
      await runKill(stage, model, kill);
    } catch (error) {
      failures += 1;
      console.error(error, `\n${stage.log}`);
      await stage.end('kill');
      await stage.start();
    }
  }
  const journals = await Promise.all(kills.map(({ session }) => openSession(stage.url, session).events()));
  await stage.end('stop');
  await printHeading('A tour of the example agents, with a planner in place of a model, and one more kill');
  await runTour(stage, await serveFolder(directory));
  await stage.end('stop');
  return summarize(effects.executions(), countUnknownOutcomes(journals.flat()), failures);
}

function summarize(executions: readonly Execution[], unknown: number, failures: number): boolean {
  const once = executions.filter(({ service }) => !idempotent.has(service)).map(formatEffectName);
  const expected = [...tourEffects, ...kills.flatMap((kill) => kill.effects)].map(formatEffectName);
  const expectedUnknown = kills.reduce((sum, kill) => sum + kill.unknown, 0);
  const doubled = once.length - new Set(once).size;
  const same = once.toSorted().join('\n') === expected.toSorted().join('\n');
  const pass = failures === 0 && same && unknown === expectedUnknown;
  if (!same) console.log('\nexpected:', expected, '\nseen:', once);
  const line =
    `demo: ${kills.length} kills; executions expected ${expected.length}, seen ${once.length}; unknown outcomes ` +
    `expected ${expectedUnknown}, seen ${unknown}; doubled ${doubled}; ${formatElapsedSeconds()} s; ${pass ? 'PASS' : 'FAIL'}`;
  console.log(`\n${applyStyle(pass ? 'green' : 'red', line)}`);
  return pass;
}

/** The services whose calls are harmless to repeat. */
const idempotent: ReadonlySet<string> = new Set(['delivery-notes', getServiceName({ what: 'label' })]);

const formatEffectName = ({ service, what }: Effect): string => `${service} ${what}`;

async function printHeading(text: string): Promise<void> {
  await say(`\n${applyStyle('bold', `== ${text} (${formatElapsedSeconds()} s)`)}`);
}

function formatElapsedSeconds(): string {
  return ((performance.now() - began) / 1000).toFixed(1);
}

const hasPassed = await runDemo().catch((error: unknown) => {
  console.error(`\n${applyStyle('red', `demo: FAIL after ${formatElapsedSeconds()} s`)}`);
  console.error(error);
  return false;
});
process.exit(hasPassed ? 0 : 1);
