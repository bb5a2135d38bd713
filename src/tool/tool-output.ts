import type { DomainType } from './domain-type.ts';
import type { AsJson, Json } from './json.ts';
import type { AnyTool, ToolOutput } from './tool.ts';
import type { ArtifactType, ToolResult } from './tool-result.ts';

/**
 * The artifact of a tool, as readers of it are given it: a value of the type that was asked for; without a type what
 * `run` returns, as JSON keeps it, when that is an object or a list; `Json` when nothing more is known.
 */
export type ToolArtifact<T extends AnyTool, Type extends ArtifactType | undefined> = Type extends ArtifactType
  ? Type extends DomainType<string, infer Value>
    ? Value
    : Json
  : unknown extends ToolOutput<T>
    ? Json
    : Known<Kept<Exclude<ToolOutput<T>, Words>>>;

/** The same, where lists are taken item by item (DEC-06). */
export type ToolArtifactItem<T extends AnyTool, Type extends ArtifactType | undefined> =
  ToolArtifact<T, Type> extends infer Whole ? (Whole extends readonly (infer Item)[] ? Item : Whole) : never;

/** A result that `run` made itself may hold any artifact. */
type Known<Output> = [Output] extends [never] ? Json : Output extends ToolResult ? Json : Output;

/** As the journal gives it back, when it is an object or a list then. */
type Kept<Output> = Output extends ToolResult ? Output : Extract<AsJson<Output>, object>;

/** Holds no artifact. */
type Words = Extract<ToolResult, { readonly type: 'text' | 'error' }>;
