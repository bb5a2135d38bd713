import type {
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputRequests,
  InputRequiredResult,
  ListRootsResult,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { InterruptionError } from '../../loop/holder.ts';
import { computeSha256Hex } from '../../tool/async.ts';
import type { CallContext, Effect } from '../../tool/call.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import {
  type AskingClient,
  canBeAsked,
  createInvalidStateError,
  formatNotAccepted,
  type McpQuestion,
  parseRequestState,
  readAnswer,
  toRequestState,
} from './caller.ts';

/** The client's answer to a question of this type. */
export type McpAnswer<Question extends McpQuestion> = Question extends {
  readonly method: 'elicitation/create';
}
  ? ElicitResult
  : Question extends { readonly method: 'sampling/createMessage' }
    ? CreateMessageResult
    : ListRootsResult;

/** One `prompts/get`, as passed to the `messages` of a prompt. `askClient` accepts it. */
export interface McpPromptCall {
  /** The prompt's name. */
  readonly prompt: string;
}

/**
 * Asks the client of a published tool or prompt questions, each under a key of your choice (MCP
 * specification, multi round-trip requests).
 *
 * While a question has no answer, the client receives the questions as its response, and this promise never
 * settles. When the client returns, `run` or `messages` starts again with the same input, and this promise
 * resolves. Code before it therefore runs again, with the same `call.idempotencyKey`.
 *
 * Each key identifies one question in the whole call. An answer to a different question under the same key
 * does not count. Later questions can depend on earlier answers. Each answer has the form of its method, and
 * the accepted content of a form matches its `requestedSchema`; otherwise the client is asked again. An
 * answer is an unverified claim by the client. It is `undefined` if the client has not declared support for
 * the question. That holds for every client of a revision before 2026-07-28.
 *
 * @throws Error if asking is impossible: in a turn of an agent, and in a tool with the effect `once`, because
 * it would run again. Also throws if two questions share a key, or a key is one of `__proto__`, `constructor`
 * and `prototype`.
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
 *     return `Hello, ${user?.content?.name ?? 'stranger'}.`;
 *   },
 * });
 * ```
 */
export async function askClient<Questions extends Readonly<Record<string, McpQuestion>>>(
  call: CallContext | McpPromptCall,
  questions: Questions,
): Promise<{ readonly [Key in keyof Questions]: McpAnswer<Questions[Key]> | undefined }> {
  const asking = ASKING_BY_CALL.get(getCallKey(call));
  if (!asking) throw new Error(formatCannotAskMessage(call));
  const answers = await Promise.all(
    Object.entries(questions).map(
      async ([key, question]) => [key, await asking.answerTo(key, question)] as const,
    ),
  );
  if (asking.isWaiting) throw new InterruptionError('suspended', 'The client is asked first.');
  // Each answer was checked by its method.
  return Object.fromEntries(answers) as { [Key in keyof Questions]: McpAnswer<Questions[Key]> | undefined };
}

/** The questions of each call. */
const ASKING_BY_CALL = new WeakMap<object, ClientQuestions>();

/**
 * Returns an object that belongs to the call, and that other code cannot create: the signal of its effect,
 * which modules and the tool share.
 */
const getCallKey = (call: CallContext | McpPromptCall): object => ('tool' in call ? call.signal : call);

/** Allows `askClient` in this call. @throws Error if the call must not run again. */
export function allowAsking(
  call: CallContext | McpPromptCall,
  asking: ClientQuestions,
  effect: Effect = 'read',
): void {
  asking.mustNotAsk = effect === 'once' && 'tool' in call ? formatRunsAgainMessage(call.tool) : undefined;
  ASKING_BY_CALL.set(getCallKey(call), asking);
}

const formatCannotAskMessage = (call: CallContext | McpPromptCall): string => {
  const what = 'tool' in call ? `Tool '${call.tool}'` : 'This';
  return (
    `${what} uses askClient, but was not called by an MCP client. askClient works only in a tool or prompt that ` +
    'defineMcpEndpoint publishes, with the call that it receives. In a turn of an agent, use call.ask, requireApproval or humanInput.'
  );
};

const formatRunsAgainMessage = (tool: string): string =>
  `Tool '${tool}' uses askClient, but its effect is 'once', and it would run again after the answer. Give it the ` +
  "effect 'read' or 'idempotent', or publish an agent whose tool is approved before it runs.";

const formatDuplicateKeyMessage = (key: string): string =>
  `askClient received two questions with the key '${key}'. Give each question its own key, which its answer has too.`;

/**
 * The keys that clients, servers and Holdfast drop from received objects, because they can alter plain
 * objects.
 */
const DROPPED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const formatDroppedKeyMessage = (key: string): string =>
  `askClient received the key '${key}', which clients drop. Use another key.`;

