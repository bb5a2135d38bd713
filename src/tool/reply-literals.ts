/** Checks the replies of models that an app makes itself. Runs in development only: other files reach it through `literals.ts`. */

/** A reply, as a model in plain JavaScript may return it. */
interface GivenReply {
  readonly parts?: readonly object[] | undefined;
  readonly provider?: object | undefined;
  readonly toolCalls: readonly GivenCall[];
}

interface GivenCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** What must be text in a part of each type. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  file: ['mediaType', 'data'],
  'tool-call': ['id', 'name', 'input'],
  'tool-result': ['id', 'name'],
  source: ['id'],
  custom: ['kind'],
};

/**
 * Returns why the parts of a reply cannot be kept and given back, to follow a colon, or `undefined`. Its words hold nothing of the reply
 * but the type of a part.
 */
export function partsProblem({ parts, provider, toolCalls }: GivenReply): string | undefined {
  if (parts !== undefined) {
    if (!Array.isArray(parts)) return "its 'parts' are no list";
    const fields = parts.map((part: object | null) => new Map<string, unknown>(Object.entries(part ?? {})));
    const problem = fields.map(partProblem).find((one) => one !== undefined);
    if (problem) return problem;
    const calls = fields.filter(
      (part) => part.get('type') === 'tool-call' && part.get('ranBy') !== 'provider',
    );
    const said = calls.map((call) => CALL.map((key) => call.get(key)));
    const listed = toolCalls.map(({ id, name, input }) => [id, name, input]);
    if (JSON.stringify(said) !== JSON.stringify(listed))
      return "the calls in its parts are not its 'toolCalls'";
  }
  return isJson([parts, provider]) ? undefined : 'its parts hold what JSON cannot';
}

const CALL = ['id', 'name', 'input'];

function partProblem(fields: ReadonlyMap<string, unknown>, index: number): string | undefined {
  const type = String(fields.get('type'));
  const texts = Object.hasOwn(TEXTS, type) ? TEXTS[type] : undefined;
  if (!texts) {
    const types = Object.keys(TEXTS).map((one) => `'${one}'`);
    return `its part ${index} has the type '${type}'; use one of ${types.join(', ')}`;
  }
  const missing = texts.find((field) => typeof fields.get(field) !== 'string');
  if (missing) return `its part ${index}, a '${type}', has no text under '${missing}'`;
  const isAnswered = type !== 'tool-result' || fields.get('result') !== undefined;
  return isAnswered ? undefined : `its part ${index}, a '${type}', has no 'result'`;
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
