/**
 * The texts of a surface for people: short sentences instead of details of a provider, a tool or a
 * deployment.
 */
import type { EventOf, StoredEvent, TurnError } from '../journal/events.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { TurnAnswer } from '../session/watching/turn-outcome.ts';
import { isFile, isNewFile, isStoredFile, joinTexts, toPartsWithFiles } from '../tool/content.ts';
import { joinParagraphs } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { describeValue } from '../tool/shown.ts';
import { type ErrorReason, getModelText, listResultParts, type ResultData } from '../tool/tool-result.ts';
import { findRemoteSign } from './auth.ts';
import type { RouteProblem } from './module-request.ts';
import type { ProblemType } from './problem.ts';
import { FAILED_TURN_PROBLEMS } from './refusal.ts';
import type { TurnItem } from './turn-feed.ts';

/** A problem to word for a person. */
export interface ProblemToTell {
  /** The type, as in a problem document. `tool-error`: a tool call returned an error. */
  readonly type: ProblemType | 'tool-error';
  /** One short sentence for a person. */
  readonly title: string;
  /** The text for developers. It may contain text of a provider or a tool. */
  readonly detail: string;
  readonly status: number;
  /** The reason why a turn failed. Absent for other problems. */
  readonly error?: TurnError['type'] | undefined;
  /**
   * The reason why a call ended in an error. Absent for other problems, and if the tool itself returned the
   * error.
   */
  readonly reason?: ErrorReason | undefined;
}

/**
 * Returns the text for a person. Defaults to the `detail` of problems that the person or the page can fix,
 * such as an invalid field, and to the `title` of all others, including a busy session on pages. If the
 * function throws or returns no text, the `title` is shown.
 */
export type Tell = (problem: ProblemToTell) => string;

/** Writes error messages for people into the responses of one request. */
export interface ErrorWording {
  /** Rewrites a problem. Removes its other data if it removes the detail. */
  problem(problem: RouteProblem): RouteProblem;
  /** Rewrites the error of a turn. */
  turn(error: TurnError): TurnError;
  /** Rewrites an item of a turn. Expects the items of one turn in order, each once. */
  item<Item extends TurnItem>(item: Item): Item;
  /** Rewrites the items of a turn. */
  items(items: AsyncIterable<TurnItem>): AsyncIterable<TurnItem>;
}

/**
 * Returns a function that creates the wording for a request to a surface. In development, and without `tell`,
 * requests from the developer's own machine receive all details.
 *
 * @throws ConfigurationError if `tell` is not a function.
 *
 * @example
 * ```ts
 * const toTeller = tellerOf('plain', ({ title }) => title);
 * const refuse = (problem: RouteProblem, request: Request) => new Response(toTeller(request).problem(problem).detail);
 * ```
 */
export function createErrorWording(
  surface: string,
  tell: Tell | undefined,
): (request: Pick<Request, 'url' | 'headers'>) => ErrorWording {
  if (tell !== undefined && typeof tell !== 'function')
    throw new ConfigurationError(
      `${surface} has ${describeValue(tell)} as its 'tell'. Use a function such as ({ title }) => title.`,
    );
  return (request) =>
    new RequestErrorWording(
      tell ??
        (literals && isOwnMachine(request) ? showDetail : (problem) => formatDefaultText(problem, request)),
    );
}

const showDetail: Tell = ({ detail }) => detail;

/** Returns the default text. Programs can use the details of a busy session, but people on a page cannot. */
function formatDefaultText(
  { type, title, detail, reason = 'threw' }: ProblemToTell,
  { headers }: Pick<Request, 'headers'>,
): string {
  const isBusy = BUSY_TYPES.includes(type) && headers.has('sec-fetch-site'); // sent by pages
  const isHidden = type === 'tool-error' ? FOREIGN_REASONS.has(reason) : INTERNAL_TYPES.has(type) || isBusy;
  return isHidden ? title : detail;
}

const BUSY_TYPES: readonly string[] = ['session-busy', 'turn-suspended'] satisfies ProblemType[];

