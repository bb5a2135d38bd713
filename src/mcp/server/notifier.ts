import type { ServerNotification } from '@modelcontextprotocol/server';
import type { FeedItem } from '../../session/live-feed.ts';
import { oneLine } from '../content/words.ts';

/** How a client hears of a call while it runs. What is told after it has gone is dropped. */
export interface Notifier {
  /** Sends a line as progress, when the client has asked for it (MCP specification, Progress). */
  progress(message: string): void;
  /** Sends a log message of the level `info`, from this tool or agent (MCP specification, Logging). */
  say(message: string): void;
}

/** Names a client's wish to hear of the progress of a request. */
export type ProgressToken = string | number;

interface Speaker {
  /** The name of the tool or agent that speaks. */
  readonly name: string;
  readonly progressToken: ProgressToken | undefined;
}

/** The most characters of what a tool says while it works. */
const MAX_STATUS = 500;
/** The most characters of a tool's name: a model may have made it up. */
const MAX_NAME = 64;

/** `send` puts a notification on the response of the request. How much there is to do nobody knows: progress only counts. */
export function createNotifier(
  { name, progressToken }: Speaker,
  send: (notification: ServerNotification) => Promise<void>,
): Notifier {
  let progress = 0;
  const drop = (): void => {};
  return {
    progress(message) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message: oneLine(message, MAX_STATUS) };
      send({ method: 'notifications/progress', params }).catch(drop);
    },
    say(message) {
      send({ method: 'notifications/message', params: { level: 'info', logger: name, data: message } }).catch(
        drop,
      );
    },
  };
}

/** Passes on what of a turn has words: its tool calls, what they say, and their progress. */
export function notifyOf(notifier: Notifier): (item: FeedItem) => void {
  const tools = new Map<string, string>();
  const toolOf = (call: string): string => oneLine(tools.get(call) ?? 'a tool', MAX_NAME);
  return (item) => {
    if (item.type === 'progress') return notifier.progress(`${toolOf(item.call)}: ${item.status}`);
    if (item.type !== 'event') return;
    const event = item.stored;
    switch (event.type) {
      case 'model-replied':
        for (const { id, name } of event.toolCalls) tools.set(id, name);
        break;
      case 'tool-call-started':
        notifier.progress(`${toolOf(event.call)}: started`);
        break;
      case 'tool-call-ended':
        notifier.progress(`${toolOf(event.call)}: ${event.result.type === 'error' ? 'failed' : 'done'}`);
        break;
      case 'message-sent':
        notifier.say(event.text);
        break;
    }
  };
}
