import type { ModelMessage } from './chat-model.ts';
import { withoutEchoes } from './without-echoes.ts';

const MAX_MESSAGE = 300;
/** More than is ever shown, and little enough to be compared with a long conversation. */
const MAX_READ = 1_000;

/** Makes a message fit to be shown: without secrets, without the conversation that was sent, and short. */
export type MessageGate = (message: string, sent: readonly ModelMessage[]) => string;

/**
 * Makes the gate that every error message passes: `blot` takes the secrets out, what repeats the conversation follows,
 * control characters become spaces, and only then is the text cut, so that no half of a secret is left at the edge.
 */
export const createMessageGate =
  (blot: (message: string) => string): MessageGate =>
  (message, sent) => {
    const scrubbed = withoutEchoes(blot(message).slice(0, MAX_READ), sent);
    const line = scrubbed.replace(/[\p{Cc}\s]+/gu, ' ');
    return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
  };
