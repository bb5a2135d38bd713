/**
 * Sessions whose model changes in the first turn, and their servers. A server is unavailable while the other
 * model should reply.
 */
import type { ChatModel } from '../../../src/index.ts';
import { fallback } from '../../../src/index.ts';
import { createJsonResponse, type Wire } from '../wire.ts';
import { MODELS, OLDER_MODELS, type ServerAt } from './models.ts';
import type { Session } from './names.ts';
import { LOOPS, type LoopName, SCRIPTS } from './script.ts';
import { createServer, type WireName } from './servers.ts';
import { createFirstStop, type Stops } from './stops.ts';

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

type ChangedSession = Pick<Session, 'name' | 'wire' | 'change'>;

const getOtherWire = ({ wire, change }: ChangedSession): WireName =>
  change === 'upgrade' ? wire : PARTNERS[wire];

/** The strict servers of a session: one for each loop, and one for the second model of the main loop. */
export interface Servers extends Readonly<Record<LoopName, Wire>> {
  readonly other?: Wire;
}

/** Returns all servers with their names. */
export const listServers = (servers: Servers): readonly (readonly [name: keyof Servers, wire: Wire])[] => [
  ...LOOPS.map((loop) => [loop, servers[loop]] as const),
  ...(servers.other ? [['other', servers.other] as const] : []),
];

/**
 * The numbers of calls in the first replies of the main loop. Another model takes over after three replies, and
 * the first returns after five.
 */
const [LEAVES, RETURNS] = [3, 5].map(countFirstCalls) as [number, number]; // one number per change

function countFirstCalls(replies: number): number {
  const [turn] = SCRIPTS.main.turns;
  return turn?.steps.slice(0, replies).flatMap(({ calls }) => calls).length ?? 0;
}

/** Matches call results in a request to any wire, including lines that report results as text. */
const RESULT_MARK =
  /"type":"tool_result"|"role":"tool"|"type":"function_call_output"|"functionResponse":| with the input /g;

/** Creates the servers of a session. */
export function createServers(session: ChangedSession): Servers {
  const { name, wire, change } = session;
  const getSeed = (role: string) => `${name}-${role}`;
  const createLoopServer = (loop: LoopName): Wire =>
    createServer(wire, { script: SCRIPTS[loop], seed: getSeed(loop) });
  const servers = {
    main: createLoopServer('main'),
    research: createLoopServer('research'),
    order: createLoopServer('order'),
  };
  if (!change) return servers;
  const readableSeeds = change === 'upgrade' ? [getSeed('other')] : [];
  const main = createServer(wire, { script: SCRIPTS.main, seed: getSeed('main'), readableSeeds });
  const other = createServer(getOtherWire(session), { script: SCRIPTS.main, seed: getSeed('other') });
  if (change === 'upgrade') return { ...servers, main, other };
  // Counts results in the request instead of replies, because a kill can lose an answered reply.
  const createPresentServer = (server: Wire, isGone: (results: number) => boolean): Wire => ({
    ...server,
    async handle(request) {
      const results = (await request.clone().text()).match(RESULT_MARK)?.length ?? 0;
      if (isGone(results))
        return createJsonResponse({ error: { message: 'Overloaded', type: 'overloaded_error' } }, 503);
      return server.handle(request);
    },
  });
  return change === 'fallback'
    ? { ...servers, main, other: createPresentServer(other, (results) => results >= LEAVES) }
    : {
        ...servers,
        main: createPresentServer(main, (results) => results >= LEAVES && results < RETURNS),
        other: createPresentServer(other, (results) => results >= RETURNS),
      };
}

/** The life in which a session is upgraded. */
const UPGRADED_LIFE = 2;

/** The position where the previous life ends: in the middle of the first turn, after some calls. */
const UPGRADE_STOP = { side: 'after', seq: 9 } as const;

/** Adds the kill before an upgrade to `stops`. */
export const createStops = ({ change }: Pick<Session, 'change'>, stops: Stops): Stops =>
  change === 'upgrade' ? createFirstStop(UPGRADE_STOP, stops) : stops;

/** Creates the model of the main loop for the code of this life. `at` returns the address of a server. */
export function createMainModel(
  session: ChangedSession,
  at: (server: 'main' | 'other') => ServerAt,
  life: number,
): ChatModel {
  const { wire, change } = session;
  if (!change) return MODELS[wire](at('main'));
  const createOwnModel = () => MODELS[wire]({ ...at('main'), retries: 0 });
  const createOtherModel = () =>
    MODELS[getOtherWire(session)]({ ...at('other'), retries: 0 }, OLDER_MODELS[getOtherWire(session)]);
  switch (change) {
    case 'fallback':
      return fallback([createOtherModel(), createOwnModel()]);
    case 'flap':
      return fallback([createOwnModel(), createOtherModel()]);
    case 'upgrade':
      return life < UPGRADED_LIFE ? createOtherModel() : createOwnModel();
  }
}