/** Returns whether a request goes to the developer's own machine. */
const isOwnMachine = ({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean =>
  findRemoteSign(new URL(url).hostname, headers) === undefined;

/** Problems with text of a provider, a tool or a deployment. */
const INTERNAL_TYPES: ReadonlySet<string> = new Set<ProblemType>([
  'model-failure',
  'turn-failed',
  'misconfigured',
  'internal-error',
]);

/**
 * Reasons whose errors contain a tool's text, or text for the model. Other errors contain our own text or a
 * person's.
 */
const FOREIGN_REASONS: ReadonlySet<ErrorReason> = new Set<ErrorReason>([
  'threw',
  'unknown-tool',
  'invalid-input',
]);

class RequestErrorWording implements ErrorWording {
  readonly #tell: Tell;
  /** The calls that the client has run. Their errors contain the client's own text. */
  readonly #given = new Set<string>();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  problem(problem: RouteProblem): RouteProblem {
    const { type, status, detail } = problem;
    const title = PROBLEM_TITLES[type] ?? STATUS_TITLES[status] ?? 'The request is not valid.';
    const words = this.#words({ type, title, detail, status });
    return words === detail ? problem : { ...problem, detail: words, more: {} };
  }

  turn(error: TurnError): TurnError {
    const { type, message: detail } = error;
    const [status, problem] = FAILED_TURN_PROBLEMS[type];
    const title = TURN_TITLES[type] ?? PROBLEM_TITLES[problem] ?? FAILED_TITLE;
    return { ...error, message: this.#words({ type: problem, title, detail, status, error: type }) };
  }

  item<Item extends TurnItem>(item: Item): Item;
  item(item: TurnItem): TurnItem {
    switch (item.type) {
      case 'answer': {
        const { error, outcome } = item.answer;
        return error || outcome === 'returned-direct' ? { ...item, answer: this.#answer(item.answer) } : item;
      }
      case 'turn-ended':
        return item.error ? { ...item, error: this.turn(item.error) } : item;
      case 'tool-call-answered':
        if (item.answer.type === 'result') this.#given.add(item.call);
        return item;
      case 'tool-call-ended':
        return item.result.type !== 'error' || this.#given.has(item.call)
          ? item
          : { ...item, result: this.#result(item.result) };
      case 'model-replied':
        return item.parts ? this.#replied(item) : item;
      default:
        return item;
    }
  }

  async *items(items: AsyncIterable<TurnItem>): AsyncGenerator<TurnItem, void, undefined> {
    for await (const item of items) yield this.item(item);
  }

  #answer(answer: TurnAnswer): TurnAnswer {
    const { error, files = [], text } = answer;
    if (error) return { ...answer, error: this.turn(error) };
    if (files.length === 0) return answer;
    // The lines about files are for models.
    return {
      ...answer,
      text: joinTexts(
        toPartsWithFiles(
          text,
          files.map((file) => ({ ...file, type: 'file' as const })),
        ),
      ),
    };
  }

  #result(result: Extract<ResultData, { type: 'error' }>): ResultData {
    const { message, reason } = result;
    return { ...result, message: this.#failure(message, reason) };
  }

  /** Rewrites a reply, since it can contain errors of a provider's tool. */
  #replied(event: StoredEvent & EventOf<'model-replied'>): StoredEvent & EventOf<'model-replied'> {
    if (!event.parts?.some((part) => part.type === 'tool-result' && part.isError)) return event;
    const parts = event.parts.map((part) => {
      if (part.type !== 'tool-result' || !part.isError) return part;
      const { result } = part;
      return { ...part, result: this.#failure(typeof result === 'string' ? result : JSON.stringify(result)) };
    });
    return { ...event, parts };
  }

  #failure(detail: string, reason?: ErrorReason): string {
    const title = TOOL_TITLES[reason ?? 'threw'] ?? 'The tool failed.';
    return this.#words({ type: 'tool-error', title, detail, status: 502, reason });
  }

  #words(problem: ProblemToTell): string {
    try {
      const words: unknown = this.#tell(problem);
      return typeof words === 'string' ? words : problem.title;
    } catch {
      return problem.title;
    }
  }
}

/**
 * Returns the text of a result for a person. The text for a model has a line for each file. With `fileUrl`,
 * that line is replaced with one that contains the file's URL. Otherwise, it is removed.
 */
export function formatResult(result: ResultData, fileUrl?: (id: string) => string): string {
  const parts = listResultParts(result);
  if (parts.length === 0) return getModelText(result);
  if (!fileUrl) return joinTexts(parts);
  const texts = parts.map((part) => {
    if (!isFile(part)) return part.text;
    const url = isStoredFile(part) ? fileUrl(part.id) : isNewFile(part) ? '' : part.url;
    return `${part.name ?? part.mediaType}: ${url}`;
  });
  return joinParagraphs(...texts);
}

const FAILED_TITLE = 'Something went wrong.';

/** The titles of turn errors whose problem does not have a suitable title. */
const TURN_TITLES: { readonly [Type in TurnError['type']]?: string } = {
  'empty-reply': 'The model gave no answer.',
  'tool-not-found': 'The model asked for something that is not available.',
  'invalid-output': 'The model gave no usable answer.',
  'tool-failure': 'A tool failed, so there is no answer.',
  stuck: 'This answer could not be finished.',
};

/** The details of a failed call do not help a person. */
const TOOL_TITLES: { readonly [Reason in ErrorReason]?: string } = {
  limit: 'A limit was reached.',
  timeout: 'The tool took too long.',
  cancelled: 'The call was cancelled.',
  declined: 'The call was declined.',
  skipped: 'The call was skipped.',
  'unknown-outcome': 'It is not known whether this was done.',
};

const NOT_SET_UP_TITLE = 'This service is not set up correctly.';

/** The titles of problems that people may encounter. Other problems have the title of their status. */
const PROBLEM_TITLES: { readonly [Type in ProblemType]?: string } = {
  'body-too-large': 'The message is too large.',
  'file-too-large': 'The file is too large.',
  'files-full': 'There is no room for more files.',
  'session-full': 'This conversation is full.',
  'unsupported-media-type': 'Files of this kind are not accepted.',
  'session-erased': 'This conversation was deleted.',
  'session-busy': 'The last message is still being answered.',
  erasing: 'Conversations are being deleted.',
  'turn-suspended': 'A question must be answered first.',
  'model-failure': 'The model is not available right now.',
  misconfigured: NOT_SET_UP_TITLE,
  'not-configured': NOT_SET_UP_TITLE,
};

const STATUS_TITLES: Readonly<Record<number, string>> = {
  401: 'You are not signed in.',
  403: 'You may not do this.',
  404: 'This does not exist.',
  409: 'This has been answered, or has ended.',
  429: 'Too many requests. Try again later.',
  500: FAILED_TITLE,
  503: 'This is not available right now. Try again soon.',
};
