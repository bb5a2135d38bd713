/** The environment of the attacks: the people, and their sessions. */
import type { EnemyServer } from './enemy-server.ts';
import { type Came, sendBytes } from './http.ts';
import { type Exchange, type Identity, type Person, person } from './person.ts';
import type { PuppetModel, Reply } from './puppet-model.ts';
import { type Claims, type Forgery, tokenOf } from './secrets.ts';
import type { World } from './world.ts';

/** The people. Those of acme attack, and those of zeta are the victims. */
export interface People {
  /** Of acme, without a role. */
  readonly ann: Person;
  /** Of acme, a manager. */
  readonly rolf: Person;
  /** Of zeta, a manager. */
  readonly zoe: Person;
  /** Of no tenant, and called like the tenant zeta. */
  readonly impostor: Person;
  /** Without a token. */
  readonly nobody: Person;
}

/** The inputs of one attack. */
export interface Scene extends People {
  /** An id of a session that no other attack has. */
  readonly session: string;
  /** Where the Worker answers. */
  readonly origin: string;
  readonly world: World;
  readonly model: PuppetModel;
  readonly enemy: EnemyServer;
  /** The path of the attack's own session. */
  readonly own: string;
  /** The path of a session, by default of the agent `clerk`. */
  at(session: string, agent?: string): string;
  /** A message upon which the model says these. */
  play(...replies: readonly Reply[]): string;
  /** Somebody whose token says this. */
  who(claims: Claims, forgery?: Forgery): Person;
  /** Somebody with this in place of a token. */
  bearing(token: string): Person;
  /** Sends bytes as they are. */
  bytes(text: string): Promise<string>;
}

/** The parts of a scene. */
export interface Stage {
  readonly origin: string;
  readonly world: World;
  readonly model: PuppetModel;
  readonly enemy: EnemyServer;
  readonly record: (exchange: Exchange) => void;
}

/** Makes the people of all scenes. */
export function peopleOf({ origin, record }: Pick<Stage, 'origin' | 'record'>): People {
  const known = (name: string, claims?: Claims): Person => {
    const identity: Identity = { origin, name, record };
    return person(claims === undefined ? identity : { ...identity, token: tokenOf(claims) });
  };
  return {
    ann: known('ann', { sub: 'ann', tenant: 'acme' }),
    rolf: known('rolf', { sub: 'rolf', tenant: 'acme', roles: ['manager'] }),
    zoe: known('zoe', { sub: 'zoe', tenant: 'zeta', roles: ['manager'] }),
    impostor: known('impostor', { sub: 'zeta', roles: ['manager'] }),
    nobody: known('nobody'),
  };
}

/** Makes the scene of one attack. */
export function sceneOf(stage: Stage, session: string): Scene {
  const { origin, record, model } = stage;
  const at = (id: string, agent = 'clerk'): string => `/agents/${agent}/sessions/${id}`;
  return {
    ...stage,
    ...peopleOf(stage),
    session,
    own: at(session),
    at,
    play: (...replies) => model.play(...replies),
    who: (claims, forgery) => person({ origin, record, name: 'stranger', token: tokenOf(claims, forgery) }),
    bearing: (token) => person({ origin, record, name: 'stranger', token }),
    async bytes(text) {
      const heard = await sendBytes(origin, text);
      const came: Came = { status: 0, headers: {}, text: heard, json: undefined };
      record({ who: 'bytes', sent: { path: text.slice(0, 200) }, came });
      return heard;
    },
  };
}
