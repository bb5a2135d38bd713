/** Shows a model request as this code builds it. */
import type { ModelRequest } from '../../model/chat-model.ts';
import type { JsonObject } from '../../tool/json.ts';
import { ANY_OBJECT, BOOLEAN, type Infer, type Shape, TEXT } from '../../tool/shape.ts';

export interface RequestView extends Infer<typeof REQUEST_VIEW> {}
export const REQUEST_VIEW = {
  object: {
    model: TEXT,
    /** The request in the library's own form. An adapter translates it for its provider. */
    request: ANY_OBJECT,
    /** See `differs` of `OfferView`. */
    differs: { optional: { object: { instructions: BOOLEAN, tools: BOOLEAN } } },
    unknown: { listOf: TEXT },
  },
} as const satisfies Shape;

interface ShownRequest extends Pick<RequestView, 'model' | 'unknown'> {
  readonly request: ModelRequest;
  readonly differs: RequestView['differs'] | undefined;
}

/** The maximum number of characters of a string in a request. Files in base64 can be megabytes. */
const MAX_CHARACTERS = 200_000;

export function toRequestView({ request, model, differs, unknown }: ShownRequest): RequestView {
  const hasFiles = request.messages.some(hasFile);
  const text = JSON.stringify(request, (_, value: unknown) =>
    typeof value === 'string' && value.length > MAX_CHARACTERS
      ? `${value.slice(0, MAX_CHARACTERS)}… (${value.length} characters)`
      : value,
  );
  return {
    model,
    request: JSON.parse(text) as JsonObject, // the same request, as JSON
    ...(differs && { differs }),
    unknown: [...unknown, ...(hasFiles ? ['Files are shown by reference: the console loads none.'] : [])],
  };
}

const hasFile = (message: ModelRequest['messages'][number]): boolean =>
  'parts' in message && (message.parts ?? []).some(({ type }) => type === 'file');
