import type { DomainObjects } from '../../tool/domain-objects.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { Json } from '../../tool/json.ts';
import type { LoopView } from '../../tool/tool.ts';

/** One entry of `chaining`, as returned by `chainFrom`, `discover` and `chainAny`. */
export type Chained = ChainedType | DiscoveredType | AnyChained;

/** The key that marks a valid entry. */
export const CHAIN_BRAND: unique symbol = Symbol('holdfast.chaining');

/** Only the functions of this folder create entries. */
interface ChainEntry {
  readonly [CHAIN_BRAND]: true;
}

/** A type that offers the tools of its current object. */
export interface ChainedType extends ChainEntry {
  readonly chain: 'one';
  readonly type: TypeWithTools;
  /** Returns `true` if this object, which the type has parsed before, is accepted. Never throws. */
  accepts(value: Json, view: LoopView): boolean;
}

/** A type that offers the tools of several objects at once, each under its own names. */
export interface DiscoveredType extends ChainEntry {
  readonly chain: 'many';
  readonly type: TypeWithTools;
  readonly max: number;
  readonly maxDepth: number;
  readonly hint: boolean;
  readonly accepts: ChainedType['accepts'];
}

/** An entry for objects of any type that has tools. */
export interface AnyChained extends ChainEntry {
  readonly chain: 'any';
  readonly types: readonly DomainType[];
}

/** A type with tools to chain. */
export type TypeWithTools = DomainType & { readonly objects: DomainObjects };
