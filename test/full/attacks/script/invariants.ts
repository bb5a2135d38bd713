/** Invariants that hold after every group of attacks. */
import type { Exchange } from './person.ts';
import type { Scene } from './scene.ts';
import { SECRETS, ZETAS_WORDS } from './secrets.ts';
import { readZetasView, type Victims } from './victims.ts';

/** The activity since the group began. */
export interface AttackRecord {
  readonly exchanges: readonly Exchange[];
  /** The Worker's console output. */
  readonly log: string;
  /** Patterns of the expected output. */
  readonly logs: readonly RegExp[];
  /** Request bodies that the model received. */
  readonly bodies: readonly string[];
  /** The number of messages that the hostile server had received before the group. */
  readonly heardBefore: number;
  readonly complaintsBefore: number;
}

/** The settings that the attacked Worker lacks on purpose. */
const LACKING_PATTERN = /^(?:Webhook|Outgoing webhook) '(?:unset|careless[\w-]*)' has no secret[,.]/;

/** Checks that `/health` lists only these missing settings. */
export function isHealthy({ text }: { readonly text: string }): boolean {
  const { problems }: { problems?: unknown } = JSON.parse(text);
  return (
    Array.isArray(problems) &&
    problems.length > 0 &&
    problems.every((one) => LACKING_PATTERN.test(String(one)))
  );
}

/** Returns the broken invariants, one line each. */
export async function findBrokenInvariants(
  scene: Scene,
  { victims, view }: { readonly victims: Victims; readonly view: string },
  happened: AttackRecord,
): Promise<readonly string[]> {
  const broken: string[] = [];
  const health = await scene.nobody.get('/health');
  if (!isHealthy(health)) broken.push(`/health is answered ${health.status}: ${health.text}`);
  if ((await readZetasView(scene, victims)) !== view) broken.push('What zeta has is not as it was.');
  broken.push(...(await findLeaks(scene, happened)));
  broken.push(...listNewComplaints(scene, happened));
  broken.push(...listErrors(happened));
  return broken;
}

const VALUES: readonly string[] = Object.values(SECRETS);

/** Returns where credentials appeared, and where other callers saw the words of zeta. */
async function findLeaks(scene: Scene, happened: AttackRecord): Promise<string[]> {
  const found: string[] = [];
  const collectLeaks = (where: string, text: string, words: readonly string[] = VALUES): void => {
    for (const word of words) if (text.includes(word)) found.push(`'${word}' is in ${where}`);
  };
  for (const { who, sent, came } of happened.exchanges) {
    const where = `what ${who} was answered to ${sent.method ?? 'GET'} ${sent.path.slice(0, 120)}`;
    const all = `${came.text}\n${JSON.stringify(came.headers)}`;
    collectLeaks(where, all, who === 'zoe' ? VALUES : [...VALUES, ...ZETAS_WORDS]);
  }
  collectLeaks('the console', happened.log);
  for (const body of happened.bodies) collectLeaks('what the model was sent', body);
  for (const { path, body, headers } of scene.enemy.heard.slice(happened.heardBefore)) {
    const { authorization, ...others } = headers;
    collectLeaks(
      `what the enemy's server was sent at ${path}`,
      `${path}\n${body}\n${JSON.stringify(others)}`,
    );
    if (authorization !== undefined && authorization !== `Bearer ${SECRETS.REMOTE_TOKEN}`)
      found.push(`The enemy's server was sent another token at ${path}.`);
  }
  for (const path of listSessions(happened.exchanges)) {
    const { text } = await scene.ann.get(`${path}/events?limit=500`);
    collectLeaks(`the journal of ${path}`, text, [...VALUES, ...ZETAS_WORDS]);
  }
  return [...new Set(found)];
}

/** Returns the sessions of acme in these requests. */
function listSessions(exchanges: readonly Exchange[]): ReadonlySet<string> {
  const paths = exchanges.flatMap(({ who, sent, came }) =>
    who === 'ann' || who === 'rolf' || sent.path.startsWith('/hooks/')
      ? [sent.path, String(came.headers.location ?? '')]
      : [],
  );
  return new Set(
    paths.flatMap((path) => /^\/agents\/[\w-]+\/sessions\/[\w.:@-]{1,128}(?=$|[/?])/.exec(path)?.[0] ?? []),
  );
}

const listNewComplaints = ({ model }: Scene, { complaintsBefore }: AttackRecord): string[] =>
  model.complaints.slice(complaintsBefore).map((complaint) => `The model refused a request: ${complaint}`);

/**
 * Log lines that are expected: failing tools of the app, calls of unknown tools, and a webhook without its
 * secret.
 */
const EXPECTED_LOG_LINES = [
  /holdfast: Tool '(?:leak|help|breed|schedule_message)' threw: /,
  /holdfast: a turn failed \(tool-not-found\): /,
  /holdfast: webhook '(?:unset|careless-\w+)' refused a delivery \(not-configured\): /,
];

/**
 * Returns the console errors and warnings that no attack of the group expects. Each extends to the start of the
 * next message.
 */
function listErrors({ log, logs }: AttackRecord): string[] {
  const messages = log.split(/\n(?=\[wrangler:|✘ |▲ |\w)/);
  return messages
    .filter((message) => /✘|\[ERROR\]|Uncaught|unhandled/i.test(message))
    .filter((message) => ![...EXPECTED_LOG_LINES, ...logs].some((expected) => expected.test(message)))
    .map((message) => `The console says: ${message.trim().slice(0, 600)}`);
}
