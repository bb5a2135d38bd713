import type { ModelMessage } from './chat-model.ts';

const MAX_MESSAGE = 300;
/** It is more than is ever shown, and little enough to be compared with a long conversation. */
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

/** Two texts that share so much may do so by chance; twice as much is an echo, and always holds one whole probe. */
const PROBE = 20;
const SHORTEST_TEXT = 8;

interface Echo {
  readonly start: number;
  readonly end: number;
}

/** The run around the probe at `at`, from `from` on, that is also in one of the texts. */
const echoAround = (
  message: string,
  at: number,
  { from, texts }: { readonly from: number; readonly texts: readonly string[] },
): Echo | undefined => {
  const probe = message.slice(at, at + PROBE);
  for (const text of texts) {
    const place = text.indexOf(probe);
    if (place === -1) continue;
    let before = 0;
    while (at - before > from && place > before && message[at - before - 1] === text[place - before - 1]) {
      before += 1;
    }
    let after = PROBE;
    while (at + after < message.length && message[at + after] === text[place + after]) after += 1;
    return { start: at - before, end: at + after };
  }
  return undefined;
};

const textsOf = (sent: readonly ModelMessage[]): string[] =>
  sent.flatMap((message) =>
    message.role === 'assistant'
      ? [
          message.text,
          ...message.toolCalls.map(({ input }) => input),
          ...(message.parts ?? []).flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])),
        ]
      : [message.text],
  );

/**
 * The message without what it repeats of the conversation, which some servers quote when they refuse it: a client that
 * is shown an error must not be shown the instructions.
 */
const withoutEchoes = (message: string, sent: readonly ModelMessage[]): string => {
  const texts = textsOf(sent);
  const short = texts.filter(({ length }) => length >= SHORTEST_TEXT && length < 2 * PROBE);
  const rest = short.reduce((text, echo) => text.replaceAll(echo, '[request]'), message);
  let shown = '';
  let from = 0;
  for (let at = 0; at + PROBE <= rest.length; ) {
    const echo = echoAround(rest, at, { from, texts });
    if (echo === undefined) {
      at += PROBE;
      continue;
    }
    shown += `${rest.slice(from, echo.start)}[request]`;
    from = echo.end;
    at = echo.end;
  }
  return shown + rest.slice(from);
};
