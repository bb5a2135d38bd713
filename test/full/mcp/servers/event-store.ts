import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Keeps what a session was sent, so that a stream that broke can be taken up where it was. Ids count up. */
export function eventStore(): EventStore {
  const events: { readonly stream: string; readonly message: JSONRPCMessage }[] = [];
  const streamOf = (id: string): string => events[Number(id)]?.stream ?? '';
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message }) - 1),
    getStreamIdForEventId: async (id) => streamOf(id),
    async replayEventsAfter(id, { send }) {
      const stream = streamOf(id);
      for (const [at, event] of events.entries()) {
        if (at > Number(id) && event.stream === stream) await send(String(at), event.message);
      }
      return stream;
    },
  };
}
