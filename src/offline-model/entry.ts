export { type OfflineModelOptions, offlineModel, orOffline } from './offline-model.ts';
