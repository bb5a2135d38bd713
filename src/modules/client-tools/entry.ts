/**
 * The entry `holdfast/client-tools`, which offers an agent the tools of a client's page or program for one
 * turn.
 */

export { type DeclaredTool, declaredTools, type ToolDeclaration } from './declared.ts';
export { type ClientToolsConfig, clientTools } from './offered.ts';
