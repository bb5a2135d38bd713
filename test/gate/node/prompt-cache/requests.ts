/** Builds requests in each format, and requests from parts. */
import {
  type BodyForm,
  type Piece,
  parseParts,
  type RequestParts,
} from '../../../prompt-cache/measure/request-parts.ts';

/** The content of a request, independent of its format. */
export interface RequestTexts {
  readonly tools: readonly string[];
  readonly system: string;
  readonly messages: readonly string[];
}

/** A conversation with two tools. */
export const REQUEST_TEXTS: RequestTexts = {
  tools: ['look', 'save'],
  system: 'Be brief.',
  messages: ['a', 'b', 'c'],
};

const getRole = (at: number, model: string): string => (at % 2 === 0 ? 'user' : model);

/** Builds the body of a request, with the fields that matter to a cache. */
export const BODY_FACTORIES: Readonly<
  Record<BodyForm, (said: RequestTexts) => Readonly<Record<string, unknown>>>
> = {
  anthropic: ({ tools, system, messages }) => ({
    max_tokens: 100,
    tools: tools.map((name) => ({ name, input_schema: { type: 'object' } })),
    system: [{ type: 'text', text: system }],
    messages: messages.map((text, at) => ({
      role: getRole(at, 'assistant'),
      content: [{ type: 'text', text }],
    })),
  }),
  gemini: ({ tools, system, messages }) => ({
    generationConfig: { temperature: 1 },
    tools: [{ functionDeclarations: tools.map((name) => ({ name, parameters: { type: 'object' } })) }],
    systemInstruction: { parts: [{ text: system }] },
    contents: messages.map((text, at) => ({ role: getRole(at, 'model'), parts: [{ text }] })),
  }),
  responses: ({ tools, system, messages }) => ({
    temperature: 1,
    tools: tools.map((name) => ({ type: 'function', name, parameters: { type: 'object' } })),
    input: [
      { role: 'developer', content: system },
      ...messages.map((text, at) => ({
        role: getRole(at, 'assistant'),
        content: [{ type: at % 2 === 0 ? 'input_text' : 'output_text', text }],
      })),
    ],
  }),
  chat: ({ tools, system, messages }) => ({
    temperature: 1,
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
    messages: [
      { role: 'system', content: system },
      ...messages.map((content, at) => ({ role: getRole(at, 'assistant'), content })),
    ],
  }),
};

export const BODY_FORMS: readonly BodyForm[] = ['anthropic', 'gemini', 'responses', 'chat'];

/** Returns the parts of a request in one format. */
export const createParts = (form: BodyForm, said: RequestTexts): RequestParts =>
  parseParts(form, BODY_FACTORIES[form](said));

/** Returns the pieces of a part. The text of a piece is its name, or the text after `=`. */
export const createPieces = (...names: readonly string[]): readonly Piece[] =>
  names.map((name) => {
    const [key = '', text = name] = name.split('=');
    return { key, text };
  });