const Texts = v.record(v.string(), v.string());
const State = v.strictObject({
  answers: v.record(v.string(), v.unknown()),
  asked: Texts,
  of: v.string(),
  key: v.string(),
});

/** The earlier rounds: digests of the questions and the answers, by key. */
type EarlierRounds = Pick<v.InferOutput<typeof State>, 'answers' | 'asked'>;

interface RequestIdentity {
  /** Its method, the name of its target, and the input. */
  readonly about: readonly Json[];
  /** The name of the call, if this is its first request. */
  readonly key: string;
}

/** The questions of one request, and the client's answers. */
export class ClientQuestions {
  /** The name of the call in all of its requests, set by the first. */
  readonly key: string;
  readonly #client: AskingClient;
  readonly #about: readonly Json[];
  /** Absent in a first request. */
  readonly #before: EarlierRounds | undefined;
  /** The digests of the current questions. */
  readonly #asked = new Map<string, string>();
  readonly #given = new Map<string, unknown>();
  readonly #wanted = new Map<string, InputRequest>();
  /** The reason why questions are not allowed, if there is one. */
  mustNotAsk: string | undefined;

  private constructor(client: AskingClient, { about, key }: RequestIdentity, before?: EarlierRounds) {
    this.key = key;
    this.#client = client;
    this.#about = about;
    this.#before = before;
  }

  /**
   * Reads the client's answers and state. @throws RpcError if the state belongs to another request or is
   * invalid.
   */
  static async of(client: AskingClient, asked: RequestIdentity): Promise<ClientQuestions> {
    const { state } = client;
    if (state === undefined) return new ClientQuestions(client, asked);
    const read = typeof state === 'string' ? v.safeParse(State, parseRequestState(state)) : undefined;
    if (!read?.success) throw createInvalidStateError();
    const { of, key, ...before } = read.output;
    const { about } = asked;
    if (of !== (await computeDigest(about, before))) throw createInvalidStateError();
    return new ClientQuestions(client, { about, key }, before);
  }

  /** `true` if the call needs answers of the client to continue. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  /**
   * Returns a valid answer, or `undefined` if there is none. In that case the question is added, if the
   * client can be asked. An answer counts only for the question that was asked, and not for a different one
   * with the same key.
   *
   * @throws Error if the call asks two different questions with the same key.
   */
  async answerTo(key: string, question: McpQuestion): Promise<unknown> {
    if (this.mustNotAsk !== undefined) throw new Error(this.mustNotAsk);
    if (DROPPED_KEYS.has(key)) throw new Error(formatDroppedKeyMessage(key));
    if (!canBeAsked(this.#client.capabilities, question)) return undefined;
    const digest = await computeSha256Hex(JSON.stringify(question));
    if ((this.#asked.get(key) ?? digest) !== digest) throw new Error(formatDuplicateKeyMessage(key));
    this.#asked.set(key, digest);
    const all = this.#wasPut(key, digest)
      ? [this.#client.answers, this.#before?.answers ?? {}].filter((given) => Object.hasOwn(given, key))
      : [];
    const [sent] = all.map((given) => given[key]);
    const read = all.length === 0 ? { problems: [] } : readAnswer(question, sent);
    if ('answer' in read) this.#given.set(key, sent);
    else this.#wanted.set(key, toRepeatedQuestion(question, read.problems));
    return 'answer' in read ? read.answer : undefined;
  }

  /**
   * Returns whether the client was asked this question. The first request follows no question, so its answers
   * are accepted.
   */
  #wasPut(key: string, digest: string): boolean {
    if (!this.#before) return true;
    const { asked } = this.#before;
    return Object.hasOwn(asked, key) && asked[key] === digest;
  }

  /**
   * Returns the result of `run`. If it asked the client for more, returns the questions instead and discards
   * the result, because `run` will start again.
   */
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
    const answers = Object.fromEntries(this.#given) as JsonObject; // they arrived as JSON
    const now = { answers, asked: Object.fromEntries(this.#asked) };
    const of = await computeDigest(this.#about, now);
    const requestState = toRequestState({ ...now, of, key: this.key });
    return { resultType: 'input_required', inputRequests, requestState };
  }
}

/** Returns a digest that ties answers to their request. It detects a client that confuses its requests. */
const computeDigest = (about: readonly Json[], { answers, asked }: EarlierRounds): Promise<string> =>
  computeSha256Hex(JSON.stringify([about, answers, asked]));

/**
 * Adds the reasons for asking again, which only a person reads. A declared schema is typed as read-only; it
 * is not changed.
 */
function toRepeatedQuestion(question: McpQuestion, problems: readonly string[]): InputRequest {
  const { method, params = {} } = question;
  const message =
    'message' in params ? { message: [...formatNotAccepted(problems), params.message].join('\n') } : {};
  return { method, params: { ...params, ...message } } as InputRequest;
}
