/** The shapes of events and their types say the same: neither allows what the other does not. */
import type { EVENTS, EventOf, EventType, Infer } from '../doors/shape.ts';

/** Code may give `undefined` for what a decision lacks, which JSON does not say. */
type Said<Value> = Value extends { readonly type: 'decision' }
  ? { readonly [Key in keyof Value]: Exclude<Value[Key], undefined> }
  : Value;
type SaidEach<Event> = {
  readonly [Key in keyof Event]: Key extends 'answer' ? Said<Event[Key]> : Event[Key];
};

type Of<Type extends EventType> = SaidEach<Omit<EventOf<Type>, 'type'>>;
type Shaped<Type extends EventType> = Infer<(typeof EVENTS)[Type]>;

/** The types whose two declarations differ. */
type Different = {
  [Type in EventType]: Of<Type> extends Shaped<Type>
    ? Shaped<Type> extends Of<Type>
      ? keyof Of<Type> extends keyof Shaped<Type>
        ? keyof Shaped<Type> extends keyof Of<Type>
          ? never
          : Type
        : Type
      : Type
    : Type;
}[EventType];

export const different: [Different] extends [never] ? true : Different = true;
