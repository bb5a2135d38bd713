/** A domain type was declared, or is used, wrongly; thrown where that is defined. */
export class DomainTypeError extends Error {
  override readonly name = 'DomainTypeError';
  /** The name that was given, valid or not. */
  readonly type: string;
  /** The property of the definition that is wrong. */
  readonly field: DomainTypeField;

  /** `problem` is a sentence that goes on after "Domain type 'x' ". */
  constructor(type: string, field: DomainTypeField, problem: string, options?: ErrorOptions) {
    super(`Domain type '${type.slice(0, 80)}' ${problem}.`, options);
    this.type = type;
    this.field = field;
  }
}

/** `max` and `chaining` are said of a type by those who chain it. */
export type DomainTypeField = 'name' | 'schema' | 'prefix' | 'tools' | 'max' | 'chaining';
