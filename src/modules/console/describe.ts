/** The OpenAPI descriptions of the console's routes. */
import type { RouteDescription } from '../openapi/description.ts';

/** Describes the routes of `console`, for `openApi({ descriptions: [consoleDescription] })`. */
export const consoleDescription = {
  'GET /console': {
    operation: 'getConsole',
    summary: 'A page that shows the sessions of the app. In production, for operators',
    answers: { 200: { description: 'The page', isFile: true } },
    problems: ['role-required'],
    refusal: { 'text/plain': { schema: { type: 'string' } } },
  },
} satisfies Readonly<Record<string, RouteDescription>>;
