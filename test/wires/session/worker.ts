/**
 * The Worker of `npm run wires`: an agent for each session, whose models ask the strict servers at `WIRES_URL`. The session's
 * object asks there as well before and after it stores something; what is not answered is where the process is killed.
 */
import { DurableObject, env } from 'cloudflare:workers';
import { SessionObject as RealSession } from '../../../durable-objects/index.ts';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { defineWiresAgent, type Effect } from './agent.ts';
import { mainModel } from './changes.ts';
import { ACCEPTS, MODELS } from './models.ts';
import { agentsOf } from './names.ts';
import type { LoopName } from './script.ts';
import type { Moment } from './stops.ts';

interface Vars {
  /** Where the wires, the world and the stops are. */
  readonly WIRES_URL: string;
  /** Where an MCP server answers, to each session by its own name: `{url}/{name}/mcp`. */
  readonly MCP_URL: string;
  /** How often the process was killed before. */
  readonly LIFE: string;
  readonly LEASE_MS: string;
  /** The names of the sessions that are played. */
  readonly PLAYED: string;
}

const { WIRES_URL: url, MCP_URL, LIFE, LEASE_MS, PLAYED } = env as unknown as Vars; // what the runner sets

async function tell(path: string, what: unknown): Promise<void> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(what) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
}

const played = new Set(PLAYED.split(','));

const agents = agentsOf().flatMap((session) => {
  if (!played.has(session.name)) return [];
  const { name, wire } = session;
  const at = (server: LoopName | 'other') => ({ baseURL: `${url}/${name}/${server}/v1` });
  const modelIn = (loop: LoopName) => MODELS[wire](at(loop));
  return defineWiresAgent({
    name,
    models: {
      main: mainModel(session, at, Number(LIFE)),
      research: modelIn('research'),
      order: modelIn('order'),
    },
    accepts: ACCEPTS[wire],
    mcp: { url: `${MCP_URL}/${name}/mcp` },
    act: (effect: Effect) => tell('/effects', effect),
  });
});

const holdfast = createHoldfast({ agents, use: [files()], limits: { subrequests: 10_000 } });

export default holdfast.worker;
export const { TurnRunner } = holdfast;

/** Between two lives, by the clock of the objects: longer than two terms of a lease. */
const APART = 3 * Number(LEASE_MS);

/**
 * The real object, which stands still where the runner gives no answer: nothing that comes then is done, and nothing is said any
 * more, as if the process had been killed at that moment already.
 *
 * Its clock jumps when it has started: whoever held the session before the kill is gone for good. So nobody waits for a lease to
 * expire, and leases can be so long that none expires because the machine is slow.
 */
export class SessionObject extends DurableObject {
  readonly #real: RealSession;
  readonly #name: string;
  /** The last question; what comes waits until it is answered. */
  #asked: Promise<void> = Promise.resolve();
  #isAwake = false;

  constructor(ctx: DurableObjectState, vars: never) {
    super(ctx, vars);
    let jumps = 2 * Number(LIFE);
    this.#real = new RealSession(ctx, vars, () => Date.now() + jumps * APART);
    jumps += 1;
    this.#name = ctx.id.name ?? '';
  }

  async append(...[epoch, from, change]: Parameters<RealSession['append']>) {
    const types = change.events.map(({ type }) => type);
    return this.#storing({ seq: from, types }, () => this.#real.append(epoch, from, change));
  }

  async begin(...[request]: Parameters<RealSession['begin']>) {
    return this.#storing(this.#start(), () => this.#real.begin(request));
  }

  async accept(...[start]: Parameters<RealSession['accept']>) {
    return this.#storing(this.#start(), () => this.#real.accept(start));
  }

  async resume(...request: Parameters<RealSession['resume']>) {
    await this.#ready();
    return this.#real.resume(...request);
  }

  async renew(...lease: Parameters<RealSession['renew']>) {
    await this.#ready();
    return this.#real.renew(...lease);
  }

  async post(...message: Parameters<RealSession['post']>) {
    await this.#ready();
    return this.#real.post(...message);
  }

  async blob(...query: Parameters<RealSession['blob']>) {
    await this.#ready();
    return this.#real.blob(...query);
  }

  async read(...query: Parameters<RealSession['read']>) {
    await this.#ready();
    return this.#real.read(...query);
  }

  async erase() {
    await this.#ready();
    return this.#real.erase();
  }

  override async fetch(request: Request) {
    await this.#ready();
    return this.#real.fetch(request);
  }

  override async alarm() {
    await this.#ready();
    this.#real.alarm();
  }

  /** Nothing is done while a question is open. An open turn is handed over as soon as anybody comes. */
  async #ready(): Promise<void> {
    await this.#asked;
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#real.alarm();
  }

  #head(): number {
    return this.#real.read({ from: 1, limit: 1 })?.head ?? 0;
  }

  #start(): Omit<Moment, 'side'> {
    return { seq: this.#head() + 1, types: ['turn-started'] };
  }

  async #storing<T>(moment: Omit<Moment, 'side'>, store: () => T): Promise<T> {
    await this.#ready();
    if (moment.types.length === 0) return store();
    await this.#ask({ ...moment, side: 'before' });
    const head = this.#head();
    const answer = store();
    // What was stored is on the disk when the question leaves.
    if (this.#head() > head) await this.#ask({ ...moment, side: 'after' });
    return answer;
  }

  #ask(moment: Moment): Promise<void> {
    const asked = tell('/moments', { session: this.#name, moment });
    // A question that is lost fails its append alone: whatever comes later is not held up by it.
    this.#asked = asked.catch(() => {});
    return asked;
  }
}
