import type { EventOf } from '../journal/events.ts';

/** Why a model is not asked. */
export type ModelRefusal = Pick<EventOf<'model-refused'>, 'limit' | 'of' | 'most' | 'used' | 'needed'>;

/** Ends a loop as `limit-reached`, without the model call around which it is thrown. */
export class ModelCallRefused extends Error {
  override readonly name = 'ModelCallRefused';
  readonly refusal: ModelRefusal;

  constructor(refusal: ModelRefusal) {
    super(`The limit '${refusal.limit}' of ${refusal.most} does not allow a model call.`);
    this.refusal = refusal;
  }
}
