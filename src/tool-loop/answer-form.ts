import type { OutputFormat } from '../model/chat-model.ts';
import type { Json } from '../tools/json.ts';

/** The answer as data, or everything that is wrong with it, one short line each, for the model to read. */
export type ParsedAnswer =
  | { readonly ok: true; readonly object: Json }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The form that the answers of a loop must have, in every shape in which it is used. */
export interface AnswerForm {
  /** For adapters that can hold a model to it. */
  readonly format: OutputFormat;
  /** The same in words, for every model. */
  readonly instruction: string;
  /** Never rejects. */
  parse(answer: string): Promise<ParsedAnswer>;
}
