import { until } from '../../src/examples/demo/ports.ts';

/** What a request was answered with, as it came. */
export interface Answer {
  /** The request, without the address of its session. */
  readonly to: string;
  readonly status: number;
  readonly type: string | null;
  readonly location: string | null;
  readonly body: string;
}

/** One session over HTTP; what it was asked here, and answered, is kept. */
export interface Talk {
  readonly answers: readonly Answer[];
  /** Paths of the session. */
  get(path: string): Promise<Answer>;
  post(path: string, body?: object, headers?: Headers): Promise<Answer>;
  /** Says something, and waits for the answer. */
  say(message: string, more?: object): Promise<Answer>;
  /** Says something, and does not. */
  start(message: string): Promise<Answer>;
  /** Says something that waits until the open turn has ended, and waits for the answer to both. */
  sayNext(message: string): Promise<Answer>;
  /** Answers a call of this tool that waits: with a decision, or with what came of it. */
  settle(tool: string, body: object, headers?: Headers): Promise<Answer>;
  /** A delivery to a webhook. */
  deliver(hook: string, body: object): Promise<Answer>;
  /** Resolves when nothing goes on by itself: the open turn waits for somebody, or none is open or waits but for its time. */
  rest(): Promise<void>;
  /** Resolves when the journal has so many events of a type; not kept. */
  happened(type: string, times?: number): Promise<void>;
}

type Headers = Readonly<Record<string, string>>;

const PATIENCE = 30_000;

/** `as`: headers of each of its requests, which say who asks. */
export function openTalk(worker: string, agent: string, as: Headers = {}): Talk {
  const path = `/agents/${agent}/sessions/s`;
  const answers: Answer[] = [];
  const ask = async (to: string, path: string, init: RequestInit): Promise<Answer> => {
    const answer = await asked(to, worker + path, { ...init, headers: { ...as, ...init.headers } });
    answers.push(answer);
    return answer;
  };
  const look = (what: string) => asked(`GET ${what}`, worker + path + what, { headers: as });
  const post: Talk['post'] = (to, body = {}, headers = {}) =>
    ask(`POST ${to} ${shown(body, headers)}`, path + to, toPost(body, headers));
  return {
    answers,
    get: (to) => ask(`GET ${to}`, path + to, {}),
    post,
    say: (message, more = {}) => post('/messages', { message, ...more }),
    start: (message) => post('/messages', { message }, { prefer: 'respond-async' }),
    sayNext: (message) => post('/messages?whenBusy=queue', { message }),
    settle: async (tool, body, headers = {}) => {
      const link = linkTo(await look(''), tool);
      return ask(`POST ${tool} ${shown(body, headers)}`, link, toPost(body, headers));
    },
    deliver: (hook, body) => ask(`POST /hooks/${hook} ${shown(body)}`, `/hooks/${hook}`, toPost(body)),
    rest: () =>
      until(`${agent} is at rest`, PATIENCE, async () => {
        const { openTurn, waiting, pending } = JSON.parse((await look('')).body) as State; // as DESIGN 7 says
        return openTurn === null ? waiting.every(({ status }) => status === 'scheduled') : pending.length > 0;
      }),
    happened: (type, times = 1) =>
      until(`${agent} has ${times} of ${type}`, PATIENCE, async () => {
        const { events } = JSON.parse((await look('/events')).body) as Events; // as DESIGN 7 says
        return events.filter((event) => event.type === type).length >= times;
      }),
  };
}

/** What `GET session` tells, as far as it is looked at here. */
interface State {
  readonly openTurn: string | null;
  readonly waiting: readonly { readonly status: string }[];
  readonly pending: readonly { readonly tool: string; readonly links: Readonly<Record<string, string>> }[];
}

/** What `GET events` tells. */
interface Events {
  readonly events: readonly { readonly type: string }[];
}

function linkTo({ body }: Answer, tool: string): string {
  const { pending } = JSON.parse(body) as State; // as DESIGN 7 says
  const [link] = Object.values(pending.find((one) => one.tool === tool)?.links ?? {});
  if (link === undefined) throw new Error(`No call of ${tool} waits: ${body}`);
  return link;
}

const shown = (body: object, headers: Headers = {}): string =>
  [body, ...(Object.keys(headers).length > 0 ? [headers] : [])].map((one) => JSON.stringify(one)).join(' ');

const toPost = (body: object, headers: Headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

async function asked(to: string, url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), redirect: 'manual', ...init });
  const { status, headers } = response;
  const [type, location] = [headers.get('content-type'), headers.get('location')];
  return { to, status, type, location, body: await response.text() };
}

/** The journal as a stream tells it, up to the event of this sequence; then it would go on, and is left. */
export async function streamed(worker: string, agent: string, { as = {}, head }: Streamed): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE);
  const headers = { accept: 'text/event-stream', ...as };
  const response = await fetch(`${worker}/agents/${agent}/sessions/s/events`, { headers, signal });
  let told = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += piece;
    const last = new RegExp(`\nid: ${head}(?:-.*)?\n`).exec(told)?.index ?? -1;
    if (last >= 0 && told.indexOf('\n\n', last + 1) >= 0) break;
  }
  // What tells the session from others of its name is in its first event as well, and in no id that was kept.
  return told.replaceAll(/^(id: \d+)-.*$/gm, '$1');
}

interface Streamed {
  readonly as?: Headers | undefined;
  readonly head: number;
}
