import { saysTrue } from '../../tool/check-definition.ts';
import { type DomainObjects, DomainTypeError } from '../../tool/domain-objects.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import type { Json } from '../../tool/json.ts';
import type { LoopView } from '../../tool/tool.ts';

/** A type whose current object's tools are offered. */
export interface ChainedType {
  readonly chain: 'one';
  readonly type: TypeWithTools;
  /** Whether this object, which the type has read before, is taken. Never throws. */
  accepts(value: Json, view: LoopView): boolean;
}

/** A type that has something to chain. */
export type TypeWithTools = DomainType & { readonly objects: DomainObjects };

/** Which objects of a type are taken. */
export interface AcceptOptions<Value> {
  /**
   * Asked of each object, with the loop as of the start of its batch; all are taken unless given. One that is refused
   * leaves what was there before (CHN-05). An object for which it throws is refused, and the error logged.
   */
  readonly when?: ((value: NoInfer<Value>, view: LoopView) => boolean) | undefined;
}

/**
 * Offers the tools of one object of the type at a time: of the last one that a call returned by itself and that is
 * taken. Until then they are declared, and answer that there is none yet.
 *
 * @throws DomainTypeError when objects of the type have no tools.
 */
export const chainFrom = <Value>(
  type: DomainType<string, Value>,
  options: AcceptOptions<Value> = {},
): ChainedType => ({ chain: 'one', type: withTools(type), accepts: acceptor(type, options) });

/** @throws DomainTypeError when objects of the type have no tools. */
export function withTools(type: DomainType): TypeWithTools {
  const { name, objects } = type;
  if (!objects) throw new DomainTypeError(name, 'tools', 'has no tools, so there is nothing to chain');
  return { ...type, objects };
}

/** The predicate of a type, for values as the journal has them. */
export function acceptor<Value>(
  { name, parse }: DomainType<string, Value>,
  { when }: AcceptOptions<Value>,
): ChainedType['accepts'] {
  if (!when) return () => true;
  return (value, view) => {
    try {
      const parsed = parse(value);
      return parsed.ok && saysTrue(`\`when\` of the chained type '${name}'`, when, parsed.value, view);
    } catch (thrown) {
      console.error(`holdfast: whether a '${name}' is chained could not be told, so it is not`, thrown);
      return false;
    }
  };
}
