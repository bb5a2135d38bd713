/** A caller with a token. All responses are recorded, and searched for secrets later. */
import { type ReceivedResponse, type RequestToSend, send } from './http.ts';

/** A request and its response. */
export interface Exchange {
  readonly who: string;
  readonly sent: RequestToSend;
  readonly came: ReceivedResponse;
}

type HeaderRecord = Readonly<Record<string, string>>;

/** A caller of the Worker. */
export interface Person {
  readonly name: string;
  /** Sends the request unchanged, with the token. */
  ask(sent: RequestToSend): Promise<ReceivedResponse>;
  get(path: string, headers?: HeaderRecord): Promise<ReceivedResponse>;
  /** Sends a value as JSON, and a text unchanged. */
  post(path: string, body?: unknown, headers?: HeaderRecord): Promise<ReceivedResponse>;
  del(path: string): Promise<ReceivedResponse>;
  /** Returns the same person, with requests to another app of the Worker. */
  at(door: string): Person;
}

/** The name and token of a person. */
export interface Identity {
  readonly origin: string;
  readonly name: string;
  readonly token?: string | undefined;
  readonly door?: string | undefined;
  /** Receives each request with its response. */
  readonly record: (exchange: Exchange) => void;
}

/** Creates a person. If there is a token, all requests send it as a bearer token. */
export function createPerson(identity: Identity): Person {
  const { origin, name, token, door, record } = identity;
  const own: [string, string][] = [
    ...(token === undefined ? [] : [['authorization', `Bearer ${token}`] as [string, string]]),
    ...(door === undefined ? [] : [['x-door', door] as [string, string]]),
  ];
  const ask = async (sent: RequestToSend): Promise<ReceivedResponse> => {
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
    at: (other) => createPerson({ ...identity, door: other }),
  };
}
