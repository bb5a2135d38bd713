import type {
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputRequests,
  InputRequiredResult,
  ListRootsResult,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { Interrupted } from '../../loop/holder.ts';
import { sha256Hex } from '../../tool/async.ts';
import type { CallContext, Effect } from '../../tool/call.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import {
  type AskingClient,
  canBeAsked,
  fromRequestState,
  invalidState,
  type McpQuestion,
  notTaken,
  readAnswer,
  toRequestState,
} from './caller.ts';

/** What such a question is answered. */
export type McpAnswer<Question extends McpQuestion> = Question extends {
  readonly method: 'elicitation/create';
}
  ? ElicitResult
  : Question extends { readonly method: 'sampling/createMessage' }
    ? CreateMessageResult
    : ListRootsResult;

/** One `prompts/get`, as the `messages` of the prompt is given it: `askClient` takes it. */
export interface McpPromptCall {
  /** The prompt's name. */
  readonly prompt: string;
}

/**
 * Asks the client of a published tool or prompt, by keys of your own (MCP specification, multi round-trip requests). While something
 * is not answered yet, the client is answered what it is asked, and this never settles: when the client comes back, `run` or
 * `messages` begins anew, with the same input, and this answers. So everything before it runs again, under the same `call.idempotencyKey`. One key names one question in
 * all of the call, and an answer to another one does not count for it; further questions may depend on earlier answers. Each answer has the form of its method, and the
 * accepted content of a form matches its `requestedSchema`: the client is asked again for one that does not. It is the client's word,
 * and proves nothing. `undefined` stands for what the client cannot be asked, since it has not declared that: every client of a
 * revision before 2026-07-28.
 *
 * @throws Error when nobody can be asked: in a turn of an agent, and in a tool whose effect is `once`, since it would begin anew;
 *   when two questions have one key, and for a key by which no answer comes (`__proto__`, `constructor`, `prototype`).
 *
 * @example
 * ```ts
 * const greet = defineTool({
 *   name: 'greet',
 *   description: 'Greets the user by name.',
 *   effect: 'read',
 *   async run(_, call) {
 *     const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
 *     const { user } = await askClient(call, {
 *       user: { method: 'elicitation/create', params: { message: 'Who are you?', requestedSchema: schema } },
 *     });
 *     return `Hello, ${user?.content?.name ?? 'whoever you are'}.`;
 *   },
 * });
 * ```
 */
export async function askClient<Questions extends Readonly<Record<string, McpQuestion>>>(
  call: CallContext | McpPromptCall,
  questions: Questions,
): Promise<{ readonly [Key in keyof Questions]: McpAnswer<Questions[Key]> | undefined }> {
  const asking = ASKING.get(keyOf(call));
  if (!asking) throw new Error(notHere(call));
  const answers = await Promise.all(
    Object.entries(questions).map(
      async ([key, question]) => [key, await asking.answerTo(key, question)] as const,
    ),
  );
  if (asking.isWaiting) throw new Interrupted('suspended', 'The client is asked first.');
  // Each was checked by its method.
  return Object.fromEntries(answers) as { [Key in keyof Questions]: McpAnswer<Questions[Key]> | undefined };
}

/** What is asked in which call. */
const ASKING = new WeakMap<object, Asking>();

/** Returns an object of the call's own, which no other code can make: the signal of its effect, of which modules and the tool have the same. */
const keyOf = (call: CallContext | McpPromptCall): object => ('tool' in call ? call.signal : call);

/** Lets `askClient` ask in this call. @throws Error when the call must not begin anew. */
export function mayAsk(call: CallContext | McpPromptCall, asking: Asking, effect: Effect = 'read'): void {
  asking.mustNotAsk = effect === 'once' && 'tool' in call ? beginsAnew(call.tool) : undefined;
  ASKING.set(keyOf(call), asking);
}

const notHere = (call: CallContext | McpPromptCall): string => {
  const what = 'tool' in call ? `Tool '${call.tool}'` : 'This';
  return (
    `${what} asks its client by askClient, and was not called by one: only a tool or prompt that defineMcpEndpoint publishes ` +
    'is, and only with the call that it was given. In a turn of an agent, ask by call.ask, requireApproval or humanInput.'
  );
};

const beginsAnew = (tool: string): string =>
  `Tool '${tool}' asks its client by askClient, and its effect is 'once': its run would begin anew after the answer. Give it the ` +
  "effect 'read' or 'idempotent', or publish an agent whose tool is approved before it runs.";

const twoQuestions = (key: string): string =>
  `askClient is given two questions by the key '${key}'. Give each a key of its own: an answer is found by its key.`;

/** Clients, servers and we ourselves leave these out of objects that come off the wire, for what plain objects would make of them. */
const DROPPED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const noKey = (key: string): string =>
  `askClient is given the key '${key}', by which clients answer nothing. Give the question another one.`;

