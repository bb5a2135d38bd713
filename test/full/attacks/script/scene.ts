/** The environment of the attacks: the callers and their sessions. */
import type { EnemyServer } from './enemy-server.ts';
import { type ReceivedResponse, sendBytes } from './http.ts';
import { createPerson, type Exchange, type Identity, type Person } from './person.ts';
import type { PuppetModel, Reply } from './puppet-model.ts';
import { type Claims, createToken, type Forgery } from './secrets.ts';
import type { World } from './world.ts';

/** The callers. Members of acme attack, and members of zeta are the victims. */
export interface People {
  /** A member of acme without a role. */
  readonly ann: Person;
  /** A manager of acme. */
  readonly rolf: Person;
  /** A manager of zeta. */
  readonly zoe: Person;
  /** A caller without a tenant, whose id is the name of the tenant zeta. */
  readonly impostor: Person;
  /** A caller without a token. */
  readonly nobody: Person;
}

/** The environment of one attack. */
export interface Scene extends People {
  /** A session id that no other attack uses. */
  readonly session: string;
  /** The origin of the Worker. */
  readonly origin: string;
  readonly world: World;
  readonly model: PuppetModel;
  readonly enemy: EnemyServer;
  /** The path of the attack's own session. */
  readonly own: string;
  /** Returns the path of a session. `agent` defaults to `clerk`. */
  at(session: string, agent?: string): string;
  /** Returns a message that makes the model send these replies. */
  play(...replies: readonly Reply[]): string;
  /** Returns a caller whose token has these claims. */
  who(claims: Claims, forgery?: Forgery): Person;
  /** Returns a caller who sends this text as the token. */
  bearing(token: string): Person;
  /** Sends raw bytes. */
  bytes(text: string): Promise<string>;
}

/** The parts that all scenes share. */
export interface Stage {
  readonly origin: string;
  readonly world: World;
  readonly model: PuppetModel;
  readonly enemy: EnemyServer;
  readonly record: (exchange: Exchange) => void;
}

/** Creates the callers of all scenes. */
export function createPeople({ origin, record }: Pick<Stage, 'origin' | 'record'>): People {
  const createKnownPerson = (name: string, claims?: Claims): Person => {
    const identity: Identity = { origin, name, record };
    return createPerson(claims === undefined ? identity : { ...identity, token: createToken(claims) });
  };
  return {
    ann: createKnownPerson('ann', { sub: 'ann', tenant: 'acme' }),
    rolf: createKnownPerson('rolf', { sub: 'rolf', tenant: 'acme', roles: ['manager'] }),
    zoe: createKnownPerson('zoe', { sub: 'zoe', tenant: 'zeta', roles: ['manager'] }),
    impostor: createKnownPerson('impostor', { sub: 'zeta', roles: ['manager'] }),
    nobody: createKnownPerson('nobody'),
  };
}

/** Creates the scene of one attack. */
export function createScene(stage: Stage, session: string): Scene {
  const { origin, record, model } = stage;
  const getPath = (id: string, agent = 'clerk'): string => `/agents/${agent}/sessions/${id}`;
  return {
    ...stage,
    ...createPeople(stage),
    session,
    own: getPath(session),
    at: getPath,
    play: (...replies) => model.play(...replies),
    who: (claims, forgery) =>
      createPerson({ origin, record, name: 'stranger', token: createToken(claims, forgery) }),
    bearing: (token) => createPerson({ origin, record, name: 'stranger', token }),
    async bytes(text) {
      const heard = await sendBytes(origin, text);
      const came: ReceivedResponse = { status: 0, headers: {}, text: heard, json: undefined };
      record({ who: 'bytes', sent: { path: text.slice(0, 200) }, came });
      return heard;
    },
  };
}
