import { DomainTypeError } from '../../tool/domain-objects.ts';
import type { DomainType } from '../../tool/domain-type.ts';
import {
  type AcceptOptions,
  acceptor,
  type ChainedType,
  type TypeWithTools,
  withTools,
} from './chain-from.ts';

/** A type of whose objects several offer their tools at once, each under names of its own. */
export interface DiscoveredType {
  readonly chain: 'many';
  readonly type: TypeWithTools;
  readonly max: number;
  readonly hint: boolean;
  readonly accepts: ChainedType['accepts'];
}

/** How many objects are known, and what the model is told of them. */
export interface DiscoverOptions<Value> extends AcceptOptions<Value> {
  /** The tools that are offered of all objects of the type, 64 unless given; those of the newest objects are kept. */
  readonly max?: number | undefined;
  /** Says below a result which tools its objects have brought; `false` unless given (TPR-10). */
  readonly hint?: boolean | undefined;
}

/**
 * Offers the tools of every object of the type that a call has returned, alone or in a list, under names that hold its
 * id: `customer_c123_average_spend`. An object that is returned again takes its own place (TPR-08).
 *
 * @throws DomainTypeError when objects of the type have no tools, or `max` is no positive whole number.
 */
export function discover<Value>(
  type: DomainType<string, Value>,
  { max = 64, hint = false, when }: DiscoverOptions<Value> = {},
): DiscoveredType {
  if (!Number.isInteger(max) || max < 1) {
    throw new DomainTypeError(
      type.name,
      'max',
      `is discovered with a max of ${max}: use a positive whole number`,
    );
  }
  return { chain: 'many', type: withTools(type), max, hint, accepts: acceptor(type, { when }) };
}
