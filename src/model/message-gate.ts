import type { ModelMessage } from './chat-model.ts';

const MAX_MESSAGE = 300;
/** It is more than is ever shown, and little enough to be compared with a long conversation. */
const MAX_READ = 1_000;

/** What is told of a failure. */
interface ToldFailure {
  /** Fit to be shown to a client. */
  readonly message: string;
  /** For the log of whoever runs the app: with what it repeats of the conversation. */
  readonly reason: string;
}

/** Makes a message fit to be told: without secrets, short, and, for clients, without the conversation that was sent. */
export type MessageGate = (message: string, sent: readonly ModelMessage[]) => ToldFailure;

/**
 * Makes the gate that every error message passes: `blot` takes the secrets out, what repeats the conversation follows,
 * control characters become spaces, and only then is the text cut, so that no half of a secret is left at the edge.
 */
export const createMessageGate =
  (blot: (message: string) => string): MessageGate =>
  (message, sent) => {
    const whole = blot(message).slice(0, MAX_READ);
    return { message: toLine(withoutEchoes(whole, sent), MAX_MESSAGE), reason: toLine(whole, MAX_READ) };
  };

const toLine = (text: string, most: number): string => {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/** Two texts that share so much may do so by chance; twice as much is an echo, and always holds one whole probe. */
const PROBE = 20;
const SHORTEST_TEXT = 8;

/** A text of the conversation. */
interface Sent {
  readonly text: string;
  /** No client may see it; all others have sent it, or may read it. */
  readonly hidden: boolean;
}

interface Echo {
  readonly start: number;
  readonly end: number;
}

/** The run around the probe at `at`, from `from` on, that is also in one of the texts, and is an echo. */
const echoAround = (
  message: string,
  at: number,
  { from, texts }: { readonly from: number; readonly texts: readonly Sent[] },
): Echo | undefined => {
  const probe = message.slice(at, at + PROBE);
  for (const { text, hidden } of texts) {
    const place = text.indexOf(probe);
    if (place === -1) continue;
    let before = 0;
    while (at - before > from && place > before && message[at - before - 1] === text[place - before - 1]) {
      before += 1;
    }
    let after = PROBE;
    while (at + after < message.length && message[at + after] === text[place + after]) after += 1;
    const echo = { start: at - before, end: at + after };
    if (hidden || isQuoted(message, echo.start, echo.end - echo.start === text.length)) return echo;
  }
  return undefined;
};

/**
 * Whether what stands there is quoted. A server may also say in words of its own what somebody has sent, as when they ask what an
 * error means: that is no echo. `whole`: it is all of a text, which may be quoted behind a colon.
 */
const isQuoted = (message: string, start: number, whole: boolean): boolean =>
  (whole ? /["'`‘“«([{:]\s*$/ : /["'`‘“«([{]\s*$/).test(message.slice(0, start));

/** Those that are hidden come first. */
const textsOf = (sent: readonly ModelMessage[]): Sent[] =>
  sent
    .flatMap((message): Sent[] => {
      const said = { text: message.text, hidden: message.role === 'system' };
      if (message.role !== 'assistant') return [said];
      const calls = message.toolCalls.map(({ input }) => ({ text: input, hidden: false }));
      const thought = (message.parts ?? []).flatMap((part) =>
        part.type === 'reasoning' ? [{ text: part.text, hidden: true }] : [],
      );
      return [said, ...calls, ...thought];
    })
    .sort((one, other) => Number(other.hidden) - Number(one.hidden));

/**
 * The message without what it repeats of the conversation, which some servers quote when they refuse it: a client that
 * is shown an error must not be shown the instructions. How it begins, up to the first colon, is ours, and no echo; and where
 * nothing else would be left of the server's words, they are its reason, without what nobody may see.
 */
const withoutEchoes = (message: string, sent: readonly ModelMessage[]): string => {
  const own = message.indexOf(': ') + 2;
  const [start, words] = own < 2 ? [message, ''] : [message.slice(0, own), message.slice(own)];
  const texts = textsOf(sent);
  const left = withoutEchoesOf(words, texts);
  if (/\p{L}/u.test(left.replaceAll(ECHO, ''))) return start + left;
  return (
    start +
    withoutEchoesOf(
      words,
      texts.filter(({ hidden }) => hidden),
    )
  );
};

const ECHO = '[request]';

const withoutEchoesOf = (words: string, texts: readonly Sent[]): string => {
  const short = texts.filter(({ text: { length } }) => length >= SHORTEST_TEXT && length < 2 * PROBE);
  const rest = short.reduce(withoutShort, words);
  let shown = '';
  let from = 0;
  for (let at = 0; at + PROBE <= rest.length; ) {
    const echo = echoAround(rest, at, { from, texts });
    if (echo === undefined) {
      at += PROBE;
      continue;
    }
    shown += `${rest.slice(from, echo.start)}${ECHO}`;
    from = echo.end;
    at = echo.end;
  }
  return shown + rest.slice(from);
};

const withoutShort = (words: string, { text, hidden }: Sent): string =>
  words.replaceAll(text, (echo, at: number) => (hidden || isQuoted(words, at, true) ? ECHO : echo));
