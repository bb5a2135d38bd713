import type { DomainObjects } from '../../tool/domain-objects.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { Json } from '../../tool/json.ts';
import type { LoopView } from '../../tool/tool.ts';

/** What brings its tools with it: one entry of `chaining`, as `chainFrom`, `discover` and `chainAny` return it. */
export type Chained = ChainedType | DiscoveredType | AnyChained;

/** The key by which entries are told from what is none. */
export const CHAINS: unique symbol = Symbol('holdfast.chaining');

/** Made by the functions of this folder alone. */
interface MadeHere {
  readonly [CHAINS]: true;
}

/** A type whose current object's tools are offered. */
export interface ChainedType extends MadeHere {
  readonly chain: 'one';
  readonly type: TypeWithTools;
  /** Whether this object, which the type has read before, is taken. Never throws. */
  accepts(value: Json, view: LoopView): boolean;
}

/** A type of whose objects several offer their tools at once, each under names of its own. */
export interface DiscoveredType extends MadeHere {
  readonly chain: 'many';
  readonly type: TypeWithTools;
  readonly max: number;
  readonly maxDepth: number;
  readonly hint: boolean;
  readonly accepts: ChainedType['accepts'];
}

/** Any object of a type that has tools. */
export interface AnyChained extends MadeHere {
  readonly chain: 'any';
  readonly types: readonly DomainType[];
}

/** A type that has something to chain. */
export type TypeWithTools = DomainType & { readonly objects: DomainObjects };
