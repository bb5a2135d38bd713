export { type OfflineModelOptions, offlineModel } from './offline-model.ts';
