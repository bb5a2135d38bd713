import { pollUntil } from '../../src/examples/demo/ports.ts';

/** A response with its unparsed body. */
export interface Answer {
  /** The request, without the address of its session. */
  readonly to: string;
  readonly status: number;
  readonly type: string | null;
  readonly location: string | null;
  readonly body: string;
}

/** A session over HTTP, whose requests and responses are recorded. */
export interface Talk {
  readonly answers: readonly Answer[];
  /** The path is relative to the session. */
  get(path: string): Promise<Answer>;
  post(path: string, body?: object, headers?: Headers): Promise<Answer>;
  /** Sends a message and waits for the answer. */
  say(message: string, more?: object): Promise<Answer>;
  /** Sends a message without waiting for the answer. */
  start(message: string): Promise<Answer>;
  /** Sends a message that starts after the open turn, and waits for the answers of both turns. */
  sayNext(message: string): Promise<Answer>;
  /** Answers the pending call of this tool with a decision or a result. */
  settle(tool: string, body: object, headers?: Headers): Promise<Answer>;
  /** Sends a delivery to a webhook. */
  deliver(hook: string, body: object): Promise<Answer>;
  /** Resolves when the session is idle: its open turn waits for a person, or it has only scheduled turns. */
  rest(): Promise<void>;
  /** Resolves when the journal has this many events of a type. These requests are not recorded. */
  happened(type: string, times?: number): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

const PATIENCE = 30_000;

/** Opens a session. `as` contains headers for each request, which identify the caller. */
export function openTalk(worker: string, agent: string, as: Headers = {}): Talk {
  const path = `/agents/${agent}/sessions/s`;
  const answers: Answer[] = [];
  const ask = async (to: string, path: string, init: RequestInit): Promise<Answer> => {
    const answer = await sendRequest(to, worker + path, { ...init, headers: { ...as, ...init.headers } });
    answers.push(answer);
    return answer;
  };
  const sendGet = (what: string) => sendRequest(`GET ${what}`, worker + path + what, { headers: as });
  const post: Talk['post'] = (to, body = {}, headers = {}) =>
    ask(`POST ${to} ${formatRequest(body, headers)}`, path + to, toPost(body, headers));
  return {
    answers,
    get: (to) => ask(`GET ${to}`, path + to, {}),
    post,
    say: (message, more = {}) => post('/messages', { message, ...more }),
    start: (message) => post('/messages', { message }, { prefer: 'respond-async' }),
    sayNext: (message) => post('/messages?whenBusy=queue', { message }),
    settle: async (tool, body, headers = {}) => {
      const link = getPendingLink(await sendGet(''), tool);
      return ask(`POST ${tool} ${formatRequest(body, headers)}`, link, toPost(body, headers));
    },
    deliver: (hook, body) =>
      ask(`POST /hooks/${hook} ${formatRequest(body)}`, `/hooks/${hook}`, toPost(body)),
    rest: () =>
      pollUntil(`${agent} is at rest`, PATIENCE, async () => {
        const { openTurn, waiting, pending } = JSON.parse((await sendGet('')).body) as State; // documented in docs/http.md
        return openTurn === null ? waiting.every(({ status }) => status === 'scheduled') : pending.length > 0;
      }),
    happened: (type, times = 1) =>
      pollUntil(`${agent} has ${times} of ${type}`, PATIENCE, async () => {
        const { events } = JSON.parse((await sendGet('/events')).body) as Events; // documented in docs/http.md
        return events.filter((event) => event.type === type).length >= times;
      }),
  };
}

/** The part of a `GET session` response that is used here. */
interface State {
  readonly openTurn: string | null;
  readonly waiting: readonly { readonly status: string }[];
  readonly pending: readonly { readonly tool: string; readonly links: Readonly<Record<string, string>> }[];
}

/** The part of a `GET events` response that is used here. */
interface Events {
  readonly events: readonly { readonly type: string }[];
}

function getPendingLink({ body }: Answer, tool: string): string {
  const { pending } = JSON.parse(body) as State; // documented in docs/http.md
  const [link] = Object.values(pending.find((one) => one.tool === tool)?.links ?? {});
  if (link === undefined) throw new Error(`The session has no pending call of ${tool}: ${body}`);
  return link;
}

const formatRequest = (body: object, headers: Headers = {}): string =>
  [body, ...(Object.keys(headers).length > 0 ? [headers] : [])].map((one) => JSON.stringify(one)).join(' ');

const toPost = (body: object, headers: Headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

async function sendRequest(to: string, url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), redirect: 'manual', ...init });
  const { status, headers } = response;
  const [type, location] = [headers.get('content-type'), headers.get('location')];
  return { to, status, type, location, body: await response.text() };
}

/** Reads the journal as a stream up to the event with this sequence number, and then disconnects. */
export async function readStream(
  worker: string,
  agent: string,
  { as = {}, head }: StreamOptions,
): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE);
  const headers = { accept: 'text/event-stream', ...as };
  const response = await fetch(`${worker}/agents/${agent}/sessions/s/events`, { headers, signal });
  let told = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += piece;
    const last = new RegExp(`\nid: ${head}(?:-.*)?\n`).exec(told)?.index ?? -1;
    if (last >= 0 && told.indexOf('\n\n', last + 1) >= 0) break;
  }
  // Removes the incarnation from event ids. The incarnation is also in the first event, and the ids in stored
  // readings do not contain it.
  return told.replaceAll(/^(id: \d+)-.*$/gm, '$1');
}

interface StreamOptions {
  readonly as?: Headers | undefined;
  readonly head: number;
}
