import { shorten } from '../tools/json-text.ts';

/** A webhook was declared wrongly; thrown where it is defined. */
export class WebhookDefinitionError extends Error {
  override readonly name = 'WebhookDefinitionError';
  /** The name that was given, valid or not. */
  readonly webhook: string;
  /** The property of the definition that is wrong. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Webhook 'x' ". */
  constructor(webhook: string, field: string, problem: string) {
    super(`Webhook '${shorten(webhook, 80)}' ${problem}.`);
    this.webhook = webhook;
    this.field = field;
  }
}
