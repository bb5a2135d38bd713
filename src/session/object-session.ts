import type { SessionObject } from '../../durable-objects/session-object.ts';
import type { Notice } from '../journal/event-page.ts';
import {
  HOLDER_PING,
  HOLDER_PONG,
  isLiveMessage,
  LIVE,
  type Line,
  MAX_UNREAD,
  PING,
  parseLiveMessage,
  READ,
  READ_INTERVAL,
  toWire,
  type Watcher,
} from '../journal/live-items.ts';
import type { SessionPort } from '../journal/session-port.ts';
import { attempt } from '../tool/async.ts';
import { type SessionPlace, systemClock } from './read-platform.ts';
import { createRetryingCaller, type RetryPauses } from './send-again.ts';

/**
 * Returns the session of this name in its Durable Object. A call whose reply is lost is sent again with a new
 * stub, so it can run twice. Calls reject with a SessionUnavailableError if that does not help or the object
 * is overloaded, and with a DeploymentError if its class has no SQLite storage.
 */
export function createObjectSession(
  namespace: DurableObjectNamespace<SessionObject>,
  name: string,
  { locationHint, jurisdiction, pauses }: SessionPlace & { readonly pauses?: Partial<RetryPauses> } = {},
): SessionPort {
  const objects = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  const send = createRetryingCaller(
    () => objects.getByName(name, locationHint === undefined ? {} : { locationHint }),
    { ...DEFAULT_PAUSES, ...pauses },
  );
  const asked = {} as Pick<SessionPort, (typeof FORWARDED_METHODS)[number]>; // Each is a method of the object with the same name.
  for (const method of FORWARDED_METHODS) {
    const ask = (...given: unknown[]) =>
      send(async (object) => (object[method] as (...given: unknown[]) => unknown)(...given));
    Object.assign(asked, { [method]: ask });
  }
  return {
    begin: (request) => send(async (object) => object.begin(request)),
    append: (epoch, from, change) => send(async (object) => object.append(epoch, from, change)),
    ...asked,
    watch: (watcher) => send((object) => openLine(object, watcher)),
    erase: () => {
      let isRepeated = false;
      return send(async (object) => {
        const mayBeErased = isRepeated;
        isRepeated = true;
        return (await object.erase()) || mayBeErased;
      });
    },
  };
}

/** The methods that are passed to the object unchanged. */
const FORWARDED_METHODS = [
  'accept',
  'resume',
  'renew',
  'post',
  'read',
  'blob',
  'blobStates',
  'removeBlob',
  'credential',
  'keepCredential',
] as const satisfies readonly (keyof SessionPort & keyof SessionObject)[];

const DEFAULT_PAUSES: RetryPauses = { after: systemClock.after, random: Math.random };

async function openLine(object: Pick<Fetcher, 'fetch'>, watcher: Watcher): Promise<Line> {
  const { holder, onNotice, onClosed, onLive, onHeld } = watcher;
  const query = holder !== undefined ? `?holder=${holder}` : onLive ? `?${LIVE}=1` : '';
  const { webSocket, status } = await object.fetch(`https://session/${query}`, {
    headers: { upgrade: 'websocket' },
  });
  if (webSocket === null) throw new Error(`the session object returned ${status} and opened no WebSocket`);
  let isOpen = true;
  /**
   * Characters of live messages: those sent that the object has not acknowledged, and those received since
   * the last acknowledgement.
   */
  const live = { unread: 0, read: 0 };
  const close = () => {
    if (isOpen) onClosed();
    isOpen = false;
  };
  const handleFrame = (text: string): void => {
    live.read += text.length;
    if (live.read >= READ_INTERVAL) attempt(() => webSocket.send(READ));
    live.read %= READ_INTERVAL;
    const message = parseLiveMessage(text);
    if (message) onLive?.(message);
  };
  webSocket.addEventListener('message', ({ data }) => {
    if (!isOpen || typeof data !== 'string') return; // The object sends only strings.
    if (data === READ) live.unread = 0;
    else if (data === `${HOLDER_PONG} ${holder}`) onHeld?.();
    else if (isLiveMessage(data)) handleFrame(data);
    else onNotice(JSON.parse(data) as Notice); // The object wrote it as a `Notice`.
  });
  webSocket.addEventListener('close', close);
  webSocket.addEventListener('error', close);
  webSocket.accept();
  return {
    close() {
      isOpen = false;
      webSocket.close(1000);
    },
    show(message) {
      if (!isOpen || live.unread >= MAX_UNREAD) return false;
      const text = toWire(message);
      live.unread += text.length;
      return attempt(() => webSocket.send(text)).ok;
    },
    ping() {
      if (isOpen) attempt(() => webSocket.send(holder === undefined ? PING : `${HOLDER_PING} ${holder}`));
    },
  };
}
