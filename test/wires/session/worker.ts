/**
 * The Worker of `npm run wires`: an agent for each session, whose models use the strict servers at `WIRES_URL`.
 * Before and after each append, a session's object also asks there whether to continue. If there is no
 * response, the process is killed.
 */
import { DurableObject, env } from 'cloudflare:workers';
import { SessionObject as RealSession } from '../../../durable-objects/index.ts';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { files } from '../../../src/modules/files/entry.ts';
import { defineWiresAgent, type Effect } from './agent.ts';
import { createMainModel } from './changes.ts';
import { ACCEPTED_TYPES, MODELS } from './models.ts';
import { listSessions } from './names.ts';
import type { LoopName } from './script.ts';
import type { Moment } from './stops.ts';

interface Vars {
  /** The URL of the wires, the effects and the stops. */
  readonly WIRES_URL: string;
  /** The base URL of an MCP server. Each session uses `{url}/{name}/mcp`. */
  readonly MCP_URL: string;
  /** The number of earlier kills. */
  readonly LIFE: string;
  readonly LEASE_MS: string;
  /** The names of the played sessions. */
  readonly PLAYED: string;
}

const { WIRES_URL: url, MCP_URL, LIFE, LEASE_MS, PLAYED } = env as unknown as Vars; // set by the runner

async function postToWorld(path: string, what: unknown): Promise<void> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(what) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${path} returned ${response.status}.`);
}

const playedSessions = new Set(PLAYED.split(','));

const agents = listSessions().flatMap((session) => {
  if (!playedSessions.has(session.name)) return [];
  const { name, wire } = session;
  const getServer = (server: LoopName | 'other') => ({ baseURL: `${url}/${name}/${server}/v1` });
  const createModelFor = (loop: LoopName) => MODELS[wire](getServer(loop));
  return defineWiresAgent({
    name,
    models: {
      main: createMainModel(session, getServer, Number(LIFE)),
      research: createModelFor('research'),
      order: createModelFor('order'),
    },
    accepts: ACCEPTED_TYPES[wire],
    mcp: { url: `${MCP_URL}/${name}/mcp` },
    recordEffect: (effect: Effect) => postToWorld('/effects', effect),
  });
});

const holdfast = createHoldfast({ agents, use: [files()], limits: { subrequests: 10_000 } });

export default holdfast.worker;
export const { TurnRunner } = holdfast;

/** The time between two lives on the objects' clock. It is longer than two lease terms. */
const APART_MS = 3 * Number(LEASE_MS);

/**
 * The real object, which blocks when the runner does not answer. From then on, it handles no calls and sends no
 * messages, as if the process had already been killed.
 *
 * Its clock jumps at each start, so that the lease from before the kill has expired. Tests therefore need not
 * wait for an expiry, and leases can be long enough for slow machines.
 */
export class SessionObject extends DurableObject {
  readonly #real: RealSession;
  readonly #name: string;
  /** The last request to the runner. Calls wait until it is answered. */
  #asked: Promise<void> = Promise.resolve();
  #isAwake = false;

  constructor(ctx: DurableObjectState, vars: never) {
    super(ctx, vars);
    let jumps = 2 * Number(LIFE);
    this.#real = new RealSession(ctx, vars, () => Date.now() + jumps * APART_MS);
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

  /** Waits until the last request is answered. On the first call, an open turn is handed over. */
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
    // The append is on the disk when the request is sent.
    if (this.#head() > head) await this.#ask({ ...moment, side: 'after' });
    return answer;
  }

  #ask(moment: Moment): Promise<void> {
    const asked = postToWorld('/moments', { session: this.#name, moment });
    // A failed request fails only its own append, and no later calls.
    this.#asked = asked.catch(() => {});
    return asked;
  }
}
