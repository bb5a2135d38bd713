import { defineTextTool } from '../../../src/tools/define-text-tool.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import type { InputDeclaration, InputOf } from '../../../src/tools/input-schema.ts';
import type { Reconciliation, Tool, ToolCall } from '../../../src/tools/tool.ts';
import type { ArtifactType } from '../../../src/tools/tool-result.ts';
import type { Line } from './course.ts';

/** What may happen if a call is run twice; `reconciled`: `once`, and somebody knows what became of it. */
export type Care = 'read' | 'idempotent' | 'once' | 'reconciled';

/** One effect on the world outside, as the world saw it. */
export interface SeenEffect {
  readonly tool: string;
  readonly care: Care;
  readonly call: string;
  readonly key: string;
}

/** What is outside: the only witness of effects. */
export interface World {
  readonly effects: SeenEffect[];
  /** Whether the connection of this call breaks after its effect, so that it is in doubt without any disturbance. */
  breaksOff(call: string): Promise<boolean>;
}

interface KitTool<Name extends string, Input, Output> {
  readonly name: Name;
  readonly description?: string;
  readonly care: Care;
  readonly serial?: string;
  readonly returnDirect?: boolean;
  readonly output?: ArtifactType;
  /** What it answers; `name done` unless given. Must be a function of the input and of what the call sees. */
  readonly answer?: (input: Input, call: ToolCall) => Output;
}

/** What a scenario's tools are made with: their effects are seen from outside. */
export interface Kit {
  tool<const Name extends string, Declaration extends InputDeclaration = undefined, Output = unknown>(
    declared: KitTool<Name, InputOf<Declaration>, Output> & { readonly input?: Declaration },
  ): Tool<Name, InputOf<Declaration>, Output>;
  text<const Name extends string>(declared: KitTool<Name, string, unknown>): Tool<Name, string>;
}

/** Tools that act on `world` through the line of their invocation. */
export const kitOf = (line: Line, world: World): Kit => ({
  tool: <const Name extends string, Declaration extends InputDeclaration, Output>({
    input,
    ...declared
  }: KitTool<Name, InputOf<Declaration>, Output> & { readonly input?: Declaration }) => {
    const { reconcile, ...acting } = acts(line, world, declared);
    return declared.care === 'reconciled'
      ? defineTool<Name, Declaration, Output>({ ...acting, input, effect: 'once', reconcile })
      : defineTool<Name, Declaration, Output>({ ...acting, input, effect: declared.care });
  },
  text: (declared) => {
    const { reconcile, ...acting } = acts(line, world, declared);
    return declared.care === 'reconciled'
      ? defineTextTool({ ...acting, effect: 'once', reconcile })
      : defineTextTool({ ...acting, effect: declared.care });
  },
});

function acts<Name extends string, Input, Output>(
  line: Line,
  world: World,
  { care, answer, ...declared }: KitTool<Name, Input, Output>,
) {
  const { name, description = `To ${name}.` } = declared;
  const answerOf = (input: Input, call: ToolCall): Output =>
    answer ? answer(input, call) : (`${name} done` as Output); // without an answer of its own nobody relies on its type
  return {
    ...declared,
    description,
    run: (input: Input, call: ToolCall): Promise<Output> =>
      line.through('run', async () => {
        world.effects.push({ tool: name, care, call: call.id, key: call.idempotencyKey });
        if (care === 'once' && (await world.breaksOff(call.id))) throw new Error('Network connection lost.');
        return answerOf(input, call);
      }),
    reconcile: (input: Input, call: ToolCall): Reconciliation =>
      world.effects.some(({ key }) => key === call.idempotencyKey)
        ? { done: answerOf(input, call) }
        : 'not-done',
  };
}
