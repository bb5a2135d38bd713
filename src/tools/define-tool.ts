import { checkNaming, readInput } from './check-definition.ts';
import { checkInput } from './check-input.ts';
import type { InputDeclaration, InputOf } from './input-schema.ts';
import type { Effect, Reconciliation, Tool, ToolCall } from './tool.ts';
import { ToolDefinitionError } from './tool-definition-error.ts';

/** Milliseconds that a `run` has when its tool does not say. */
export const DEFAULT_TIMEOUT = 30_000;

/** The longest timeout, 15 minutes: no invocation of the platform that works in the background lives longer. */
export const MAX_TIMEOUT = 15 * 60_000;

interface ToolConfigBase<Name extends string, Declaration extends InputDeclaration, Output> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: Name;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** Valibot, Zod 4, ArkType, another Standard Schema with a JSON Schema converter, or JSON Schema. Absent: no input. */
  readonly input?: Declaration | undefined;
  /** Calls of one batch that share this word run one after another. */
  readonly serial?: string | undefined;
  /** Milliseconds that `run` has, 30,000 unless given, at most 900,000 (15 minutes). Its signal is aborted then. */
  readonly timeout?: number | undefined;
  /** The turn may end with this tool's result, without another model call. */
  readonly returnDirect?: boolean | undefined;
  /** Does the work. What it returns becomes a result as `toToolResult` says; what it throws, an error. */
  readonly run: (input: InputOf<Declaration>, call: ToolCall) => Output | Promise<Output>;
}

type ReconcileConfig<Declaration extends InputDeclaration> =
  | {
      /** What may happen if a call is run twice; `once`, the careful one, unless given. */
      readonly effect?: 'once' | undefined;
      /** Finds out what became of a call that started and whose end is not known. */
      readonly reconcile?:
        | ((input: InputOf<Declaration>, call: ToolCall) => Reconciliation | Promise<Reconciliation>)
        | undefined;
    }
  /** These calls are run again instead. */
  | { readonly effect: Exclude<Effect, 'once'>; readonly reconcile?: undefined };

/** The literal that `defineTool` takes. */
export type ToolConfig<Name extends string, Declaration extends InputDeclaration, Output> = ToolConfigBase<
  Name,
  Declaration,
  Output
> &
  ReconcileConfig<Declaration>;

/**
 * Makes a tool of one literal. Its input is validated before `run`, and a bad one is answered with every problem at
 * once (TYP-10). `Input` of the tool is what `run` is given, the schema's output.
 *
 * @throws ToolDefinitionError when the tool cannot work.
 */
export function defineTool<
  const Name extends string,
  Declaration extends InputDeclaration = undefined,
  Output = unknown,
>(config: ToolConfig<Name, Declaration, Output>): Tool<Name, InputOf<Declaration>, Output> {
  const { name, description, effect = 'once', timeout = DEFAULT_TIMEOUT, run, reconcile } = config;
  checkNaming(name, description);
  checkTimeout(name, timeout);
  if (reconcile !== undefined && effect !== 'once') {
    throw new ToolDefinitionError(
      name,
      'reconcile',
      `only a tool with the effect 'once' reconciles; '${effect}' calls are run again.`,
    );
  }
  const schema = readInput<Declaration>(name, config.input);

  return {
    name,
    description,
    inputSchema: schema.json,
    effect,
    serial: config.serial,
    returnDirect: config.returnDirect ?? false,
    async call(input, invocation) {
      const parsed = await checkInput(schema, input, invocation.tool);
      if (!parsed.ok) return parsed.answer;
      return invocation.execute({
        effect,
        timeout,
        run: (call) => run(parsed.value, call),
        reconcile: reconcile && ((call) => reconcile(parsed.value, call)),
      });
    },
  };
}

function checkTimeout(tool: string, timeout: number): void {
  if (timeout > 0 && timeout <= MAX_TIMEOUT) return;
  const problem = `its timeout is ${timeout}; it must be more than 0 and at most ${MAX_TIMEOUT} milliseconds.`;
  throw new ToolDefinitionError(tool, 'timeout', problem);
}
