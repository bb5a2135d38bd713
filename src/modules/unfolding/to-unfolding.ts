import {
  checkNaming,
  isTool,
  readInput,
  readMetadata,
  ToolDefinitionError,
} from '../../tool/check-definition.ts';
import { checkInput } from '../../tool/check-input.ts';
import { copyJson } from '../../tool/copy-json.ts';
import type { InputDeclaration, InputOf, InputSchema } from '../../tool/input-schema.ts';
import type { AsJson, Json, JsonObject, JsonSchema } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import type { CheckedInput } from '../../tool/problem-lines.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { error } from '../../tool/tool-result.ts';
import { callUnfolding, createShortcut } from './call-unfolding.ts';
import { UNFOLDING } from './strategy.ts';
import {
  type AnyUnfoldingTool,
  isInputSchema,
  listAllTools,
  readOrEmpty,
  UNFOLDS,
  type Unfolding,
  type UnfoldingBase,
  type UnfoldsInto,
} from './unfolding.ts';

/**
 * Creates an unfolding tool from its options.
 *
 * @throws ToolDefinitionError if the tool is invalid.
 */
export function toUnfolding<Declaration extends InputDeclaration>(
  config: UnfoldingConfig<string, Declaration>,
): AnyUnfoldingTool {
  const { name, description, metadata = {}, scope = 'turn', childToolUsageNotes: notes, uses = [] } = config;
  checkNaming(name, description);
  if (config.exclusive && scope === 'session') {
    const problem = 'it is exclusive, so no other tool could be called in the session. Omit scope.';
    throw new ToolDefinitionError(name, 'scope', problem);
  }
  const { into, input, inner } = toForm(config);
  return createUnfoldingTool({
    name,
    description,
    metadata: readMetadata(name, metadata),
    input,
    inner,
    uses,
    unfolding: {
      into,
      notes: notes?.trim() ? notes : undefined,
      exclusive: config.exclusive ?? false,
      contextTool: config.contextTool ?? false,
      scope,
      prepare: config.prepare,
      isKnown: config.isKnown,
    },
  });
}

type UnfoldingForm = Pick<UnfoldingParts, 'input' | 'inner'> & { readonly into: UnfoldsInto };

const EMPTY_INPUT_SCHEMA: JsonSchema = { type: 'object', properties: {} };

function toForm<Declaration extends InputDeclaration>(
  config: UnfoldingConfig<string, Declaration>,
): UnfoldingForm {
  if (config.select) return toSelectableForm(config);
  if (config.byCategory) return toCategoryForm(config);
  const { name, tools } = config;
  if (typeof tools === 'function') {
    return { into: { by: 'moment', ask: tools }, input: EMPTY_INPUT_SCHEMA, inner: undefined };
  }
  const inner = checkTools(name, 'tools', tools);
  return { into: { by: 'all', tools: inner }, input: EMPTY_INPUT_SCHEMA, inner };
}

function toSelectableForm<Declaration extends InputDeclaration>(
  config: SelectableUnfolding<string, Declaration>,
): UnfoldingForm {
  const { name, select, input, tools = [] } = config;
  // This schema has checked the input. Its output is JSON, since the unfolding tool refuses other values.
  const into: UnfoldsInto = { by: 'selection', select: (checked, view) => select(checked as never, view) };
  return {
    into,
    input: readInput<InputDeclaration>(name, input),
    inner: tools.length > 0 ? checkTools(name, 'tools', tools) : undefined,
  };
}

function toCategoryForm({
  name,
  byCategory: lists,
  categoryParameter: parameter = 'category',
}: CategoryForm): UnfoldingForm {
  const tools = new Map(
    Object.entries(lists).map(([category, list]) => [
      category,
      checkTools(name, `byCategory.${category}`, list),
    ]),
  );
  if (tools.size === 0) throw new ToolDefinitionError(name, 'byCategory', 'it has no categories. Add one.');
  const categories = [...tools.keys()];
  const description = `Category to access. Available: ${categories.join(', ')}`;
  const input = {
    type: 'object',
    properties: { [parameter]: { type: 'string', description, enum: categories } },
    required: [parameter],
  };
  return { into: { by: 'category', parameter, tools }, input, inner: listAllTools(tools) };
}

type CategoryForm = Pick<CategoryUnfolding<string>, 'name' | 'byCategory' | 'categoryParameter'>;

/**
 * Returns the tools without duplicates.
 *
 * @throws ToolDefinitionError if the list is empty, an item is not a tool, or two tools share a name.
 */
export function checkTools(unfolding: string, field: string, tools: readonly AnyTool[]): readonly AnyTool[] {
  const distinct = [...new Set(tools)];
  if (distinct.length === 0)
    throw new ToolDefinitionError(unfolding, field, 'it has no tools to unfold into. List one.');
  const names = new Set<string>();
  for (const [index, tool] of distinct.entries()) {
    if (!isTool(tool))
      throw new ToolDefinitionError(unfolding, field, `its entry at index ${index} is not a tool.`);
    if (names.has(tool.name)) {
      throw new ToolDefinitionError(unfolding, field, `it has two tools named '${tool.name}'. Rename one.`);
    }
    names.add(tool.name);
  }
  return distinct;
}

