/**
 * The Worker of `npm run wires`: an agent for each session, whose models ask the strict servers at `WIRES_URL`. The session's
 * object asks there as well before and after it stores something; what is not answered is where the process is killed.
 */
import { DurableObject, env } from 'cloudflare:workers';
import { SessionObject as RealSession } from '../../../durable-objects/index.ts';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineWiresAgent, type Effect } from './agent.ts';
import { MODELS } from './models.ts';
import { agentsOf } from './names.ts';
import type { LoopName } from './script.ts';
import type { Moment } from './stops.ts';

interface Vars {
  /** Where the wires, the world and the stops are. */
  readonly WIRES_URL: string;
}

const { WIRES_URL: url } = env as unknown as Vars; // what the runner sets

async function tell(path: string, what: unknown): Promise<void> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(what) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
}

const agents = agentsOf().map(({ name, wire }) => {
  const modelIn = (loop: LoopName) => MODELS[wire]({ baseURL: `${url}/${name}/${loop}/v1` });
  return defineWiresAgent({
    name,
    models: { main: modelIn('main'), research: modelIn('research'), order: modelIn('order') },
    act: (effect: Effect) => tell('/effects', effect),
  });
});

const holdfast = createHoldfast({ agents, platform: { subrequests: 10_000 } });

export default holdfast.worker;
export const { TurnRunner } = holdfast;

type Methods = Pick<
  RealSession,
  'accept' | 'begin' | 'resume' | 'append' | 'renew' | 'post' | 'read' | 'erase'
>;

/**
 * The real object, which stands still where the runner gives no answer: nothing that comes then is done, and nothing is said any
 * more, as if the process had been killed at that moment already.
 */
export class SessionObject extends DurableObject {
  readonly #real: RealSession;
  readonly #name: string;
  /** The last question; what comes waits until it is answered. */
  #asked: Promise<void> = Promise.resolve();

  constructor(ctx: DurableObjectState, vars: never) {
    super(ctx, vars);
    this.#real = new RealSession(ctx, vars);
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

  async resume(...request: Parameters<Methods['resume']>) {
    await this.#asked;
    return this.#real.resume(...request);
  }

  async renew(...lease: Parameters<Methods['renew']>) {
    await this.#asked;
    return this.#real.renew(...lease);
  }

  async post(...message: Parameters<Methods['post']>) {
    await this.#asked;
    return this.#real.post(...message);
  }

  async read(...query: Parameters<Methods['read']>) {
    await this.#asked;
    return this.#real.read(...query);
  }

  async erase() {
    await this.#asked;
    return this.#real.erase();
  }

  override async fetch(request: Request) {
    await this.#asked;
    return this.#real.fetch(request);
  }

  override async alarm() {
    await this.#asked;
    this.#real.alarm();
  }

  #head(): number {
    return this.#real.read({ from: 1, limit: 1 })?.head ?? 0;
  }

  #start(): Omit<Moment, 'side'> {
    return { seq: this.#head() + 1, types: ['turn-started'] };
  }

  async #storing<T>(moment: Omit<Moment, 'side'>, store: () => T): Promise<T> {
    await this.#asked;
    if (moment.types.length === 0) return store();
    await this.#ask({ ...moment, side: 'before' });
    const head = this.#head();
    const answer = store();
    // What was stored is on the disk when the question leaves.
    if (this.#head() > head) await this.#ask({ ...moment, side: 'after' });
    return answer;
  }

  #ask(moment: Moment): Promise<void> {
    this.#asked = tell('/moments', { session: this.#name, moment });
    return this.#asked;
  }
}
