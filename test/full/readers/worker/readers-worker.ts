/**
 * The Worker whose sessions are read by many clients. Its model streams words at fixed intervals, and its
 * objects report their work.
 */

import { SessionObject as Base } from '../../../../durable-objects/index.ts';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { type ChatModel, defineAgent, defineTool } from '../../../../src/index.ts';
import { liveText } from '../../../../src/modules/live-text/entry.ts';
import { toSessionName } from '../../../doors/session.ts';
import type { ObjectWork } from '../work.ts';

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;
type MethodArguments<Way extends 'begin' | 'append' | 'renew' | 'read'> = Parameters<Base[Way]>;

/** The object whose code is running. Messages that are sent meanwhile are counted for this object. */
let atWork: SessionObject | undefined;

const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (message) {
  atWork?.sends(message);
  return send.call(this, message);
};

const countCharacters = (message: unknown): number => (typeof message === 'string' ? message.length : 0);

/** A session object that reports its activations and its work. */
export class SessionObject extends Base {
  readonly #calls: { [way: string]: number } = {};
  readonly #heard: number[] = [];
  readonly #sent: number[] = [];
  readonly #times: number[] = [];
  readonly #cursors: Cursor[];

  constructor(...[ctx, env]: ConstructorParameters<typeof Base>) {
    const { sql } = ctx.storage;
    const cursors: Cursor[] = [];
    const exec = sql.exec.bind(sql);
    sql.exec = (...given) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      return cursor as never; // the caller determines the type of the rows
    };
    super(ctx, env);
    this.#cursors = cursors;
  }

  /** Returns the work since the object was created. */
  work(): ObjectWork {
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    const rows = {
      read: sum(this.#cursors.map(({ rowsRead }) => rowsRead)),
      written: sum(this.#cursors.map(({ rowsWritten }) => rowsWritten)),
    };
    const heard = { messages: this.#heard.length, characters: sum(this.#heard) };
    const sent = { messages: this.#sent.length, characters: sum(this.#sent) };
    return { calls: this.#calls, heard, sent, rows, times: this.#times };
  }

  sends(message: unknown): void {
    this.#sent.push(countCharacters(message));
  }

  override begin(...given: MethodArguments<'begin'>): ReturnType<Base['begin']> {
    return this.#woken('begin', () => super.begin(...given));
  }

  override append(...given: MethodArguments<'append'>): ReturnType<Base['append']> {
    return this.#woken('append', () => super.append(...given));
  }

  override renew(...given: MethodArguments<'renew'>): ReturnType<Base['renew']> {
    return this.#woken('renew', () => super.renew(...given));
  }

  override read(...given: MethodArguments<'read'>): ReturnType<Base['read']> {
    return this.#woken('read', () => super.read(...given));
  }

  override fetch(request: Request): Response {
    return this.#woken('line', () => super.fetch(request));
  }

  override alarm(): void {
    this.#woken('alarm', () => super.alarm());
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#heard.push(countCharacters(message));
    this.#woken('message', () => super.webSocketMessage(socket, message));
  }

  #woken<Answer>(way: string, act: () => Answer): Answer {
    this.#calls[way] = (this.#calls[way] ?? 0) + 1;
    this.#times.push(Date.now());
    atWork = this;
    try {
      return act();
    } finally {
      atWork = undefined;
    }
  }
}

/** The requested turn, as the message describes it. */
interface SpeechOptions {
  readonly replies: number;
  /** The number of words of each reply. */
  readonly words: number;
  /** The pause before each word, in ms. */
  readonly pace: number;
}

/** Streams numbered words, and calls the tool after each reply except for the last. */
const speaker: ChatModel = {
  name: 'speaker',
  async ask({ messages }, { onText }) {
    const asked = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const { replies, words, pace } = JSON.parse(asked) as SpeechOptions; // the script in this folder sends this
    const reply = messages.length - messages.findLastIndex(({ role }) => role === 'user');
    const number = Math.ceil(reply / 2);
    let text = '';
    for (let word = 1; word <= words; word += 1) {
      await new Promise((resolve) => setTimeout(resolve, pace));
      const piece = `${number}.${word} `;
      text += piece;
      onText?.(piece);
    }
    const toolCalls = number < replies ? [{ id: 'look', name: 'look', input: '{}' }] : [];
    return { text, toolCalls, finish: number < replies ? 'tool-calls' : 'stop' };
  },
};

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'once', run: () => 'seen' });

const agent = defineAgent({
  name: 'speaker',
  description: 'Speaks.',
  instructions: '',
  model: speaker,
  tools: [look],
});

const holdfast = createHoldfast({
  agents: [agent],
  use: [liveText()],
  auth: () => ({ id: 'owner' }),
  http: { maxStreams: 1_000 },
});

interface Env {
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
  readonly [name: string]: unknown;
}

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/work') {
      return holdfast.worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, env, ctx); // no code reads `cf`
    }
    const session = searchParams.get('session') ?? '';
    const name = toSessionName({ owner: { id: 'owner' }, agent: 'speaker', session });
    return Response.json(await env.SESSIONS.getByName(name).work());
  },
} satisfies ExportedHandler<Env>;

export const { TurnRunner } = holdfast;
