/**
 * What becomes of a message when a turn of its session is open. `queue`: it is a turn of its own, when those before it have
 * ended. `steer`: it is shown to the model of the open turn.
 */
export type WhenBusy = 'queue' | 'steer';
