import type { SessionObject } from '../../durable-objects/session-object.ts';
import type { Notice, SessionPort } from '../journal/session-port.ts';
import { DeploymentError, NO_SQLITE } from './deployment.ts';
import { SessionUnavailableError } from './session-unavailable-error.ts';

export interface ObjectSessionOptions {
  /** Where an object that does not exist yet is made. */
  readonly locationHint?: DurableObjectLocationHint | undefined;
  /** Where its data may be kept; part of the object's identity. */
  readonly jurisdiction?: DurableObjectJurisdiction | undefined;
}

/** Waits before the tries after the first, in ms: together well below the term of a lease. */
const BACKOFF_MS = [0, 20, 100, 400];

/**
 * The session of this name in its Durable Object. Every call may be sent again after its answer was lost, so all are
 * repeated on a new stub when the line or the object breaks: a stub is dead for ever after that. Calls reject with a
 * SessionUnavailableError when that does not help, or the object has too much to do, and with a DeploymentError when its class
 * has no database.
 */
export function objectSession(
  namespace: DurableObjectNamespace<SessionObject>,
  name: string,
  options: ObjectSessionOptions = {},
): SessionPort {
  const { locationHint, jurisdiction } = options;
  const objects = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  const connect = () => objects.getByName(name, locationHint === undefined ? {} : { locationHint });
  let stub = connect();

  async function send<T>(call: (stub: DurableObjectStub<SessionObject>) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await call(stub);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (NO_SQL_MESSAGE.test(error.message)) throw new DeploymentError(NO_SQLITE);
        const failure = failureOf(error);
        if (failure === 'own') throw error;
        const wait = BACKOFF_MS[tries];
        if (failure === 'overloaded' || wait === undefined) throw new SessionUnavailableError(error);
        await new Promise((resolve) => setTimeout(resolve, wait));
        stub = connect();
      }
    }
  }

  return {
    accept: (start) => send(async (object) => object.accept(start)),
    begin: (request) => send(async (object) => object.begin(request)),
    resume: (request) => send(async (object) => object.resume(request)),
    append: (epoch, from, change) => send(async (object) => object.append(epoch, from, change)),
    renew: (epoch) => send(async (object) => object.renew(epoch)),
    post: (kind, turn, body, answers) => send(async (object) => object.post(kind, turn, body, answers)),
    read: (query) => send(async (object) => object.read(query)),
    watch: (onNotice, onClosed) => send((object) => watch(object, onNotice, onClosed)),
    erase: () => send(async (object) => object.erase()),
  };
}

async function watch(
  object: Pick<Fetcher, 'fetch'>,
  onNotice: (notice: Notice) => void,
  onClosed: () => void,
): Promise<() => void> {
  const { webSocket } = await object.fetch('https://session/', { headers: { upgrade: 'websocket' } });
  if (webSocket === null) throw new Error('the session object did not open a WebSocket');
  let isOpen = true;
  const close = () => {
    if (isOpen) onClosed();
    isOpen = false;
  };
  webSocket.addEventListener('message', ({ data }) => {
    const notice = typeof data === 'string' ? (JSON.parse(data) as Notice) : null; // the object sends nothing else
    if (isOpen && notice !== null) onNotice(notice);
  });
  webSocket.addEventListener('close', close);
  webSocket.addEventListener('error', close);
  webSocket.accept();
  return () => {
    isOpen = false;
    webSocket.close(1000);
  };
}

/**
 * `broken`: the line or the object broke, and a new stub may reach it. `overloaded`: the object is not helped by being
 * asked again. `own`: what the object itself threw.
 */
function failureOf(error: Error & PlatformFlags): 'broken' | 'overloaded' | 'own' {
  const { message, overloaded, retryable, durableObjectReset } = error;
  if (overloaded === true) return 'overloaded';
  const isBroken = retryable === true || durableObjectReset === true || BROKEN_MESSAGE.test(message);
  return isBroken ? 'broken' : 'own';
}

/** What workerd sets on the errors of a stub. */
interface PlatformFlags {
  readonly overloaded?: unknown;
  readonly retryable?: unknown;
  readonly durableObjectReset?: unknown;
}

/** What the platform says when the object is made, and its class keeps no database. */
const NO_SQL_MESSAGE = /^SQL is not enabled for this Durable Object class/;

/** Some errors come without their flags: a lost line, an update of the code, a reset by the test runner. */
const BROKEN_MESSAGE = /network connection lost|\breset\b|abortAllDurableObjects/i;
