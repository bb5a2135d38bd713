/** The entry `holdfast/openapi`: describes an app to generators of clients. */

export {
  type Answer,
  type AnswerSchema,
  type BodySchema,
  headerParameter,
  type ProblemAnswer,
  type Refusal,
  type RouteDescription,
  type RouteDescriptions,
  type RouteParameter,
} from './description.ts';
export { type OpenApiConfig, openApi } from './openapi.ts';
