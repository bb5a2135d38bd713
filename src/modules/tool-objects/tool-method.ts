import type { CallContext } from '../../tool/call.ts';
import type { ReconcileConfig, RunConfig, ToolConfigBase } from '../../tool/define-tool.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { ReadByIts } from '../../tool/object-reader.ts';
import type { Inferred, KeptAs } from '../../tool/returned.ts';
import type { ArtifactType } from '../../tool/tool-result.ts';
import { marked } from './read-object.ts';
import { type Kept, mark, type ToolTable, type Typed } from './tool-entry.ts';

/** What `toolMethod` is told of a method: the literal of `defineTool` without `run`, and the name only where it is another. */
export type ToolMethodConfig<Declaration extends InputDeclaration = undefined> = Omit<
  ToolConfigBase<string, Declaration>,
  'name'
> &
  Omit<RunConfig<Declaration, unknown>, 'run'> &
  ReconcileConfig<Declaration> & {
    /** That of the field unless given. */
    readonly name?: string | undefined;
    /** Kept in the metadata, for programs that list tools. */
    readonly category?: string | undefined;
  };

/**
 * Makes a method that is a tool, as a field of a class: `toolsOf(new Calculator())` finds it. It can be called like any
 * other method. `this` is the object, in a `function` as in an arrow. A static field is a tool of the class. Fields that
 * TypeScript keeps `private` or `protected` are found too; a `#private` one is shown to nobody by JavaScript.
 *
 * What is wrong with the literal is told by `toolsOf`, as a ToolDefinitionError.
 *
 * @example
 * ```ts
 * class Prices {
 *   readonly #rate = 1.08;
 *   readonly convert = toolMethod(
 *     { description: 'Converts an amount.', input: v.object({ amount: v.number() }), effect: 'read' },
 *     ({ amount }) => amount * this.#rate,
 *   );
 * }
 * ```
 */
export function toolMethod<
  Method extends (input: InputOf<Declaration>, call: CallContext) => unknown,
  const Declaration extends InputDeclaration = undefined,
  Type extends ArtifactType = ArtifactType,
>(
  config: ToolMethodConfig<Declaration> & { readonly output?: Type | undefined },
  method: Method &
    Kept<KeptAs<Inferred<Type>, Awaited<ReturnType<Method>>>> &
    Typed<Awaited<ReturnType<Method>>, Inferred<Type>>,
): Method {
  // Each call makes a function of its own, so that one method may be two tools.
  const made = function (this: unknown, ...given: unknown[]): unknown {
    return Reflect.apply(method, this, given);
  };
  mark(marked(made), config, method);
  // It hands on what it is given, and what comes of it.
  return made as Method;
}

/**
 * Makes the static `tools` table of a class, so that its instances can be listed among the tools of an agent. `toolsOf` needs no such
 * call. What is wrong with the table is told where the object is listed.
 *
 * @example
 * ```ts
 * class Calculator {
 *   static readonly tools = toolTable<Calculator>({
 *     add: { description: 'Adds.', input: v.object({ a: v.number(), b: v.number() }), effect: 'read' },
 *   });
 *   add({ a, b }: { a: number; b: number }) { return a + b; }
 * }
 * ```
 */
export const toolTable = <Instance>(table: ToolTable<Instance>): ToolTable<Instance> & ReadByIts =>
  marked({ ...table });
