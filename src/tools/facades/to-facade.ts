import { type CheckedInput, checkInput } from '../check-input.ts';
import { copyJson } from '../copy-json.ts';
import type { InputSchema } from '../input-schema.ts';
import type { Json, JsonObject } from '../json.ts';
import { parseToolInput } from '../parse-tool-input.ts';
import { error } from '../results.ts';
import type { AnyTool, JsonSchema } from '../tool.ts';
import { FACADE, type Facade, type FacadeTool } from './facade.ts';
import { openFacade } from './open-facade.ts';
import { shortcut } from './shortcut.ts';

/** What the tool of a facade is made of, all of it checked. */
export interface FacadeParts {
  readonly name: string;
  readonly description: string;
  readonly metadata: JsonObject;
  /** For whoever lists the tools inside; absent when they are not known yet. */
  readonly inner: readonly AnyTool[] | undefined;
  /** The schema of an input that decides on the tools; or, where any input will do, the JSON Schema that the model is shown. */
  readonly input: InputSchema<unknown> | JsonSchema;
  readonly facade: Facade;
}

/** Calls of facades that come in one reply run one after another: the second knows what the first has opened. */
const SERIAL = 'unfolding';

/** Makes a tool of a facade. It runs nothing: that it was called is remembered, and the loop offers what is inside. */
export function toFacade({ name, description, metadata, inner, input, facade }: FacadeParts): FacadeTool {
  const schema = isInputSchema(input) ? input : undefined;
  const inputSchema = isInputSchema(input) ? input.json : input;
  const check = async (sent: JsonObject, as = name): Promise<CheckedInput<Json>> =>
    schema ? keepable(await checkInput(schema, sent, as), as) : { ok: true, value: sent };
  return {
    name,
    description,
    inputSchema,
    effect: 'none',
    serial: SERIAL,
    returnDirect: false,
    metadata,
    inner,
    route: shortcut(facade, inputSchema),
    readInput: schema ? undefined : readAnything,
    check,
    async call(sent, invocation) {
      const checked = await check(sent, invocation.tool);
      return checked.ok ? openFacade(checked.value, invocation) : checked.answer;
    },
    [FACADE]: facade,
  };
}

const isInputSchema = (input: InputSchema<unknown> | JsonSchema): input is InputSchema<unknown> =>
  'parse' in input && typeof input.parse === 'function';

/** There is nothing to get wrong, so nothing is refused (UNF-05, UNF-26). */
function readAnything(raw: string): JsonObject {
  const parsed = parseToolInput('', raw);
  return parsed.ok ? parsed.input : {};
}

/** The tools are made again of the input after an eviction, so a schema must not make of it what the journal cannot keep. */
function keepable(checked: CheckedInput<unknown>, name: string): CheckedInput<Json> {
  if (!checked.ok) return checked;
  const copy = copyJson(checked.value);
  if (copy.ok) return copy;
  const { path, what } = copy.problem;
  const problem = `Tool '${name}' did not run: its schema makes of the value at \`${path}\` ${what}, which is not JSON.`;
  return { ok: false, answer: error(problem) };
}
