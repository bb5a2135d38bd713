import type { Decision } from '../../tool/call.ts';
import { checkNaming, checkTime, checkWord } from '../../tool/check-definition.ts';
import { checkCall, checkInput } from '../../tool/check-input.ts';
import { MAX_TIMEOUT_MS } from '../../tool/define-tool.ts';
import { toInputSchema } from '../../tool/input-schema.ts';
import type { JsonSchema } from '../../tool/json.ts';
import { exitEarly } from '../../tool/signals.ts';
import type { CallRun, Tool } from '../../tool/tool.ts';
import { createFailureResult, type ToolResult, text } from '../../tool/tool-result.ts';
import { answers } from '../answers/answers.ts';
import { jsonSchema } from '../json-schema/json-schema.ts';
import { askReviewer, assertHandler, REVIEW_TIMEOUT_MS, type ReviewHandler } from './review.ts';

/** A model's question to a person. */
export interface HumanQuestion {
  readonly question: string;
}

/** The configuration of `humanInput`. */
export interface HumanInputConfig<Name extends string> {
  /** Defaults to `human_input`. */
  readonly name?: Name | undefined;
  /** Describes to the model when to ask. */
  readonly description?: string | undefined;
  /** The role that can answer. */
  readonly by?: string | undefined;
  /** Excludes people from answering. `requester` excludes the senders of the turn's messages. */
  readonly notBy?: 'requester' | undefined;
  /** Milliseconds until `onExpiry` applies. Defaults to five minutes. */
  readonly expires?: number | undefined;
  /** The decision at expiry. Defaults to `approve`, which lets the model continue. */
  readonly onExpiry?: 'approve' | 'exit' | undefined;
  /** A reviewer that the tool asks instead of the session's people, while the call waits. */
  readonly handler?: ReviewHandler<HumanQuestion> | undefined;
}

const QUESTION_SCHEMA = jsonSchema({
  type: 'object',
  properties: { question: { type: 'string', minLength: 1, description: 'What to ask the person' } },
  required: ['question'],
  additionalProperties: false,
});

/** The schema of an `edit`'s input. */
const ANSWER_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The answer' } },
  required: ['text'],
  additionalProperties: false,
};

/**
 * Creates a tool with which a model asks a person. The answer is the `text` of an `edit`. An `approve` lets
 * the model continue, and an `exit` ends the turn. In a session, the call is suspended until then. Outside a
 * session and without a handler, the result says that no reviewer is available.
 *
 * @throws ToolDefinitionError if the tool cannot work.
 * @throws ToolConfigurationError if the handler is not a function.
 *
 * @example
 * ```ts
 * const ask = humanInput({ description: 'Ask the manager about discounts.', by: 'manager' });
 * ```
 */
export function humanInput<const Name extends string = 'human_input'>(
  config: HumanInputConfig<Name> = {},
): Tool<Name, HumanQuestion, string> {
  const {
    description = 'Ask a person, and get their answer.',
    expires = REVIEW_TIMEOUT_MS,
    handler,
  } = config;
  const name = config.name ?? ('human_input' as Name); // the type parameter's default
  checkNaming(name, description);
  if (handler !== undefined) assertHandler(name, handler);
  checkTime(name, { expires }, handler && MAX_TIMEOUT_MS);
  checkWord(name, { onExpiry: config.onExpiry }, ['approve', 'exit']);
  checkWord(name, { notBy: config.notBy }, ['requester']);
  const schema = toInputSchema(QUESTION_SCHEMA);
  const tool: Tool<Name, HumanQuestion, string> = {
    name,
    description,
    inputSchema: schema.json,
    effect: 'none',
    returnDirect: false,
    metadata: {},
    uses: [answers],
    check: (input, as = name) => checkInput(schema, input, as),
    async call(input, call) {
      const checked = await checkCall(schema, input, call);
      if (!checked.ok) return checked.answer;
      if (!handler && !call.inSession) return text(NO_REVIEWER_MESSAGE);
      const question = { question: String(checked.value.question) };
      const decision = await requestAnswer({ ...question, tool, call }, { ...config, expires });
      return toAnswer(question, decision);
    },
  };
  return tool;
}

const NO_REVIEWER_MESSAGE = 'No reviewer is available. Please proceed with your best judgment.';

interface AskingCall extends HumanQuestion {
  readonly tool: Tool;
  readonly call: CallRun;
}

function requestAnswer(
  { question, tool, call }: AskingCall,
  {
    by,
    notBy,
    expires,
    onExpiry = 'approve',
    handler,
  }: HumanInputConfig<string> & { readonly expires: number },
): Promise<Decision> {
  if (!handler) {
    return call.ask({
      for: 'decision',
      message: question,
      allows: ['approve', 'edit', 'exit'],
      schema: ANSWER_SCHEMA,
      by,
      notBy,
      expires,
      onExpiry,
    });
  }
  const request = { tool, input: { question }, sent: { question }, message: question, call };
  const asked = { ...request, timeout: expires, onTimeout: onExpiry };
  return askReviewer(handler, asked, ({ text: answer }) =>
    typeof answer === 'string' ? [] : ['text: is missing, or is not text'],
  );
}

function toAnswer({ question }: HumanQuestion, { decision, input, reason, expired }: Decision): ToolResult {
  switch (decision) {
    case 'edit':
      return typeof input?.text === 'string' ? text(input.text) : createNotAnsweredResult();
    case 'approve':
      return text('Understood. Please continue.');
    case 'reject':
      return createNotAnsweredResult(reason);
    case 'exit':
      throw exitEarly(reason ?? (expired ? 'Nobody answered in time.' : `Rejected by reviewer: ${question}`));
  }
}

const createNotAnsweredResult = (reason?: string): ToolResult =>
  createFailureResult('declined', `Your question was not answered.${reason ? ` Reason: ${reason}` : ''}`);
