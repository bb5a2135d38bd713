/**
 * The entry `holdfast/durable-objects`. It does not contain agent logic, so that the class keeps its identity
 * across deployments.
 */
export { SessionObject } from './session-object.ts';