interface UnfoldingParts {
  readonly name: string;
  readonly description: string;
  readonly metadata: JsonObject;
  /** The inner tools, for code that lists them. `undefined` if they are not known yet. */
  readonly inner: readonly AnyTool[] | undefined;
  readonly uses: readonly ModuleUse[];
  /** The schema of an input that selects tools, or else the JSON Schema that the model sees. */
  readonly input: InputSchema<unknown> | JsonSchema;
  readonly unfolding: Unfolding;
}

/**
 * Calls of unfolding tools in one reply run one after another, so that each sees the tools that the previous
 * one opened.
 */
const SERIAL_KEY = 'unfolding';

/** Creates the tool itself. Its call is only recorded. The loop then offers the inner tools. */
function createUnfoldingTool({
  name,
  description,
  metadata,
  inner,
  uses,
  input,
  unfolding,
}: UnfoldingParts): AnyUnfoldingTool {
  const schema = isInputSchema(input) ? input : undefined;
  const inputSchema = isInputSchema(input) ? input.json : input;
  const check = async (sent: JsonObject, as = name): Promise<CheckedInput<Json>> =>
    schema ? toJsonInput(await checkInput(schema, sent, as), as) : { ok: true, value: sent };
  return {
    name,
    description,
    inputSchema,
    effect: 'none',
    serial: SERIAL_KEY,
    returnDirect: false,
    metadata,
    inner,
    opens: true,
    uses: [UNFOLDING, ...uses],
    route: createShortcut(unfolding, inputSchema),
    readInput: schema ? undefined : readOrEmpty,
    check,
    async call(sent, call) {
      const checked = await call.during('its input schema', () => check(sent, call.tool));
      return checked.ok ? callUnfolding(checked.value, call) : checked.answer;
    },
    [UNFOLDS]: unfolding,
  };
}

/**
 * Checks that a schema's output is JSON, since the tools are created again from the journaled input after an
 * eviction.
 */
function toJsonInput(checked: CheckedInput<unknown>, name: string): CheckedInput<Json> {
  if (!checked.ok) return checked;
  const copy = copyJson(checked.value);
  if (copy.ok) return copy;
  const { path, what } = copy.problem;
  const problem = `Tool '${name}' did not run: its schema returned a value that is ${what} at \`${path}\`, which is not JSON.`;
  return { ok: false, answer: error(problem) };
}

/**
 * The options of an unfolding tool that offers all of its tools. `Source` is the type of the items in its
 * list, and `Answered` that of the items that its function returns.
 */
export interface PlainUnfolding<Name extends string, Source = AnyTool, Answered = AnyTool>
  extends UnfoldingBase<Name> {
  /**
   * The inner tools as a list, or as a function if they change. The function runs each time the loop offers
   * tools while the unfolding tool is open.
   */
  readonly tools: readonly Source[] | ((view: LoopView) => readonly Answered[]);
  /**
   * Runs when the unfolding tool is called, before `tools`, to load and record data that `tools` needs.
   * Returns a text for the model: the problem if it cannot open, or a remark to show below the names of its
   * tools.
   */
  readonly prepare?: Unfolding['prepare'];
  /**
   * Returns whether the session already has the data that `prepare` loads. If it has the data, but no tools,
   * the unfolding tool is not offered. Defaults to `false`. Must not throw.
   */
  readonly isKnown?: Unfolding['isKnown'];
  readonly byCategory?: undefined;
  readonly categoryParameter?: undefined;
  readonly input?: undefined;
  readonly select?: undefined;
}

/**
 * The options of an unfolding tool that offers the tools of the category that the model names, or all tools
 * for an unknown category.
 */
export interface CategoryUnfolding<Name extends string, Source = AnyTool> extends UnfoldingBase<Name> {
  readonly byCategory: Readonly<Record<string, readonly Source[]>>;
  readonly prepare?: undefined;
  readonly isKnown?: undefined;
  /** The name of the input property for the category. Defaults to `category`. */
  readonly categoryParameter?: string | undefined;
  readonly tools?: undefined;
  readonly input?: undefined;
  readonly select?: undefined;
}

/**
 * The options of an unfolding tool that offers the tools that a function returns for its input, including new
 * tools.
 */
export interface SelectableUnfolding<
  Name extends string,
  Declaration extends InputDeclaration,
  Source = AnyTool,
  Answered = AnyTool,
> extends UnfoldingBase<Name> {
  readonly input: Declaration;
  readonly prepare?: undefined;
  readonly isKnown?: undefined;
  /**
   * Returns the tools for an input. Runs once for each call, and again with the journaled input in an
   * invocation that resumes the turn. So it must depend only on its input. Values that its tools share belong
   * in `call.state`. The input was converted to JSON and back.
   */
  readonly select: (input: AsJson<InputOf<Declaration>>, view: LoopView) => readonly Answered[];
  /** All tools that can be selected, for code that lists the inner tools. */
  readonly tools?: readonly Source[] | undefined;
  readonly byCategory?: undefined;
  readonly categoryParameter?: undefined;
}

/** The options of an unfolding tool whose sources were converted to tools. */
export type UnfoldingConfig<Name extends string, Declaration extends InputDeclaration> =
  | PlainUnfolding<Name>
  | CategoryUnfolding<Name>
  | SelectableUnfolding<Name, Declaration>;
