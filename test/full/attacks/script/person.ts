/** A sender of requests: the token, and the responses, which are searched for secrets afterwards. */
import { type Came, type Sent, send } from './http.ts';

/** A request and its response. */
export interface Exchange {
  readonly who: string;
  readonly sent: Sent;
  readonly came: Came;
}

type HeaderRecord = Readonly<Record<string, string>>;

/** Somebody who asks the Worker something. */
export interface Person {
  readonly name: string;
  /** Sends as it is given, with the token. */
  ask(sent: Sent): Promise<Came>;
  get(path: string, headers?: HeaderRecord): Promise<Came>;
  /** Sends JSON, or text as it is. */
  post(path: string, body?: unknown, headers?: HeaderRecord): Promise<Came>;
  del(path: string): Promise<Came>;
  /** The same person at another entrance. */
  at(door: string): Person;
}

/** How a person is known. */
export interface Identity {
  readonly origin: string;
  readonly name: string;
  readonly token?: string | undefined;
  readonly door?: string | undefined;
  /** Receives everything. */
  readonly record: (exchange: Exchange) => void;
}

/** Creates a person, who sends the token as a bearer if there is one. */
export function person(identity: Identity): Person {
  const { origin, name, token, door, record } = identity;
  const own: [string, string][] = [
    ...(token === undefined ? [] : [['authorization', `Bearer ${token}`] as [string, string]]),
    ...(door === undefined ? [] : [['x-door', door] as [string, string]]),
  ];
  const ask = async (sent: Sent): Promise<Came> => {
    const came = await send(origin, { ...sent, headers: [...own, ...(sent.headers ?? [])] });
    record({ who: name, sent, came });
    return came;
  };
  return {
    name,
    ask,
    get: (path, headers = {}) => ask({ path, headers: Object.entries(headers) }),
    post(path, body, headers = {}) {
      const typed = Object.keys(headers).some((header) => header.toLowerCase() === 'content-type');
      return ask({
        method: 'POST',
        path,
        headers: [
          ...(typed || body === undefined ? [] : [['content-type', 'application/json'] as const]),
          ...Object.entries(headers),
        ],
        body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
      });
    },
    del: (path) => ask({ method: 'DELETE', path }),
    at: (other) => person({ ...identity, door: other }),
  };
}
