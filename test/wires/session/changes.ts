/**
 * Sessions whose model changes in the first turn, and their servers. A server is unavailable while the other
 * model should reply.
 */
import type { ChatModel } from '../../../src/index.ts';
import { fallback } from '../../../src/index.ts';
import { jsonResponse, type Wire } from '../wire.ts';
import { MODELS, OLDER, type ServerAt } from './models.ts';
import type { Session } from './names.ts';
import { LOOPS, type LoopName, SCRIPTS } from './script.ts';
import { serverOf, type WireName } from './servers.ts';
import { firstAt, type Stops } from './stops.ts';

/** The other wire of a session whose model changes. */
const PARTNERS: Readonly<Record<WireName, WireName>> = {
  gemini: 'responses-unstored',
  'anthropic-budget': 'responses-unstored',
  'anthropic-interleaved': 'kimi',
  'anthropic-preserved': 'gemini',
  'responses-stored': 'anthropic-budget',
  'responses-unstored': 'gemini',
  deepseek: 'anthropic-budget',
  'deepseek-sdk': 'kimi',
  kimi: 'anthropic-interleaved',
  'kimi-sdk': 'responses-unstored',
  reasoning: 'deepseek',
  openrouter: 'reasoning',
  'openrouter-sdk': 'extra-content',
  'extra-content': 'openrouter',
  'extra-content-sdk': 'gemini',
};

type Changing = Pick<Session, 'name' | 'wire' | 'change'>;

const otherWireOf = ({ wire, change }: Changing): WireName => (change === 'upgrade' ? wire : PARTNERS[wire]);

/** The strict servers of a session: one for each loop, and one for the second model of the main loop. */
export interface Servers extends Readonly<Record<LoopName, Wire>> {
  readonly other?: Wire;
}

/** Returns all servers with their names. */
export const allServers = (servers: Servers): readonly (readonly [name: keyof Servers, wire: Wire])[] => [
  ...LOOPS.map((loop) => [loop, servers[loop]] as const),
  ...(servers.other ? [['other', servers.other] as const] : []),
];

/**
 * The numbers of calls in the first replies of the main loop. Another model takes over after three replies, and
 * the first returns after five.
 */
const [LEAVES, RETURNS] = [3, 5].map(callsOfFirst) as [number, number]; // one number for each change

function callsOfFirst(replies: number): number {
  const [turn] = SCRIPTS.main.turns;
  return turn?.steps.slice(0, replies).flatMap(({ calls }) => calls).length ?? 0;
}

/** Matches results of calls in a request to any wire, including lines that report results as text. */
const RESULT =
  /"type":"tool_result"|"role":"tool"|"type":"function_call_output"|"functionResponse":| with the input /g;

/** Creates the servers of a session. */
export function serversOf(session: Changing): Servers {
  const { name, wire, change } = session;
  const seedOf = (role: string) => `${name}-${role}`;
  const serve = (loop: LoopName): Wire => serverOf(wire, { script: SCRIPTS[loop], seed: seedOf(loop) });
  const servers = { main: serve('main'), research: serve('research'), order: serve('order') };
  if (!change) return servers;
  const readableSeeds = change === 'upgrade' ? [seedOf('other')] : [];
  const main = serverOf(wire, { script: SCRIPTS.main, seed: seedOf('main'), readableSeeds });
  const other = serverOf(otherWireOf(session), { script: SCRIPTS.main, seed: seedOf('other') });
  if (change === 'upgrade') return { ...servers, main, other };
  // Counts results in the request instead of replies, because a kill can lose an answered reply.
  const present = (server: Wire, isGone: (results: number) => boolean): Wire => ({
    ...server,
    async handle(request) {
      const results = (await request.clone().text()).match(RESULT)?.length ?? 0;
      if (isGone(results))
        return jsonResponse({ error: { message: 'Overloaded', type: 'overloaded_error' } }, 503);
      return server.handle(request);
    },
  });
  return change === 'fallback'
    ? { ...servers, main, other: present(other, (results) => results >= LEAVES) }
    : {
        ...servers,
        main: present(main, (results) => results >= LEAVES && results < RETURNS),
        other: present(other, (results) => results >= RETURNS),
      };
}

/** The life in which a session is upgraded. */
const UPGRADED_LIFE = 2;

/** The position where the previous life ends: in the middle of the first turn, after some calls. */
const BEFORE_UPGRADE = { side: 'after', seq: 9 } as const;

/** Adds the kill before an upgrade to `stops`. */
export const stopsOf = ({ change }: Pick<Session, 'change'>, stops: Stops): Stops =>
  change === 'upgrade' ? firstAt(BEFORE_UPGRADE, stops) : stops;

/** Creates the model of the main loop for the code of this life. `at` returns the address of a server. */
export function mainModel(
  session: Changing,
  at: (server: 'main' | 'other') => ServerAt,
  life: number,
): ChatModel {
  const { wire, change } = session;
  if (!change) return MODELS[wire](at('main'));
  const own = () => MODELS[wire]({ ...at('main'), retries: 0 });
  const other = () =>
    MODELS[otherWireOf(session)]({ ...at('other'), retries: 0 }, OLDER[otherWireOf(session)]);
  switch (change) {
    case 'fallback':
      return fallback([other(), own()]);
    case 'flap':
      return fallback([own(), other()]);
    case 'upgrade':
      return life < UPGRADED_LIFE ? other() : own();
  }
}
