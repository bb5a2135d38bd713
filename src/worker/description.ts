/** What OpenAPI tells of a route. */

/** JSON Schema, as OpenAPI 3.1 writes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The JSON of a body. OpenAPI describes one that has a name once, among its components. */
export interface BodySchema {
  readonly name?: string;
  readonly schema: Schema;
}

/** Some JSON object, whose properties are not described. */
export const ANY_OBJECT: BodySchema = { schema: { type: 'object' } };

/** What a status of a route says. */
export interface Answer {
  readonly description: string;
  /** Absent: the answer has no body. */
  readonly json?: BodySchema;
  /** A client whose `Accept` asks for it gets server-sent events instead of the JSON. */
  readonly streams?: true;
}

/** A parameter of the query or of the headers, as OpenAPI writes it. Those of the path are read off it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly schema: Schema;
  readonly description?: string;
}

/** As OpenAPI writes a header. */
export const headerParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

/** What every request may say that may run a turn. */
export const TURN_HEADERS: readonly Parameter[] = [
  headerParameter('Idempotency-Key', 'A retry under the same key joins or replays the same turn.'),
  headerParameter('Prefer', '`respond-async` runs the turn in the background.'),
];

/** What a request is answered that may run a turn. */
export const TURN_ANSWERS: Readonly<Record<number, Answer>> = {
  200: { description: 'The turn has ended', json: ANY_OBJECT, streams: true },
  202: {
    description:
      'The turn runs in the background, waits for its time or for those before it, or for somebody: `pending` tells for what. ' +
      '`Location` leads to its answer',
    json: ANY_OBJECT,
  },
};