const Texts = v.record(v.string(), v.string());
const State = v.strictObject({
  answers: v.record(v.string(), v.unknown()),
  asked: Texts,
  of: v.string(),
  key: v.string(),
});

/** What was asked before, by its keys: digests of the questions, and what was answered in earlier rounds. */
type Before = Pick<v.InferOutput<typeof State>, 'answers' | 'asked'>;

/** A request, as it is told from others. */
interface AskedAbout {
  /** Its method, the name of what it asks for, and the input. */
  readonly about: readonly Json[];
  /** Names the call, of which this request is the first. */
  readonly key: string;
}

/** What one request asks its client, and what the client has answered. */
export class Asking {
  /** Names the call in all of its requests: it is the one of the first. */
  readonly key: string;
  readonly #client: AskingClient;
  readonly #about: readonly Json[];
  /** Absent in a first request. */
  readonly #before: Before | undefined;
  /** Digests of what is asked now. */
  readonly #asked = new Map<string, string>();
  readonly #given = new Map<string, unknown>();
  readonly #wanted = new Map<string, InputRequest>();
  /** Why nothing may be asked. */
  mustNotAsk: string | undefined;

  private constructor(client: AskingClient, { about, key }: AskedAbout, before?: Before) {
    this.key = key;
    this.#client = client;
    this.#about = about;
    this.#before = before;
  }

  /** @throws RpcError when the client brings the state of another request, or none of ours. */
  static async of(client: AskingClient, asked: AskedAbout): Promise<Asking> {
    const { state } = client;
    if (state === undefined) return new Asking(client, asked);
    const read = typeof state === 'string' ? v.safeParse(State, fromRequestState(state)) : undefined;
    if (!read?.success) throw invalidState();
    const { of, key, ...before } = read.output;
    const { about } = asked;
    if (of !== (await digestOf(about, before))) throw invalidState();
    return new Asking(client, { about, key }, before);
  }

  /** True when the client has to answer before the call can go on. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  /**
   * A valid answer; `undefined` when there is none, and the question is put if the client can be asked. An answer counts for the
   * question that was put, and for no other one that has its key by now.
   *
   * @throws Error when the call asks something else by the same key.
   */
  async answerTo(key: string, question: McpQuestion): Promise<unknown> {
    if (this.mustNotAsk !== undefined) throw new Error(this.mustNotAsk);
    if (DROPPED.has(key)) throw new Error(noKey(key));
    if (!canBeAsked(this.#client.capabilities, question)) return undefined;
    const digest = await sha256Hex(JSON.stringify(question));
    if ((this.#asked.get(key) ?? digest) !== digest) throw new Error(twoQuestions(key));
    this.#asked.set(key, digest);
    const all = this.#wasPut(key, digest)
      ? [this.#client.answers, this.#before?.answers ?? {}].filter((given) => Object.hasOwn(given, key))
      : [];
    const [sent] = all.map((given) => given[key]);
    const read = all.length === 0 ? { problems: [] } : readAnswer(question, sent);
    if ('answer' in read) this.#given.set(key, sent);
    else this.#wanted.set(key, askedAgain(question, read.problems));
    return 'answer' in read ? read.answer : undefined;
  }

  /** A client that answers in its first request has been asked nothing, and knows what it answers. */
  #wasPut(key: string, digest: string): boolean {
    if (!this.#before) return true;
    const { asked } = this.#before;
    return Object.hasOwn(asked, key) && asked[key] === digest;
  }

  /** Answers what `run` does; or, when it has asked the client for more, that: whatever it has made of it, it begins anew. */
  async orAsked<Result>(run: () => Promise<Result>): Promise<Result | InputRequiredResult> {
    try {
      const result = await run();
      if (!this.isWaiting) return result;
    } catch (thrown) {
      if (!this.isWaiting) throw thrown;
    }
    return this.#toResult();
  }

  async #toResult(): Promise<InputRequiredResult> {
    const inputRequests: InputRequests = Object.fromEntries(this.#wanted);
    const answers = Object.fromEntries(this.#given) as JsonObject; // they came off the wire as JSON
    const now = { answers, asked: Object.fromEntries(this.#asked) };
    const of = await digestOf(this.#about, now);
    const requestState = toRequestState({ ...now, of, key: this.key });
    return { resultType: 'input_required', inputRequests, requestState };
  }
}

/** Binds answers to the request that they were given for, so that a client that mixes up its requests is told. */
const digestOf = (about: readonly Json[], { answers, asked }: Before): Promise<string> =>
  sha256Hex(JSON.stringify([about, answers, asked]));

/** Only a person reads why they are asked again. What the developer has declared is a request, and is not changed from here on. */
function askedAgain(question: McpQuestion, problems: readonly string[]): InputRequest {
  const { method, params = {} } = question;
  const message = 'message' in params ? { message: [...notTaken(problems), params.message].join('\n') } : {};
  return { method, params: { ...params, ...message } } as InputRequest;
}
