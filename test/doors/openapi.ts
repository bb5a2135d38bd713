/** Internals for tests: routes and their descriptions. */
export { ASKING } from '../../src/journal/asking.ts';
export { composeModules } from '../../src/loop/modules.ts';
export { toDocument } from '../../src/modules/openapi/document.ts';
export { joinDescriptions } from '../../src/modules/openapi/join-descriptions.ts';
export { OWN_ROUTES } from '../../src/modules/openapi/own-routes.ts';
export { createModule, createUse, type ModuleUse } from '../../src/tool/module-use.ts';
export { APP } from '../../src/worker/app-seam.ts';
export type { HttpHost, Route } from '../../src/worker/route.ts';
export { createRouteTable } from '../../src/worker/routes/route-table.ts';
