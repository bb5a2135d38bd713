/**
 * Compares every response in the tests with the description of the HTTP surface. A test fails if they differ.
 */
import { createParser } from 'eventsource-parser';
import {
  createDescription,
  DEFAULT_STATUS,
  type DescribedApp,
  type DescribedResponse,
  type Description,
  type ValueCheck,
} from './description.ts';

/** Sends a request to an app. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/**
 * Sends with `send`, and throws if the response does not match its description. Ignores paths outside the
 * app.
 */
export function checkResponses(send: Send, { base = '', ...app }: DescribedApp = {}): Send {
  let description: Description | undefined;
  return async (path, init) => {
    const response = await send(path, init);
    const url = response.redirected ? response.url : path;
    const { pathname } = new URL(url.startsWith('/') ? `http://localhost${url}` : url);
    if (app.use && app.use.length > 0) description ??= createDescription(app);
    else description ??= usual ??= createDescription({});
    if (pathname !== base && !pathname.startsWith(`${base}/`)) return response;
    return checkResponse(description, {
      pathname: pathname.slice(base.length) || '/',
      method: init?.method ?? 'GET',
      response,
    });
  };
}

let usual: Description | undefined;

/** An event of a stream. */
interface SentEvent {
  readonly id?: number | string;
  readonly event: string;
  readonly data: unknown;
}

/** Throws if an event of a described stream does not match its type. */
export const assertDescribedEvent = (stream: Response, event: SentEvent): void =>
  streams.get(stream)?.(event);

const streams = new WeakMap<Response, (event: SentEvent) => void>();

interface CheckedAnswer {
  readonly pathname: string;
  readonly method: string;
  readonly response: Response;
}

async function checkResponse(description: Description, answered: CheckedAnswer): Promise<Response> {
  const { method, response, pathname } = answered;
  const { status, headers } = response;
  // A preflight request is not an operation.
  if (method === 'OPTIONS') return response;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const isProblem = type === 'application/problem+json';
  const isWhole = type === '' || /^application\/(problem\+)?json$/.test(type);
  const text = isWhole ? await response.text() : '';
  const fail = (what: string): never => {
    const told = `${method} ${pathname} -> ${status} ${type}`;
    throw new Error(`${told} does not match its description: ${what}\n${text.slice(0, 2000)}`);
  };
  const responses = findResponses(description, answered);
  const value: unknown = text === '' ? undefined : JSON.parse(text);
  if (!responses || isOfNoRoute(value)) {
    if (isProblem) failOn(fail, description.problem(value));
  } else {
    const described = responses.get(status) ?? responses.get(DEFAULT_STATUS) ?? fail('it has no such status');
    const check = described.content.get(type) ?? described.content.get('*/*');
    if (type !== '' && !check) fail('it has no such content');
    if (value !== undefined)
      failOn(fail, [...(check?.(value) ?? []), ...(isProblem ? findUnnamed(value, described) : [])]);
    if (type === 'text/event-stream' && described.event) watch(response, described.event, fail);
  }
  return isWhole ? new Response(text === '' ? null : text, { status, headers }) : response;
}

/** Returns the described responses of a path, by status. */
const findResponses = ({ paths }: Description, { pathname, method }: CheckedAnswer) =>
  paths.find(({ path }) => path.test(pathname))?.methods.get(method === 'HEAD' ? 'GET' : method);

const getProblemType = (value: unknown): string =>
  String(Object(value).type).replace('urn:holdfast:problem:', '');

const isOfNoRoute = (value: unknown): boolean =>
  ['unknown-route', 'method-not-allowed'].includes(getProblemType(value));

/** Reports a problem type that the described status does not list. */
function findUnnamed(value: unknown, { description }: DescribedResponse): readonly string[] {
  return description.includes(`\`${getProblemType(value)}\``)
    ? []
    : [`${getProblemType(value)} is not among ${description}`];
}

function failOn(fail: (what: string) => never, problems: readonly string[]): void {
  if (problems.length > 0) fail(problems.join('; '));
}

/** Checks the events of a stream as they are read, through `assertDescribedEvent` or as one text. */
function watch(response: Response, check: ValueCheck, fail: (what: string) => never): void {
  const checkEvent = (event: SentEvent): void =>
    failOn(
      fail,
      check(event).map((problem) => `${event.event}: ${problem}`),
    );
  streams.set(response, checkEvent);
  const read = response.text.bind(response);
  const readText = async (): Promise<string> => {
    const all = await read();
    const onEvent = ({
      id,
      event = 'message',
      data,
    }: {
      id?: string | undefined;
      event?: string | undefined;
      data: string;
    }): void => checkEvent({ ...(id !== undefined && { id }), event, data: JSON.parse(data) });
    createParser({ onEvent }).feed(all);
    return all;
  };
  Object.defineProperty(response, 'text', { value: readText });
}
