import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Stores the messages of a session, so that a broken stream can be resumed. Ids increase. */
export function createEventStore(): EventStore {
  const events: { readonly stream: string; readonly message: JSONRPCMessage }[] = [];
  const getStream = (id: string): string => events[Number(id)]?.stream ?? '';
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message }) - 1),
    getStreamIdForEventId: async (id) => getStream(id),
    async replayEventsAfter(id, { send }) {
      const stream = getStream(id);
      for (const [at, event] of events.entries()) {
        if (at > Number(id) && event.stream === stream) await send(String(at), event.message);
      }
      return stream;
    },
  };
}
